import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { pageTranslations } from "../../pageTranslations.ts";

/** The skeleton of the table under a strict policy: its script by nonce, its style and icons, and nothing else from anywhere. */
export function tableHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const cspNonce = randomBytes(16).toString("base64");
  const asset = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", "webview", name)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
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
<title>${vscode.l10n.t("GPU Servers")}</title>
<link rel="stylesheet" href="${asset("fleetTableStyle.css")}">
</head>
<body>
<main id="app"></main>
<script type="application/json" id="translations">${pageTranslations()}</script>
<script nonce="${cspNonce}" src="${asset("fleetTable.js")}"></script>
</body>
</html>`;
}
