import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { PageUris } from "../../core/panel/pages/pageDocument.ts";

/** The resource URIs and security policy of one page in a webview, valid for a single document. */
export function pageUris(webview: vscode.Webview, extensionUri: vscode.Uri): PageUris {
  return {
    asset: (name) =>
      webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", "webview", name)).toString(),
    source: webview.cspSource,
    nonce: randomBytes(16).toString("base64"),
    language: vscode.env.language,
    translations: vscode.l10n.bundle === undefined ? "" : JSON.stringify(vscode.l10n.bundle),
  };
}
