import * as vscode from "vscode";
import { chatDocument } from "../../core/panel/pages/pageDocument.ts";
import { pageUris } from "../shell/pageUris.ts";

/** Loads the chat page into the webview, replacing any existing page. */
export function loadChatPage(webview: vscode.Webview, extensionUri: vscode.Uri): void {
  webview.options = {
    enableScripts: true,
    localResourceRoots: [vscode.Uri.joinPath(extensionUri, "dist", "webview")],
  };
  webview.html = chatDocument(pageUris(webview, extensionUri));
}
