/** Where a page is shown, and what it is given there. */
export interface PagePlace {
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
  /** The element that the page builds everything in. */
  readonly root: "div" | "main";
  /** What its policy allows besides: directives with their sources. */
  readonly allowed?: readonly string[];
  /** What its body tells the script, by the name behind `data-`. */
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * A page's skeleton under a strict policy: its script by nonce only, styles and fonts from the extension only, no
 * connection anywhere.
 */
export function pageDocument(place: PagePlace, page: PageDocument): string {
  const policy = [
    "default-src 'none'",
    `style-src ${place.source}`,
    `font-src ${place.source}`,
    ...(page.allowed ?? []),
    `script-src 'nonce-${place.nonce}'`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  const data = Object.entries(page.data ?? {}).map(([name, value]) => ` data-${name}="${value}"`);
  // No text among the translations can end their element.
  const translations = place.translations.replaceAll("<", "\\u003c");
  return `<!DOCTYPE html>
<html lang="${place.language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<link rel="stylesheet" href="${place.asset(page.style)}">
</head>
<body${data.join("")}>
<${page.root} id="app"></${page.root}>
<script type="application/json" id="translations">${translations}</script>
<script nonce="${place.nonce}" src="${place.asset(page.script)}"></script>
</body>
</html>`;
}
