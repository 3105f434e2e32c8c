/** Where a page is shown, and what it is given there. */
export interface PageUris {
  /** The address of a file of the extension's `dist/webview`. */
  asset(name: string): string;
  /** Where such files come from, as a source of a content security policy. */
  readonly source: string;
  /** Base64, new for each document: only the script that carries it runs. */
  readonly nonce: string;
  readonly language: string;
  /** The sentences of the user's language as JSON; empty for English. */
  readonly translations: string;
}

/** What one page has of its own. */
export interface PageDocument {
  readonly title: string;
  /** Names of its files. */
  readonly style: string;
  readonly script: string;
  /** A script that runs before anything is loaded. */
  readonly firstScript?: string;
  /** The modules that the script imports at once: named here, they are fetched beside it. */
  readonly modules?: readonly string[];
  /** The element that the page builds everything in. */
  readonly root: "div" | "main";
  /** What its policy allows besides: directives with their sources. */
  readonly allowed?: readonly string[];
}

/**
 * A page's skeleton under a strict policy: its script by nonce only (with the modules that it imports, which inherit the nonce), styles and fonts from the extension only, no
 * connection anywhere.
 */
export function pageDocument(uris: PageUris, page: PageDocument): string {
  const policy = [
    "default-src 'none'",
    `style-src ${uris.source}`,
    `font-src ${uris.source}`,
    ...(page.allowed ?? []),
    `script-src 'nonce-${uris.nonce}'`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  const preloads = (page.modules ?? []).map(
    (name) => `<link rel="modulepreload" nonce="${uris.nonce}" href="${uris.asset(name)}">`,
  );
  const first =
    page.firstScript === undefined ? "" : `<script nonce="${uris.nonce}">${page.firstScript}</script>`;
  // No text among the translations can end their element.
  const translations = uris.translations.replaceAll("<", "\\u003c");
  return `<!DOCTYPE html>
<html lang="${uris.language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
${first}
<link rel="stylesheet" href="${uris.asset(page.style)}">
${preloads.join("\n")}
</head>
<body>
<${page.root} id="app"></${page.root}>
<script type="application/json" id="translations">${translations}</script>
<script type="module" nonce="${uris.nonce}" src="${uris.asset(page.script)}"></script>
</body>
</html>`;
}
