import * as vscode from "vscode";
import type { SendChoice, SendQuestion } from "../../core/compose/send/sendQuestion.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import { shownTitle, untitled } from "../../core/conversation/conversationTitle.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import type { ReadyState } from "../../core/panel/readyMarks.ts";
import { chatLocations, chatSettings } from "../conversation/chatSettings.ts";
import type { ChatLocation } from "../conversation/chatSettings.ts";
import type { Sessions } from "../conversation/sessions.ts";
import { ChatPanel } from "./chatPanel.ts";
import type { ChatPanelContext } from "./chatPanelContext.ts";
import type { ChatSurface } from "./chatSurface.ts";
import { chatViewId } from "./chatViewType.ts";
import { EditorSurface, moveEditor, columnOfChats, lockGroupOfChat } from "./editorSurface.ts";
import type { ToWebview } from "../../core/panel/protocol.ts";
import { chatDocument } from "../../core/panel/pages/pageDocument.ts";
import { loadPage } from "../shell/webviewPage.ts";
import { showQuickPick } from "../shell/window.ts";

/** A chat as a view: in the secondary side bar, or wherever the user has dragged it. */
class ViewSurface implements ChatSurface {
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

/** The conversation that a page from an earlier session has shown. */
function conversationOf(state: unknown): string | undefined {
  return isRecord(state) ? stringField(state, "conversationId") : undefined;
}

async function rebuildView(): Promise<void> {
  await vscode.commands.executeCommand(`${chatViewId}.toggleVisibility`);
  await vscode.commands.executeCommand(`${chatViewId}.toggleVisibility`);
  // The view is the only one in its container, which closes with it.
  await vscode.commands.executeCommand(`${chatViewId}.open`, { preserveFocus: true });
}

/** How long to wait for the side bar's view, in milliseconds. After that, the chat opens as a tab. */
const viewPatienceMs = 5_000;

interface ChatPanelsContext extends ChatPanelContext {
  readonly extensionUri: vscode.Uri;
  /** Called when the user sees a conversation that may have been hidden before. */
  onSeen(conversationId: string): void;
}

/** All open chats: any number of tabs, and the view if the user wants one. */
export class ChatPanels implements vscode.Disposable {
  readonly #sessions: Sessions;
  readonly #context: ChatPanelsContext;
  /** The most recently used panel is the last one. */
  readonly #panels = new Set<ChatPanel>();
  /** The panels whose conversations are still being read. */
  readonly #opening = new Map<string, Promise<ChatPanel>>();
  readonly #onDidChangeActive = new vscode.EventEmitter<void>();
  readonly onDidChangeActive = this.#onDidChangeActive.event;
  readonly #onDidResolveView = new vscode.EventEmitter<void>();
  readonly #settingsWatch = vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration("inferenceGateway.chat")) this.updateSurroundings();
  });
  #view: vscode.WebviewView | undefined;
  /** The session that the view will show once VS Code has created it. */
  #wantedInView: ChatSession | undefined;

  constructor(sessions: Sessions, context: ChatPanelsContext) {
    this.#sessions = sessions;
    this.#context = context;
  }

  /** The chat that has the focus, otherwise the open one that had it last. */
  get active(): ChatPanel | undefined {
    return [...this.#panels].at(-1);
  }

  activeOrNew(): Promise<ChatPanel> {
    return this.active === undefined ? this.openNew() : Promise.resolve(this.active);
  }

  /** Opens a new conversation in the location from the settings, wherever the active chat is. */
  async openNew(session = this.#sessions.create()): Promise<ChatPanel> {
    return this.#show(session, chatSettings.chatLocation());
  }

  /**
   * Shows the conversation in the panel that already has it, otherwise in a new one at the location from the settings.
   */
  async open(conversationId: string): Promise<ChatPanel> {
    const existing = this.find(conversationId) ?? this.#opening.get(conversationId);
    if (existing === undefined) return this.#whileOpening(conversationId, this.#openStored(conversationId));
    const panel = await existing;
    panel.reveal();
    return panel;
  }

  async #openStored(conversationId: string): Promise<ChatPanel> {
    const session = await this.#sessions.open(conversationId);
    return this.#show(session, chatSettings.chatLocation(), session.state.title);
  }

  /** Lets whoever opens the conversation meanwhile, such as the second click of a double click, get the same panel. */
  async #whileOpening(conversationId: string, opening: Promise<ChatPanel>): Promise<ChatPanel> {
    this.#opening.set(conversationId, opening);
    return opening.finally(() => this.#opening.delete(conversationId));
  }

  /** The panel that shows the conversation. */
  find(conversationId: string): ChatPanel | undefined {
    return [...this.#panels].find((panel) => panel.session.id === conversationId);
  }

  /** Closes the tabs that show the conversation. A view continues with a different one. Returns whether it was open. */
  close(conversationId: string): boolean {
    const open = [...this.#panels].filter(({ session }) => session.id === conversationId);
    for (const panel of open) {
      if (panel.surface instanceof EditorSurface) panel.surface.close();
      else void this.#leaveView(panel);
    }
    return open.length > 0;
  }

  /** @param given Where to, for a keybinding. Otherwise, the user chooses. */
  async chooseAndMove(given: unknown): Promise<void> {
    const surface = this.active?.surface;
    const labels: Readonly<Record<ChatLocation, string>> = {
      editor: vscode.l10n.t("Editor Area"),
      side: vscode.l10n.t("To the Side"),
      window: vscode.l10n.t("New Window"),
      sideBar: vscode.l10n.t("Side Bar"),
    };
    const isEditor = surface instanceof EditorSurface;
    const here = isEditor ? ["editor", ...(surface.isApart ? ["window"] : [])] : ["sideBar"];
    const items = chatLocations
      .filter((location) => !here.includes(location))
      .map((location) => ({ label: labels[location], location }));
    const known = items.find(({ location }) => location === given);
    const picked = known ?? (await showQuickPick(items, { title: vscode.l10n.t("Move Chat") }));
    if (picked !== undefined) await this.#move(picked.location);
  }

  /** Asks about data that is sent while a response is in progress. If no panel can ask, secrets are masked. */
  async askWhileStreaming(conversationId: string, question: SendQuestion): Promise<SendChoice> {
    const panel = [...this.#panels].findLast(({ session }) => session.id === conversationId);
    return panel === undefined ? "mask" : panel.askWhileStreaming(question);
  }

  /** Whether a panel shows the session, or is about to. */
  isShown(session: ChatSession): boolean {
    return session === this.#wantedInView || [...this.#panels].some((panel) => panel.session === session);
  }

  /** Whether the conversation, or this message of it, is visible to the user. */
  isVisible(conversationId: string, messageId?: string): boolean {
    return [...this.#panels].some(
      ({ session, surface }) =>
        session.id === conversationId &&
        surface.isVisible &&
        (messageId === undefined || session.state.messages.some(({ id }) => id === messageId)),
    );
  }

  showMark(conversationId: string, mark: ReadyState | undefined): void {
    for (const { session, surface } of this.#panels) if (session.id === conversationId) surface.setMark(mark);
  }

  /** Notifies all pages that the models, the setup or the settings have changed. */
  updateSurroundings(): void {
    for (const panel of this.#panels) panel.updateSurroundings();
  }

  dispose(): void {
    this.#settingsWatch.dispose();
    this.#onDidResolveView.dispose();
    this.#onDidChangeActive.dispose();
    for (const panel of [...this.#panels]) panel.dispose();
  }

  /** Restores the conversation in a panel from an earlier session. Its page loads while the conversation is read. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const id = conversationOf(state);
    const filling = this.#fillTab(new EditorSurface(panel, this.#context.extensionUri), this.#stored(state));
    await (id === undefined ? filling : this.#whileOpening(id, filling));
  }

  /** Fills the view that VS Code has just built. */
  async resolveView(view: vscode.WebviewView, state: unknown): Promise<void> {
    this.#view = view;
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    const session = this.#wantedInView ?? (await this.#stored(state));
    this.#wantedInView = undefined;
    if (this.#view === view) this.#fillView(view, session);
    this.#onDidResolveView.fire();
  }

  async #stored(state: unknown): Promise<ChatSession> {
    const id = conversationOf(state);
    return id === undefined ? this.#sessions.create() : this.#sessions.open(id);
  }

  /** The tab opens at once, and its page loads while the session is created. */
  async #show(
    session: ChatSession | Promise<ChatSession>,
    location: ChatLocation,
    title = untitled,
  ): Promise<ChatPanel> {
    if (location === "sideBar") return this.#showInView(await session);
    const surfaces = [...this.#panels].map((panel) => panel.surface);
    const apart = surfaces.flatMap((other) =>
      other instanceof EditorSurface && other.isApart ? [other.viewColumn] : [],
    );
    const column = location === "side" ? vscode.ViewColumn.Beside : columnOfChats(new Set(apart));
    const surface = EditorSurface.open(shownTitle(title), column, this.#context.extensionUri);
    const panel = await this.#fillTab(surface, session, "focus").catch((error: unknown) => {
      if (!surface.isClosed) surface.close();
      throw error;
    });
    if (location === "window") await moveEditor(surface, "window");
    if (location === "side") void lockGroupOfChat();
    return panel;
  }

  /** Rejects with a CancellationError if the user has closed the tab in the meantime. */
  async #fillTab(
    surface: EditorSurface,
    opening: ChatSession | Promise<ChatSession>,
    then?: "focus",
  ): Promise<ChatPanel> {
    const session = await opening;
    if (surface.isClosed) {
      if (!this.isShown(session)) this.#sessions.release(session);
      throw new vscode.CancellationError();
    }
    const panel = this.#adopt(surface, session);
    // Its page may be ready already, and gets its snapshot as soon as this has run.
    if (then === "focus") panel.focusWhenReady();
    return panel;
  }

  async #showInView(session: ChatSession): Promise<ChatPanel> {
    this.#wantedInView = session;
    await vscode.commands.executeCommand(`${chatViewId}.focus`);
    // A view that has never been shown may be created after the command has finished.
    if (this.#view === undefined) await soon(this.#onDidResolveView.event, viewPatienceMs);
    this.#wantedInView = undefined;
    const shown = [...this.#panels].find((panel) => panel.session === session && isView(panel.surface));
    if (shown !== undefined) return shown;
    if (this.#view === undefined) return this.#show(session, "editor");
    return this.#fillView(this.#view, session);
  }

  #fillView(view: vscode.WebviewView, session: ChatSession): ChatPanel {
    const before = [...this.#panels].find((panel) => isView(panel.surface));
    const panel = this.#adopt(new ViewSurface(view, this.#context.extensionUri), session);
    if (before !== undefined) this.#remove(before);
    panel.focusWhenReady();
    return panel;
  }

  /** Moves the active chat, or a new one, to another location. */
  async #move(location: ChatLocation): Promise<void> {
    const from = this.active;
    if (from?.surface instanceof EditorSurface && location !== "sideBar")
      return moveEditor(from.surface, location);
    await this.#show(from?.session ?? this.#sessions.create(), location, from?.session.state.title);
    if (from?.surface instanceof EditorSurface) from.surface.close();
    // The view continues with a new chat.
    else if (from !== undefined && location !== "sideBar") await this.#leaveView(from);
  }

  async #leaveView(panel: ChatPanel): Promise<void> {
    const view = this.#view;
    const session = await this.#sessions.create();
    if (view === undefined) return;
    this.#adopt(new ViewSurface(view, this.#context.extensionUri), session);
    this.#remove(panel);
  }

  #adopt(surface: ChatSurface, session: ChatSession): ChatPanel {
    const panel = new ChatPanel(surface, session, this.#context);
    this.#panels.add(panel);
    panel.onDidUse(() => this.#use(panel));
    const noteIfSeen = (): void => {
      if (surface.isVisible) this.#context.onSeen(session.id);
    };
    surface.onDidChange(() => {
      if (surface.isActive) this.#use(panel);
      noteIfSeen();
    });
    noteIfSeen();
    surface.onDidDispose(() => this.#remove(panel));
    this.#onDidChangeActive.fire();
    return panel;
  }

  #use(panel: ChatPanel): void {
    if (!this.#panels.delete(panel)) return;
    this.#panels.add(panel);
    this.#onDidChangeActive.fire();
  }

  #remove(panel: ChatPanel): void {
    panel.dispose();
    if (!this.#panels.delete(panel)) return;
    const { session } = panel;
    void panel.whenPassed.then(() => {
      if (!this.isShown(session)) this.#sessions.release(session);
    });
    this.#onDidChangeActive.fire();
  }
}

/** Resolves when the event has fired, or after this many milliseconds. */
function soon(event: vscode.Event<void>, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const timer = setTimeout(done, patienceMs);
    const listener = event(done);
  });
}

function isView(surface: ChatSurface): boolean {
  return surface instanceof ViewSurface;
}
