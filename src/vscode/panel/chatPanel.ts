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
import type { MessageHandlers } from "../../core/kernel/pageMessages.ts";
import { Outbox } from "../../core/compose/send/outbox.ts";
import type { SendChoice, SendQuestion } from "../../core/compose/send/sendQuestion.ts";
import type { SettingsField } from "../../core/panel/settings/settingsForm.ts";
import { PanelAttachments } from "../compose/attachments/panelAttachments.ts";
import type { ChatPanelContext } from "./chatPanelContext.ts";
import type { ChatSurface } from "./chatSurface.ts";
import type { ContextSuggestions } from "../compose/context/contextSuggestions.ts";
import type { PanelMeter } from "../compose/meter/meters.ts";
import { openFileLink, openLink } from "../shell/openLink.ts";
import { returnFocusAfterDialogs } from "../shell/window.ts";
import { PageBoundary } from "./pageBoundary.ts";
import { watchPage } from "./webviewWatchdog.ts";
import { PageFeed } from "./pageFeed.ts";
import { deletePreset, savePreset, setDefaultPreset, withoutNewTools } from "./settingsRequests.ts";

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
    this.#draft = new PanelDraft(session.id, context.drafts);
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
    this.#watch = watchPage(surface, context.rebuiltAt, context.log);
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
      draft: (draft) => this.#draft.receive(draft),
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
    return asksModel(action) ? this.#outbox.again(run) : run();
  }

  /** Once, as soon as the page had time to show the conversation. */
  #searchAhead(): void {
    if (this.#aheadTimer !== undefined) return;
    this.#aheadTimer = setTimeout(() => {
      const { gate, log } = this.#context;
      const isWanted = (): boolean => !this.#isDisposed;
      gate
        .searchAhead(this.session.state.messages, isWanted)
        .catch((error: unknown) => logFailure(log, error));
    }, aheadDelayMs).unref();
  }

  #showSnapshot(): void {
    this.#feed.showSnapshot();
    this.#meter.update();
  }
}
