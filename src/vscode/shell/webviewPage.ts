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

/** The panels of a page in the editor area. There is one per window, which a second call brings to the front. */
export class PagePanels implements vscode.Disposable {
  readonly #viewType: string;
  readonly #title: string;
  readonly #run: (panel: vscode.WebviewPanel) => vscode.Disposable;
  readonly #panels = new Map<vscode.WebviewPanel, vscode.Disposable>();

  /** @param run Runs the page of a new panel. */
  constructor(viewType: string, title: string, run: (panel: vscode.WebviewPanel) => vscode.Disposable) {
    this.#viewType = viewType;
    this.#title = title;
    this.#run = run;
  }

  show(): void {
    const [open] = this.#panels.keys();
    if (open !== undefined) return open.reveal();
    this.adopt(vscode.window.createWebviewPanel(this.#viewType, this.#title, vscode.ViewColumn.Active));
  }

  /** Runs a new panel, or one from the last session, whose page remembers what it has shown. */
  adopt(panel: vscode.WebviewPanel): void {
    this.#panels.set(panel, this.#run(panel));
    panel.onDidDispose(() => {
      this.#panels.get(panel)?.dispose();
      this.#panels.delete(panel);
    });
  }

  dispose(): void {
    for (const page of this.#panels.values()) page.dispose();
  }
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
