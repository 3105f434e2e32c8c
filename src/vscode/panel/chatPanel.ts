import * as vscode from "vscode";
import { assertNever } from "../../core/kernel/assertNever.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { CodeRequest } from "../../core/responses/code/codeRequest.ts";
import type { Composition } from "../../core/compose/context/contextProtocol.ts";
import { asksModel } from "../../core/panel/pageActions.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { logFailure } from "../../core/kernel/errors.ts";
import { PanelDraft } from "../../core/panel/panelDraft.ts";
import type { MessageAction } from "../../core/panel/pageActions.ts";
import type { FromWebview, ToWebview } from "../../core/panel/protocol.ts";
import { Outbox } from "../../core/compose/send/outbox.ts";
import type { SendChoice, SendQuestion } from "../../core/compose/send/sendQuestion.ts";
import type { SettingsField } from "../../core/panel/settings/settingsForm.ts";
import { PanelAttachments } from "../compose/attachments/panelAttachments.ts";
import type { ChatPanelContext } from "./chatPanelContext.ts";
import type { ChatSurface } from "./chatSurface.ts";
import type { ContextSuggestions } from "../compose/context/contextSuggestions.ts";
import type { PanelMeter } from "../compose/meter/meters.ts";
import { openLink } from "../shell/openLink.ts";
import { PageBoundary } from "./pageBoundary.ts";
import { WebviewWatchdog } from "./webviewWatchdog.ts";
import { PageFeed } from "./pageFeed.ts";
import { runSettingsRequest } from "./settingsRequests.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";

/**
 * One page that shows one conversation, on any surface. The page is disposable: whenever it sends `ready`, it gets a
 * complete snapshot, and deltas only ever follow a snapshot.
 */
export class ChatPanel implements vscode.Disposable {
  readonly session: ChatSession;
  readonly surface: ChatSurface;
  readonly #context: ChatPanelContext;
  readonly #boundary: PageBoundary;
  readonly #watch: WebviewWatchdog;
  readonly #disposables: vscode.Disposable[];
  readonly #onDidUse = new vscode.EventEmitter<void>();
  /** The user has moved the focus into the page. */
  readonly onDidUse = this.#onDidUse.event;
  readonly #outbox: Outbox;
  readonly #meter: PanelMeter;
  readonly #feed: PageFeed;
  readonly #suggestions: ContextSuggestions;
  readonly #draft: PanelDraft;
  readonly #attachments: PanelAttachments;

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
      onStreaming: () => this.#watch.becameBusy(),
      reportError: (error) => logFailure(context.log, error),
    });
    this.#suggestions = context.createSuggestions(session, (message) => this.#feed.post(message));
    this.#attachments = new PanelAttachments(
      (message) => this.#feed.post(message),
      (uris, origin) => this.#suggestions.attach(uris, origin),
    );
    this.#watch = new WebviewWatchdog(surface, {
      log: context.log,
      rebuilds: context.rebuilds(session.id),
      isBusy: () => session.state.isStreaming,
    });
    this.#disposables = [
      this.#watch,
      this.#onDidUse,
      surface.onDidReceive((message) => this.#receive(message)),
      surface.onDidDispose(() => this.dispose()),
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

  get isActive(): boolean {
    return this.surface.isActive;
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
    this.#feed.postOrDefer({ type: "compose", ...composition });
    this.reveal();
  }

  /** Sends a message of the user that wasn't written in the page. If it is held, the composer contains it. */
  ask({ text, parts }: Composition): void {
    this.#outbox.handle({ type: "send", text, attachments: parts });
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
    this.#outbox.dispose();
    this.#meter.dispose();
    this.#suggestions.dispose();
    this.#feed.dispose();
    for (const disposable of this.#disposables.splice(0)) disposable.dispose();
  }

  #receive(raw: unknown): void {
    this.#watch.noteMessage();
    const message = this.#boundary.admit(raw);
    if (message !== undefined) this.#handle(message);
    else if (isSending(raw)) this.#outbox.returnRefused();
  }

  #handle(message: FromWebview): void {
    const { session } = this;
    switch (message.type) {
      case "ready":
        return void this.#context.whenReady().then(() => this.#showSnapshot());
      case "ping":
      case "pong":
      case "pageError":
        return this.#watch.handle(message);
      case "focused":
        return this.#onDidUse.fire();
      case "send":
      case "edit":
      case "answerSend":
      case "queue":
        return this.#outbox.handle(message);
      case "compare":
        return void this.compareModels({ text: message.text, attachments: message.attachments });
      case "stop":
        return session.stop(message.messageId);
      case "messageAction":
        return this.#runMessageAction(message.action, message.messageId);
      case "toolAnswer":
      case "openToolArguments":
        return this.#context.tools.handle(session, message);
      case "retryNow":
        return session.retryNow();
      case "selectModel":
        return session.selectModel(message.model);
      case "action":
        if (message.id === "retry") return this.#outbox.again(() => session.retry());
        return this.#context.runAction(message.id, this.#errorOf(message.messageId));
      case "changeSettings":
      case "changePresets":
        return this.#run(
          runSettingsRequest(session, message, {
            confirm: (change) => this.#boundary.mayChangePresets(change),
            showAgain: () => this.#feed.showSettings(),
          }),
        );
      case "copy":
        return this.#run(this.#boundary.copy(message.text));
      case "openLink":
        return this.#run(this.#openLink(message.href));
      case "loadImage":
        return this.#run(this.#loadImage(message.url));
      case "code":
        return this.#run(this.#runCode(message));
      case "draft":
        return this.#draft.receive(message);
      case "pickFiles":
      case "readFiles":
        return this.#run(this.#attachments.handle(message));
      case "suggest":
      case "suggestEnd":
      case "pickSuggestion":
      case "attachText":
      case "openContext":
        return this.#suggestions.handle(message);
      case "pickModel":
        return void this.#context.models.pick(session, message.modalities);
      default:
        return assertNever(message);
    }
  }

  #errorOf(messageId: string | undefined): ErrorFacts | undefined {
    return messageId === undefined ? undefined : this.session.state.find(messageId)?.error;
  }

  async #loadImage(url: string): Promise<void> {
    const image = (await this.#boundary.showsImage(url))
      ? await this.#context.loadImage(url)
      : { error: vscode.l10n.t("This image isn't part of the conversation and wasn't loaded.") };
    this.#feed.post({ type: "image", url, image });
  }

  async #openLink(href: string): Promise<void> {
    if (await this.#boundary.mayOpen(href)) await openLink(href);
  }

  /** Anything that runs or writes is confirmed by a dialog or diff of its own. Inserting isn't. */
  async #runCode(request: CodeRequest): Promise<void> {
    if (request.action === "insert" && !(await this.#boundary.mayInsert(request.code))) return;
    this.#context.runCodeAction(request);
  }

  #run(step: Promise<void>): void {
    step.catch((error: unknown) => logFailure(this.#context.log, error));
  }

  #runMessageAction(action: MessageAction, messageId: string): void {
    const reply = (message: ToWebview): void => this.#feed.post(message);
    const run = (): void => this.#context.runMessageAction(this.session, action, messageId, reply);
    if (asksModel(action)) this.#outbox.again(run);
    else run();
  }

  #showSnapshot(): void {
    this.#feed.showSnapshot();
    this.#meter.update();
  }
}

/** Whether the page waits for the outcome of this message, which returns to the composer if it is rejected. */
function isSending(raw: unknown): boolean {
  return isRecord(raw) && (raw["type"] === "send" || raw["type"] === "edit");
}
