import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { page } from "../../../esbuild.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const cspNonce = "dGVzdC1ub25jZQ";
const mediaTypes: Readonly<Record<string, string>> = {
  css: "text/css",
  js: "text/javascript",
  ttf: "font/ttf",
  woff2: "font/woff2",
};

/** The page's bundles on a loopback address, under the policy that it has in VS Code. */
export interface PageServer {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Builds the page as `npm run build` does, from the sources of this moment, and serves it from memory: in English, or
 * with the sentences of another language beside it.
 */
export async function startPageServer(language = "en"): Promise<PageServer> {
  const files = await buildPage();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://page").pathname.slice(1);
    const origin = `http://${request.headers.host}`;
    const content =
      path === ""
        ? pageHtml(origin, language)
        : path === "table"
          ? tableHtml(origin, language)
          : files.get(path);
    const mediaType = mediaTypes[path.split(".").at(-1) ?? ""] ?? "text/html";
    response.writeHead(content === undefined ? 404 : 200, { "content-type": `${mediaType}; charset=utf-8` });
    response.end(content);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

async function buildPage(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles } = await build({
    ...page,
    absWorkingDir: repository,
    entryPoints: { ...page.entryPoints, "markdown-bench": "test/webview/support/benchEntry.ts" },
    minify: process.env["PAGE_PLAIN"] === undefined,
    sourcemap: false,
    write: false as const,
    outdir: "out",
  });
  return new Map(outputFiles.map((file) => [file.path.split(/[\\/]/).at(-1) ?? "", file.contents]));
}

/** The same skeleton and policy as `src/vscode/chat/chatHtml.ts`. */
function pageHtml(origin: string, language: string): string {
  const policy = [
    "default-src 'none'",
    `style-src ${origin}`,
    `font-src ${origin}`,
    `img-src ${origin} data: blob:`,
    "media-src data:",
    `script-src 'nonce-${cspNonce}'`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chat</title>
<link rel="stylesheet" href="${origin}/style.css">
</head>
<body data-highlight-src="${origin}/highlight.js" data-math-src="${origin}/math.js" data-math-style="${origin}/mathStyle.css" data-diagram-src="${origin}/diagram.js" data-settings-dialog-src="${origin}/settingsDialog.js" data-json-tree-src="${origin}/jsonTree.js" data-csp-nonce="${cspNonce}">
<div id="app"></div>
<script type="application/json" id="translations">${translations(language)}</script>
<script nonce="${cspNonce}" src="${origin}/chat.js"></script>
</body>
</html>`;
}

/** The same skeleton and policy as `src/vscode/servers/table/tableHtml.ts`. */
function tableHtml(origin: string, language: string): string {
  const policy = [
    "default-src 'none'",
    `style-src ${origin}`,
    `font-src ${origin}`,
    `script-src 'nonce-${cspNonce}'`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GPU Servers</title>
<link rel="stylesheet" href="${origin}/fleetTableStyle.css">
</head>
<body>
<main id="app"></main>
<script type="application/json" id="translations">${translations(language)}</script>
<script nonce="${cspNonce}" src="${origin}/fleetTable.js"></script>
</body>
</html>`;
}

function translations(language: string): string {
  if (language === "en") return "";
  return readFileSync(`${repository}media/l10n/bundle.l10n.${language}.json`, "utf8").replaceAll(
    "<",
    "\\u003c",
  );
}
