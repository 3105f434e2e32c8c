import type * as vscode from "vscode";
import type { QueueView } from "../../core/compose/send/queueSender.ts";
import type { HeldMessage } from "../../core/compose/send/sendQuestion.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Draft } from "../../core/conversation/conversationStore.ts";
import { withPublished } from "../../core/conversation/prices.ts";
import { shownTitle } from "../../core/conversation/conversationTitle.ts";
import type { DeferredMessage } from "../../core/panel/frameCoalescer.ts";
import { DeferredMessages } from "../../core/panel/frameCoalescer.ts";
import type { PanelDraft } from "../../core/panel/panelDraft.ts";
import type { ToWebview } from "../../core/panel/protocol.ts";
import { SessionView } from "../../core/panel/sessionView.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import { schedule } from "../shell/pause.ts";
import type { ChatPanelContext } from "./chatPanelContext.ts";
import type { ChatSurface } from "./chatSurface.ts";
import { offerOtherDrafts } from "./settingsRequests.ts";

interface PageFeedContext {
  readonly surface: ChatSurface;
  readonly session: ChatSession;
  readonly panel: ChatPanelContext;
  readonly draft: PanelDraft;
  /** The message that is waiting for the user's decision. */
  held(): HeldMessage | undefined;
  /** The messages that wait for a response to end. */
  queue(): QueueView | undefined;
  reportError(error: unknown): void;
}

/**
 * The messages to one page: a complete snapshot whenever it is new, then the changes. A hidden page is disposed, and
 * what the user requests from it in the meantime is sent once it has been rebuilt.
 */
export class PageFeed implements vscode.Disposable {
  readonly #context: PageFeedContext;
  readonly #deferred = new DeferredMessages();
  readonly #listener: vscode.Disposable;
  #isPageThere = false;
  #view: SessionView | undefined;
  #tools: vscode.Disposable | undefined;
  #stopFollowing: () => void = () => undefined;
  #hasOfferedDrafts = false;

  constructor(context: PageFeedContext) {
    const { surface, session } = context;
    this.#context = context;
    this.#listener = surface.onDidChange(() => {
      if (!surface.isVisible) this.#isPageThere = false;
    });
    surface.setTitle(shownTitle(session.state.title));
  }

  post(message: ToWebview): void {
    const { surface } = this.#context;
    // A hidden page is disposed, and the next one starts with a snapshot of what has grown until then.
    if (message.type === "delta" && !surface.isVisible) return;
    if (message.type === "title") surface.setTitle(shownTitle(message.title));
    surface.post(message);
  }

  /** Posts this to the current page, or otherwise to the next one. */
  postOrDefer(message: DeferredMessage): void {
    if (this.#isPageThere) this.post(message);
    else this.#deferred.defer(message);
  }

  /** Posts this to the next page after its snapshot. */
  defer(message: DeferredMessage): void {
    this.#deferred.defer(message);
  }

  /** Sends everything that the page shows, because it is new or has lost something. */
  showSnapshot(): void {
    const { session, surface, panel, draft } = this.#context;
    this.#view?.dispose();
    this.#view = new SessionView(session, (message) => this.post(message), schedule);
    const setup = panel.models.setup.notice;
    const held = this.#context.held();
    const queue = this.#context.queue();
    this.showSettings();
    this.post({
      type: "snapshot",
      snapshot: {
        ...this.#view.snapshot(),
        draft: draft.load(),
        picker: panel.models.picker(session),
        ...(held === undefined ? {} : { held }),
        ...(queue === undefined ? {} : { queue }),
        ...(setup === undefined ? {} : { setup }),
      },
    });
    this.#followDrafts();
    this.#postTrouble();
    this.#tools?.dispose();
    this.#tools = panel.tools.watch(session, (tools) => this.post({ type: "tools", tools }));
    this.#isPageThere = surface.isVisible;
    for (const message of this.#deferred.take()) {
      if (message.type !== "focus" || surface.isVisible) this.post(message);
    }
  }

  /** Called when the models, the settings or the setup have changed. */
  updateSurroundings(): void {
    const { session, panel } = this.#context;
    this.showSettings();
    this.post({ type: "picker", picker: panel.models.picker(session) });
    const setup = panel.models.setup.notice;
    this.post(setup === undefined ? { type: "setup" } : { type: "setup", setup });
    this.#postTrouble();
  }

  /** Sends the settings that the page shows or uses, including after the page has shown a change that was declined. */
  showSettings(): void {
    this.post({ type: "behavior", behavior: chatSettings.pageBehavior() });
    const preferences = chatSettings.chatPreferences();
    const prices = withPublished(preferences.prices, this.#context.panel.models.catalog.current.models);
    this.post({ type: "preferences", preferences: { ...preferences, prices } });
  }

  dispose(): void {
    this.#stopFollowing();
    this.#listener.dispose();
    this.#view?.dispose();
    this.#view = undefined;
    this.#tools?.dispose();
  }

  /** Shows what other windows have in the same composer, or left there. */
  #followDrafts(): void {
    const { session, panel, draft, reportError } = this.#context;
    const show = (shown: Draft, over: string, isChosen: boolean): void =>
      this.post({ type: "draft", draft: shown, over, isChosen });
    this.#stopFollowing();
    this.#stopFollowing = draft.follow((shown, over) => show(shown, over, false), schedule);
    if (this.#hasOfferedDrafts) return;
    this.#hasOfferedDrafts = true;
    const takeChosen = (): void => {
      const over = draft.text;
      show(draft.load(), over, true);
    };
    offerOtherDrafts(session.id, panel.drafts, takeChosen).catch(reportError);
  }

  #postTrouble(): void {
    const sentence = this.#context.panel.storageTrouble();
    this.post(sentence === undefined ? { type: "storageTrouble" } : { type: "storageTrouble", sentence });
  }
}
