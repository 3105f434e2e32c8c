import * as vscode from "vscode";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Composition } from "../../core/compose/context/contextProtocol.ts";
import { asksModel } from "../../core/panel/pageActions.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { parseFileLink } from "../../core/kernel/fileLink.ts";
import { logFailure } from "../../core/kernel/errors.ts";
import { PanelDraft } from "../../core/panel/panelDraft.ts";
import { fromWebview } from "../../core/panel/protocol.ts";
import type { FromWebview, PageMessage, ToWebview } from "../../core/panel/protocol.ts";
import { PageMessages } from "../../core/kernel/pageMessages.ts";
import { SingleRuns } from "../../core/kernel/singleRuns.ts";
import type { MessageHandlers } from "../../core/kernel/pageMessages.ts";
import { Outbox } from "../../core/compose/send/outbox.ts";
import type { SendChoice, SendQuestion, HeldMessage } from "../../core/compose/send/sendQuestion.ts";
import type { SettingsField } from "../../core/panel/settings/settingsForm.ts";
import { PanelAttachments } from "../compose/attachments/panelAttachments.ts";
import type { ChatPanelContext } from "./chatPanelContext.ts";
import type { ChatSurface } from "./chatSurface.ts";
import type { ContextSuggestions } from "../compose/context/contextSuggestions.ts";
import type { PanelMeter } from "../compose/meter/meters.ts";
import { openFileLink, openLink } from "../shell/openLink.ts";
import { returnFocusAfterDialogs, showErrorMessage } from "../shell/window.ts";
import { PageBoundary } from "./pageBoundary.ts";
import {
  deletePreset,
  savePreset,
  setDefaultPreset,
  withoutNewTools,
  offerOtherDrafts,
} from "./settingsRequests.ts";
import type { Log } from "../../core/kernel/log.ts";
import { WatchdogState } from "../../core/panel/watchdogState.ts";
import { schedule } from "../shell/pause.ts";
import type { QueueView } from "../../core/compose/send/queueSender.ts";
import type { Draft } from "../../core/conversation/conversationStore.ts";
import { withPublished } from "../../core/conversation/prices.ts";
import { shownTitle } from "../../core/conversation/conversationTitle.ts";
import type { DeferredMessage } from "../../core/panel/frameCoalescer.ts";
import { DeferredMessages } from "../../core/panel/frameCoalescer.ts";
import { SessionView } from "../../core/panel/sessionView.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

/** What exists only on the page of a conversation. VS Code keeps it for the same tab, but not for the one after a move. */
const pageStates = new WeakMap<ChatSession, string>();

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
class PageFeed implements vscode.Disposable {
  readonly #context: PageFeedContext;
  readonly #deferred = new DeferredMessages();
  readonly #listener: vscode.Disposable;
  #isPageThere = false;
  #view: SessionView | undefined;
  #tools: vscode.Disposable | undefined;
  #stopFollowing: () => void = () => undefined;
  #hasOfferedDrafts = false;
  #isDisposed = false;

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
    // The page no longer exists, or shows a different conversation.
    if (this.#isDisposed) return;
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
    if (this.#isDisposed) return;
    const { session, surface, panel, draft } = this.#context;
    this.#view?.dispose();
    this.#view = new SessionView(session, (message) => this.post(message), schedule);
    const setup = panel.models.setup.notice;
    const held = this.#context.held();
    const queue = this.#context.queue();
    const pageState = pageStates.get(session);
    this.showSettings();
    this.post({
      type: "snapshot",
      snapshot: {
        ...this.#view.snapshot(),
        draft: draft.load(),
        picker: panel.models.picker(session),
        ...filledFields({ pageState, held, queue, setup }),
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
    this.#isDisposed = true;
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
    offerOtherDrafts(session.id, panel.drafts(), takeChosen).catch(reportError);
  }

  #postTrouble(): void {
    const sentence = this.#context.panel.storageTrouble();
    this.post(sentence === undefined ? { type: "storageTrouble" } : { type: "storageTrouble", sentence });
  }
}

/** Notices when a visible surface's page has died, and rebuilds it. It has to hear of every message from the page. */
function watchPage(surface: ChatSurface, log: Log): vscode.Disposable & Pick<WatchdogState, "noteMessage"> {
  const state = new WatchdogState({
    now: () => performance.now(),
    schedule,
    ask: () => surface.post({ type: "ping" }),
    // Setting a context key makes a round trip to the window and has no other effect.
    pingWindow: () => vscode.commands.executeCommand("setContext", "inferenceGateway.chat.asked", true),
    rebuild: () => {
      log.warn("A chat page doesn't respond and is being rebuilt.");
      surface.rebuild();
    },
    giveUp: () => {
      log.error("A chat page stopped responding several times and isn't rebuilt anymore.");
      void showErrorMessage(
        vscode.l10n.t(
          "The chat isn't responding. The conversation is safe. Close the chat and open it again.",
        ),
      );
    },
  });
  // VS Code rebuilds the page when it is shown again or moved.
  const look = (): void => (surface.isVisible ? state.start() : state.stop());
  const listener = surface.onDidChange(look);
  look();
  return {
    noteMessage: () => state.noteMessage(),
    dispose: () => {
      state.stop();
      listener.dispose();
    },
  };
}

/** Milliseconds after which the messages of an opened conversation are searched for secrets. */
const aheadDelayMs = 1_000;

/**
 * One page that shows one conversation, on any surface. The page is disposable: whenever it sends `ready`, it gets a
 * complete snapshot, and deltas only ever follow a snapshot.
 */
export class ChatPanel implements vscode.Disposable {
  readonly session: ChatSession;
  readonly surface: ChatSurface;
  readonly #context: ChatPanelContext;
  readonly #boundary: PageBoundary;
  readonly #watch: ReturnType<typeof watchPage>;
  readonly #disposables: vscode.Disposable[];
  readonly #actions = new SingleRuns();
  #aheadTimer: NodeJS.Timeout | undefined;
  #isDisposed = false;
  /** Whether the page has the focus, as far as it has reported it. */
  #hasFocus = false;
  readonly #onDidUse = new vscode.EventEmitter<void>();
  /** The user has moved the focus into the page. */
  readonly onDidUse = this.#onDidUse.event;
  readonly #outbox: Outbox;
  readonly #meter: PanelMeter;
  readonly #feed: PageFeed;
  readonly #suggestions: ContextSuggestions;
  readonly #draft: PanelDraft;
  readonly #attachments: PanelAttachments;
  readonly #messages: PageMessages<FromWebview>;

  constructor(surface: ChatSurface, session: ChatSession, context: ChatPanelContext) {
    this.session = session;
    this.surface = surface;
    this.#context = context;
    this.#boundary = new PageBoundary({ log: context.log, messages: () => session.state.messages });
    this.#draft = new PanelDraft(session, context.drafts());
    this.#feed = new PageFeed({
      surface,
      session,
      panel: context,
      draft: this.#draft,
      held: () => this.#outbox.held,
      queue: () => this.#outbox.queue,
      reportError: (error) => logFailure(context.log, error),
    });
    this.#suggestions = context.createSuggestions(session, (message) => this.#feed.post(message));
    this.#attachments = new PanelAttachments(
      (message) => this.#feed.post(message),
      (uris, origin) => this.#suggestions.attach(uris, origin),
    );
    this.#watch = watchPage(surface, context.log);
    this.#messages = new PageMessages<FromWebview>({
      rules: fromWebview,
      handlers: this.#createHandlers(),
      now: () => performance.now(),
      onRefused: (refusal, raw) => {
        this.#boundary.noteRefusal(refusal);
        // The page waits for the outcome of these messages.
        if (isRecord(raw) && (raw["type"] === "send" || raw["type"] === "edit")) this.#outbox.returnRefused();
      },
      onError: (error) => logFailure(context.log, error),
    });
    this.#disposables = [
      this.#watch,
      this.#onDidUse,
      surface.onDidReceive((message) => this.#receive(message)),
      surface.onDidDispose(() => this.dispose()),
      returnFocusAfterDialogs(
        () => this.#hasFocus,
        () => surface.reveal(),
      ),
    ];
    this.#meter = context.meters.create(
      session,
      () => context.models.picker(session).selected,
      (message) => this.#feed.post(message),
    );
    this.#outbox = new Outbox({
      session,
      gate: context.gate,
      queue: context.queueOf(session),
      draft: this.#draft,
      confirm: (question) => this.#boundary.maySend(question),
      findTooLong: (outgoing) => this.#meter.findTooLong(outgoing),
      offered: () => context.models.picker(session),
      selectModel: (modalities) => context.models.pick(session, modalities),
      post: (message) => this.#feed.post(message),
      reportError: (error) => logFailure(context.log, error),
    });
  }

  reveal(): void {
    this.#feed.postOrDefer({ type: "focus" });
    this.surface.reveal();
  }

  /** Scrolls to the message, whichever path it is on, and to the first match of the words in it. */
  showMessage(messageId: string, words: readonly string[]): void {
    const { session } = this;
    if (session.state.find(messageId) === undefined) return;
    if (!session.state.messages.some(({ id }) => id === messageId)) session.selectVersion(messageId);
    this.#feed.postOrDefer({ type: "showMessage", messageId, words });
  }

  /** Focuses the composer as soon as the page is ready, because the user has just opened the panel. */
  focusWhenReady(): void {
    this.#feed.defer({ type: "focus" });
  }

  /** Adds to the draft and shows it. */
  compose(composition: Composition): void {
    if (composition.foreign !== undefined) this.session.noteForeign(composition.foreign);
    this.#feed.postOrDefer({ type: "compose", ...composition });
    this.reveal();
  }

  /** Sends a message of the user that wasn't written in the page. If it is held, the composer contains it. */
  ask({ text, parts }: Composition): void {
    this.#outbox.send({ text, attachments: parts });
    this.reveal();
  }

  /** Asks about data that is sent while a response is in progress, such as a tool's result. */
  askWhileStreaming(question: SendQuestion): Promise<SendChoice> {
    return this.#outbox.askWhileStreaming(question);
  }

  /** Opens the form with the settings of the conversation. */
  editSettings(field: SettingsField): void {
    this.#feed.postOrDefer({ type: "editSettings", field });
    this.reveal();
  }

  /** Called when the models, the settings or the setup have changed. */
  updateSurroundings(): void {
    this.#feed.updateSurroundings();
    this.#meter.update();
  }

  /** Asks for several models to respond to the draft, or to the user's last message. */
  async compareModels(draft = this.#draft.load()): Promise<void> {
    const models = await this.#context.models.chooseSeveral(this.session, draft);
    if (models !== undefined)
      this.#outbox.askForSeveral(draft, (passed) => this.session.compare(models, passed));
  }

  /** Resolves when nothing that the user has sent is being checked anymore. */
  get whenPassed(): Promise<void> {
    return this.#outbox.whenPassed;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#aheadTimer);
    this.#outbox.dispose();
    this.#meter.dispose();
    this.#suggestions.dispose();
    this.#feed.dispose();
    for (const disposable of this.#disposables.splice(0)) disposable.dispose();
  }

  #receive(raw: unknown): void {
    this.#watch.noteMessage();
    this.#messages.receive(raw);
  }

  #createHandlers(): MessageHandlers<FromWebview> {
    const { session } = this;
    const { tools, models, queueOf, runAction, whenReady, log } = this.#context;
    const queue = queueOf(session);
    const confirm = (...words: Parameters<PageBoundary["mayChangePresets"]>): Promise<boolean> =>
      this.#boundary.mayChangePresets(...words);
    return {
      ready: async () => {
        await whenReady();
        this.#showSnapshot();
        this.#searchAhead();
      },
      ping: () => this.#feed.post({ type: "pong" }),
      pong: () => undefined,
      pageError: ({ message }) => log.error(`Error in the chat page: ${message}`),
      focused: () => {
        this.#hasFocus = true;
        this.#onDidUse.fire();
      },
      blurred: () => void (this.#hasFocus = false),
      send: (message) => this.#outbox.send(message),
      edit: ({ messageId, ...edited }) => this.#outbox.edit(messageId, edited),
      compare: (draft) => this.compareModels(draft),
      draft: (draft) => this.#draft.keep(draft),
      pageState: ({ state }) => void pageStates.set(session, state),
      pasted: ({ text }) => session.noteForeign({ place: vscode.l10n.t("pasted text"), text }),
      answerSend: ({ questionId, choice }) => this.#outbox.answer(questionId, choice),
      queueSend: ({ messageId }) => this.#outbox.sendQueued(messageId),
      queueRemove: ({ messageId }) => queue.remove(messageId),
      queueEdit: ({ messageId, text }) => queue.edit(messageId, text),
      queueMove: ({ messageId, index }) => queue.move(messageId, index),
      stop: ({ messageId }) => session.stop(messageId),
      retryNow: () => session.retryNow(),
      messageAction: (message) => this.#runMessageAction(message),
      action: ({ id, messageId }) =>
        id === "retry"
          ? this.#outbox.again(() => session.retry())
          : runAction(id, messageId === undefined ? undefined : session.state.find(messageId)?.error),
      toolAnswer: (message) => tools.answer(session, message),
      openToolArguments: ({ messageId, callId }) => tools.openArguments(session, messageId, callId),
      selectModel: ({ model }) => session.selectModel(model),
      pickModel: ({ modalities }) => models.pick(session, modalities),
      changeSettings: ({ settings }) => session.changeSettings(withoutNewTools(session, settings)),
      savePreset: (message) => this.#changePresets(savePreset(message, confirm)),
      deletePreset: ({ name }) => this.#changePresets(deletePreset(name, confirm)),
      setDefaultPreset: ({ name }) => this.#changePresets(setDefaultPreset(name, confirm)),
      copy: ({ text }) => this.#boundary.copy(text),
      openLink: ({ href }) => this.#openLink(href),
      loadImage: ({ url }) => this.#loadImage(url),
      code: (message) => this.#runCode(message),
      pickFiles: () => this.#attachments.pick(),
      readFiles: ({ uris }) => this.#attachments.read(uris),
      suggest: (message) => this.#suggestions.suggest(message),
      suggestEnd: () => this.#suggestions.end(),
      pickSuggestion: ({ id }) => this.#suggestions.pick(id),
      attachText: (message) => this.#suggestions.attachText(message),
      openContext: (message) => this.#suggestions.open(message),
    };
  }

  /** The page may have shown a change that was declined, so it gets the presets again. */
  async #changePresets(change: Promise<void>): Promise<void> {
    await change;
    this.#feed.showSettings();
  }

  async #loadImage(url: string): Promise<void> {
    const image = (await this.#boundary.showsImage(url))
      ? await this.#context.loadImage(url)
      : { error: vscode.l10n.t("This image isn't part of the conversation and wasn't loaded.") };
    this.#feed.post({ type: "image", url, image });
  }

  async #openLink(href: string): Promise<void> {
    const file = parseFileLink(href);
    if (file !== undefined) return openFileLink(file);
    if (await this.#boundary.mayOpen(href)) await openLink(href);
  }

  /** Anything that runs or writes is confirmed by a dialog or diff of its own. Inserting isn't. */
  async #runCode(request: PageMessage<"code">): Promise<void> {
    if (request.action === "insert" && !(await this.#boundary.mayInsert(request.code))) return;
    this.#context.runCodeAction(request);
  }

  #runMessageAction({ action, messageId }: PageMessage<"messageAction">): Promise<unknown> | void {
    const message = this.session.state.find(messageId);
    if (message === undefined) return;
    const reply = (checked: ToWebview): void => this.#feed.post(checked);
    const run = () => this.#context.messageSteps[action](this.session, message, reply);
    if (asksModel(action)) return this.#outbox.again(run);
    // A double click would ask twice where to save, for example.
    return this.#actions.run(`${action} ${messageId}`, async () => void (await run()));
  }

  /** Once, as soon as the page had time to show the conversation. */
  #searchAhead(): void {
    if (this.#aheadTimer !== undefined) return;
    this.#aheadTimer = setTimeout(() => {
      const { gate, log, queueOf } = this.#context;
      const { state } = this.session;
      const queue = queueOf(this.session);
      // What is sent meanwhile is searched by itself, and doesn't wait for the rest.
      const isWanted = (): boolean => !this.#isDisposed && !queue.isSending && !state.isStreaming;
      gate.searchAhead(state.messages, isWanted).catch((error: unknown) => logFailure(log, error));
    }, aheadDelayMs).unref();
  }

  #showSnapshot(): void {
    this.#feed.showSnapshot();
    this.#meter.update();
  }
}
