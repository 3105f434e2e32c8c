import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { PageUris } from "../../core/panel/pages/pageDocument.ts";
import { translations } from "./translations.ts";

/** The resource URIs and security policy of one page in a webview, valid for a single document. */
export function pageUris(webview: vscode.Webview, extensionUri: vscode.Uri): PageUris {
  return {
    asset: (name) =>
      webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", "webview", name)).toString(),
    source: webview.cspSource,
    nonce: randomBytes(16).toString("base64"),
    language: vscode.env.language,
    translations: translations === undefined ? "" : JSON.stringify(translations),
  };
}
