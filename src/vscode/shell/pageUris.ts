import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { PageUris } from "../../core/panel/pages/pageDocument.ts";

/** The resource URIs and security policy of one page in a webview, valid for a single document. */
export function pageUris(webview: vscode.Webview, extensionUri: vscode.Uri): PageUris {
  const { bundle } = vscode.l10n;
  return {
    asset: (name) =>
      webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", "webview", name)).toString(),
    source: webview.cspSource,
    nonce: randomBytes(16).toString("base64"),
    language: vscode.env.language,
    translations: bundle === undefined ? "" : JSON.stringify(bundle),
  };
}
