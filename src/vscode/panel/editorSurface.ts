import * as vscode from "vscode";
import type { ToWebview } from "../../core/panel/protocol.ts";
import type { ReadyState } from "../../core/panel/readyMarks.ts";
import type { ChatLocation } from "../conversation/chatSettings.ts";
import type { ChatSurface } from "./chatSurface.ts";
import { chatViewTypes } from "./chatViewType.ts";
import { chatDocument } from "../../core/panel/pages/pageDocument.ts";
import { loadPage, tabIcon } from "../shell/webviewPage.ts";

/** How the title of a tab shows that something has happened in the chat while it was hidden. */
const readyMarks: Readonly<Record<ReadyState, string>> = { complete: "✓", failed: "✗", waiting: "?" };

/** How long to wait for the tab, in milliseconds. */
const patienceMs = 1_500;

/**
 * If a chat to the side is alone in the active group, files should open next to it instead of in its group. The group
 * is locked, as VS Code does for terminals in the editor area. The user can unlock it with one click.
 */
export async function lockGroupOfChat(): Promise<void> {
  if (await isSoon(isChatAlone)) await vscode.commands.executeCommand("workbench.action.lockEditorGroup");
}

/**
 * Keeps chats together: a new one opens where another is visible, even in a group that is locked for everything else.
 * @param apart The columns in other windows, where a new one opens only if the user is there.
 */
export function columnOfChats(apart: ReadonlySet<vscode.ViewColumn | undefined>): vscode.ViewColumn {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const showing = all.filter(
    (group) => isChat(group.activeTab) && (group === activeTabGroup || !apart.has(group.viewColumn)),
  );
  const group = showing.find((candidate) => candidate === activeTabGroup) ?? showing.at(-1);
  return group?.viewColumn ?? vscode.ViewColumn.Active;
}

/** Whether the active tab is the only one of the only group, so that moving it would take its group along. */
function isAloneInWindow(): boolean {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  return all.length === 1 && activeTabGroup.tabs.length === 1;
}

function isChatAlone(): boolean {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  return all.length > 1 && activeTabGroup.tabs.length === 1 && isChat(activeTabGroup.activeTab);
}

function isChat(tab: vscode.Tab | undefined): boolean {
  if (!(tab?.input instanceof vscode.TabInputWebview)) return false;
  const { viewType } = tab.input;
  return chatViewTypes.some((type) => viewType.endsWith(type));
}

/** Whether the condition is met soon: tabs are reported shortly after they have moved. */
function isSoon(test: () => boolean): Promise<boolean> {
  if (test()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const { onDidChangeTabGroups, onDidChangeTabs } = vscode.window.tabGroups;
    const check = (isOver: boolean): void => {
      const isSo = test();
      if (!isSo && !isOver) return;
      clearTimeout(timer);
      listeners.dispose();
      resolve(isSo);
    };
    const timer = setTimeout(() => check(true), patienceMs);
    const listeners = vscode.Disposable.from(
      onDidChangeTabGroups(() => check(false)),
      onDidChangeTabs(() => check(false)),
    );
  });
}

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
  /** Whether it was moved into a window of its own: VS Code doesn't say which window a column is in. */
  isApart = false;

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

  get viewColumn(): vscode.ViewColumn | undefined {
    return this.#panel.viewColumn;
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

  /** In the title, so that screen readers announce it. In VS Code, a dot would mean that something isn't saved. */
  #showMark(): void {
    const mark = this.#mark === undefined ? "" : `${readyMarks[this.#mark]} `;
    this.#panel.title = `${mark}${this.#title}`;
  }

  #receive(message: unknown): void {
    if (this.#early === undefined) this.#received.fire(message);
    else if (this.#early.length < mostEarly) this.#early.push(message);
  }

  #adopt(): vscode.Disposable {
    const panel = this.#panel;
    panel.iconPath = tabIcon(this.#extensionUri);
    this.#showMark();
    const listeners = vscode.Disposable.from(
      panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      panel.onDidChangeViewState(() => this.#changed.fire()),
      panel.onDidDispose(() => {
        this.#isClosed = true;
        this.#disposed.fire();
      }),
    );
    loadPage(panel.webview, this.#extensionUri, chatDocument);
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
  surface.isApart = location === "window";
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
