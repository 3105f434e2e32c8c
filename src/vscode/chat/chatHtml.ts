import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { pageTranslations } from "../pageTranslations.ts";

/**
 * The page's skeleton under a strict policy: scripts by nonce only, styles and fonts from the extension only, pictures
 * and recordings from there or out of what the page has already, no connection anywhere. The page builds everything
 * inside `#app` itself.
 */
export function chatHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const cspNonce = randomBytes(16).toString("base64");
  const asset = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", "webview", name)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data: blob:`,
    "media-src data:",
    `script-src 'nonce-${cspNonce}'`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${vscode.l10n.t("Chat")}</title>
<link rel="stylesheet" href="${asset("style.css")}">
</head>
<body data-highlight-src="${asset("highlight.js")}" data-math-src="${asset("math.js")}" data-math-style="${asset("mathStyle.css")}" data-diagram-src="${asset("diagram.js")}" data-settings-dialog-src="${asset("settingsDialog.js")}" data-json-tree-src="${asset("jsonTree.js")}" data-csp-nonce="${cspNonce}">
<div id="app"></div>
<script type="application/json" id="translations">${pageTranslations()}</script>
<script nonce="${cspNonce}" src="${asset("chat.js")}"></script>
</body>
</html>`;
}
