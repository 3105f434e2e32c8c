import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { logFailure } from "../../core/kernel/errors.ts";
import type { Log } from "../../core/kernel/log.ts";
import { PageMessages } from "../../core/kernel/pageMessages.ts";
import type { MessageHandlers, MessageRule } from "../../core/kernel/pageMessages.ts";
import type { PageUris } from "../../core/panel/pages/pageDocument.ts";

/** The icon of our tabs. */
export function tabIcon(extensionUri: vscode.Uri): { readonly light: vscode.Uri; readonly dark: vscode.Uri } {
  const icon = (name: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, "media", name);
  return { light: icon("activity.svg"), dark: icon("activity-dark.svg") };
}

/** Loads a page into the webview, replacing any existing page. */
export function loadPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  createDocument: (uris: PageUris) => string,
): void {
  const folder = vscode.Uri.joinPath(extensionUri, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  webview.html = createDocument({
    asset: (name) => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString(),
    source: webview.cspSource,
    nonce: randomBytes(16).toString("base64"),
    language: vscode.env.language,
    translations: vscode.l10n.bundle === undefined ? "" : JSON.stringify(vscode.l10n.bundle),
  });
}

/** Handles the messages of the page in the webview; what its rules refuse is ignored. */
export function receiveMessages<Message extends { readonly type: string }>(
  webview: vscode.Webview,
  rules: readonly MessageRule<Message>[],
  handlers: MessageHandlers<Message>,
  log: Log,
): vscode.Disposable {
  const now = (): number => performance.now();
  const onError = (error: unknown): void => logFailure(log, error);
  const messages = new PageMessages<Message>({ rules, handlers, now, onError });
  return webview.onDidReceiveMessage((message: unknown) => messages.receive(message));
}
