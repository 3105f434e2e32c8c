import * as vscode from "vscode";
import type { ReadyState } from "../../core/panel/readyMarks.ts";
import type { ToWebview } from "../../core/panel/protocol.ts";
import type { ChatLocation } from "../conversation/chatSettings.ts";
import type { ChatSurface } from "./chatSurface.ts";
import { chatViewTypes } from "./chatViewType.ts";
import { isAloneInWindow, lockGroupOfChat } from "./sideGroup.ts";
import { loadChatPage } from "./webviewSetup.ts";

/** A page sends one or two messages before it gets a reply. */
const mostEarly = 20;

/** A chat in an editor tab, in any group and window. */
export class EditorSurface implements ChatSurface {
  readonly #extensionUri: vscode.Uri;
  readonly #received = new vscode.EventEmitter<unknown>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly onDidDispose = this.#disposed.event;
  #panel: vscode.WebviewPanel;
  #title: string;
  #mark: ReadyState | undefined;
  #listeners: vscode.Disposable;
  /** What the page has sent before anything listens: its page loads while the conversation is being read. */
  #early: unknown[] | undefined = [];
  #isClosed = false;

  constructor(panel: vscode.WebviewPanel, extensionUri: vscode.Uri) {
    this.#extensionUri = extensionUri;
    this.#panel = panel;
    this.#title = panel.title;
    this.#listeners = this.#adopt();
  }

  static open(title: string, viewColumn: vscode.ViewColumn, extensionUri: vscode.Uri): EditorSurface {
    return new EditorSurface(
      createPanel(chatViewTypes[0], title, { viewColumn, preserveFocus: false }),
      extensionUri,
    );
  }

  /** Whether the tab no longer exists. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The first listener gets everything from the start, once it is set up. */
  onDidReceive(listener: (message: unknown) => void): vscode.Disposable {
    const early = this.#early ?? [];
    this.#early = undefined;
    if (early.length > 0) queueMicrotask(() => early.forEach((message) => this.#received.fire(message)));
    return this.#received.event(listener);
  }

  get isVisible(): boolean {
    return this.#panel.visible;
  }

  get isActive(): boolean {
    return this.#panel.active;
  }

  setTitle(title: string): void {
    this.#title = title;
    this.#showMark();
  }

  setMark(mark: ReadyState | undefined): void {
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.#showMark();
  }

  post(message: ToWebview): void {
    void this.#panel.webview.postMessage(message);
  }

  /** Without a column, it stays where it is. */
  reveal(viewColumn?: vscode.ViewColumn): void {
    this.#panel.reveal(viewColumn);
  }

  /**
   * A page whose process hangs doesn't accept new content, and a page of the same site would get the same process.
   * Instead, a tab of the other type replaces this one.
   */
  rebuild(): void {
    const old = this.#panel;
    const options = { viewColumn: old.viewColumn ?? vscode.ViewColumn.Active, preserveFocus: !old.active };
    this.#listeners.dispose();
    this.#panel = createPanel(otherViewType(old.viewType), this.#title, options);
    this.#listeners = this.#adopt();
    old.dispose();
  }

  /** Called when the chat has moved elsewhere. */
  close(): void {
    this.#panel.dispose();
  }

  /** Icons differ in shape as well, and the dot is also in the title, so that screen readers announce it. */
  #showMark(): void {
    const icon = (name: string): vscode.Uri => vscode.Uri.joinPath(this.#extensionUri, "media", name);
    const mark = this.#mark;
    this.#panel.title = mark === undefined ? this.#title : `● ${this.#title}`;
    this.#panel.iconPath =
      mark === undefined
        ? { light: icon("activity.svg"), dark: icon("activity-dark.svg") }
        : icon(`ready-${mark}.svg`);
  }

  #receive(message: unknown): void {
    if (this.#early === undefined) this.#received.fire(message);
    else if (this.#early.length < mostEarly) this.#early.push(message);
  }

  #adopt(): vscode.Disposable {
    const panel = this.#panel;
    this.#showMark();
    const listeners = vscode.Disposable.from(
      panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      panel.onDidChangeViewState(() => this.#changed.fire()),
      panel.onDidDispose(() => {
        this.#isClosed = true;
        this.#disposed.fire();
      }),
    );
    loadChatPage(panel.webview, this.#extensionUri);
    return listeners;
  }
}

/** Moves the tab of a chat to another group or window. */
export async function moveEditor(surface: EditorSurface, location: ChatLocation): Promise<void> {
  if (location === "side" && isAloneInWindow()) {
    await vscode.commands.executeCommand("workbench.action.newGroupLeft");
    surface.reveal();
  } else surface.reveal(location === "side" ? vscode.ViewColumn.Beside : undefined);
  if (location === "side") await lockGroupOfChat();
  if (location === "window") await vscode.commands.executeCommand("workbench.action.moveEditorToNewWindow");
}

function otherViewType(viewType: string): string {
  // VS Code adds a prefix of its own.
  return viewType.endsWith(chatViewTypes[0]) ? chatViewTypes[1] : chatViewTypes[0];
}

function createPanel(
  viewType: string,
  title: string,
  options: { readonly viewColumn: vscode.ViewColumn; readonly preserveFocus: boolean },
): vscode.WebviewPanel {
  // Disables VS Code's own search, which would find only what is near the visible part. The page has its own.
  return vscode.window.createWebviewPanel(viewType, title, options);
}
