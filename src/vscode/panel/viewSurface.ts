import * as vscode from "vscode";
import type { ReadyState } from "../../core/panel/readyMarks.ts";
import type { ToWebview } from "../../core/panel/protocol.ts";
import type { ChatSurface } from "./chatSurface.ts";
import { chatViewId } from "./chatViewType.ts";
import { chatDocument } from "../../core/panel/pages/pageDocument.ts";
import { loadPage } from "../shell/webviewPage.ts";

/** A chat as a view: in the secondary side bar, or wherever the user has dragged it. */
export class ViewSurface implements ChatSurface {
  readonly isActive = false;
  readonly #view: vscode.WebviewView;

  constructor(view: vscode.WebviewView, extensionUri: vscode.Uri) {
    this.#view = view;
    loadPage(view.webview, extensionUri, chatDocument);
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  setTitle(title: string): void {
    this.#view.description = title;
  }

  setMark(mark: ReadyState | undefined): void {
    const tooltip = vscode.l10n.t("New activity in this chat");
    this.#view.badge = mark === undefined ? undefined : { value: 1, tooltip };
  }

  post(message: ToWebview): void {
    void this.#view.webview.postMessage(message);
  }

  reveal(): void {
    this.#view.show(false);
  }

  /** Hides and shows the view again: VS Code then resolves it again with a new frame. */
  rebuild(): void {
    void rebuildView();
  }

  onDidReceive(listener: (message: unknown) => void): vscode.Disposable {
    return this.#view.webview.onDidReceiveMessage(listener);
  }

  onDidChange(listener: () => void): vscode.Disposable {
    return this.#view.onDidChangeVisibility(listener);
  }

  onDidDispose(listener: () => void): vscode.Disposable {
    return this.#view.onDidDispose(listener);
  }
}

async function rebuildView(): Promise<void> {
  await vscode.commands.executeCommand(`${chatViewId}.toggleVisibility`);
  await vscode.commands.executeCommand(`${chatViewId}.toggleVisibility`);
  // The view is the only one in its container, which closes with it.
  await vscode.commands.executeCommand(`${chatViewId}.open`, { preserveFocus: true });
}
