import { t } from "@vscode/l10n";
/**
 * A script for the head of a page that runs before anything else is loaded. It keeps what is typed until the page's own
 * script runs, both in the page and in VS Code's surrounding document, which has the focus until the page is shown. The
 * page retrieves it with `takeEarlyKeys()` and handles the keys from then on.
 */
const earlyKeysScript = `{
  const targets = new Set([window, window.parent]);
  let text = "";
  const keep = ({ key, ctrlKey, metaKey, altKey, isComposing }) => {
    if (isComposing || metaKey || ctrlKey !== altKey) return;
    if (key === "Backspace") text = [...text].slice(0, -1).join("");
    else if ([...key].length === 1) text += key;
  };
  for (const target of targets) target.addEventListener("keydown", keep, true);
  globalThis.takeEarlyKeys = () => {
    for (const target of targets) target.removeEventListener("keydown", keep, true);
    delete globalThis.takeEarlyKeys;
    return text;
  };
}`;

/** What a page needs to know about its webview. */
export interface PageUris {
  /** The URI of a file in the extension's `dist/webview`. */
  asset(name: string): string;
  /** The source of such files, for a content security policy. */
  readonly source: string;
  /** Base64, new for each document: only scripts with this nonce run. */
  readonly nonce: string;
  readonly language: string;
  /** The texts in the user's language by their English sentences, as JSON; empty for English. */
  readonly translations: string;
}

/** The parts that are specific to one page. */
interface PageDocument {
  readonly title: string;
  /** File names of its style sheet, which follows the one that all pages share, and of its script. */
  readonly style: string;
  readonly script: string;
  /** A script that runs before anything is loaded. */
  readonly firstScript?: string;
  /**
   * The modules that the script imports at startup or soon after; listed here, they are fetched in parallel with it.
   */
  readonly modules?: readonly string[];
  /** The element that contains the whole page. */
  readonly root: "div" | "main";
  /** Additional permissions in its policy: directives with their sources. */
  readonly allowed?: readonly string[];
}

/**
 * A page's skeleton under a strict policy: its script by nonce only (with the modules that it imports, which inherit
 * the nonce), styles and fonts from the extension only, and no connections.
 */
function pageDocument(uris: PageUris, page: PageDocument): string {
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
  // Nothing in the translations can close their element.
  const translations = uris.translations.replaceAll("<", "\\u003c");
  return `<!DOCTYPE html>
<html lang="${uris.language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
${first}
<link rel="stylesheet" href="${uris.asset("sharedStyle.css")}">
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

/** The skeleton of the chat page. Images and audio come from the extension, or from what the page already has. */
export function chatDocument(uris: PageUris): string {
  return pageDocument(uris, {
    title: t("Chat"),
    firstScript: earlyKeysScript,
    style: "style.css",
    script: "chat.js",
    modules: ["chunk.js", "markdown.js"],
    root: "div",
    allowed: [`img-src ${uris.source} data: blob:`, "media-src data: blob:"],
  });
}

/** The skeleton of the server table. */
export function tableDocument(uris: PageUris): string {
  return pageDocument(uris, {
    title: t("GPU Servers"),
    style: "serverTableStyle.css",
    script: "serverTable.js",
    modules: ["tableAndForm.js"],
    root: "main",
  });
}

/** The skeleton of the page of costs. */
export function costsDocument(uris: PageUris): string {
  return pageDocument(uris, { title: t("Costs"), style: "costsStyle.css", script: "costs.js", root: "main" });
}

/** The skeleton of the form for a profile. */
export function profileDocument(uris: PageUris): string {
  return pageDocument(uris, {
    title: t("Profile"),
    style: "profileFormStyle.css",
    script: "profileForm.js",
    modules: ["tableAndForm.js"],
    root: "main",
  });
}
