import * as vscode from "vscode";
import type { Sense } from "../../core/attachments/senses.ts";
import { assertNever } from "../../core/assertNever.ts";
import { asksModel } from "../../core/errorActions.ts";
import type { CodeRequest } from "../../core/code/codeRequest.ts";
import type { ContentPart } from "../../core/completion.ts";
import type { ChatSession } from "../../core/chatSession.ts";
import { shownTitle } from "../../core/conversationTitle.ts";
import type { Draft } from "../../core/conversationStore.ts";
import { parseFromWebview } from "../../core/parseFromWebview.ts";
import type {
  ActionId,
  FromWebview,
  MessageAction,
  ModelPicker,
  Notice,
  ToWebview,
} from "../../core/protocol.ts";
import type { LoadedPicture } from "../../core/pictures.ts";
import { logFailure } from "../../core/failureText.ts";
import type { Log } from "../../core/log.ts";
import type { Rebuilds } from "../../core/pageHealth.ts";
import { SessionView } from "../../core/sessionView.ts";
import { parseDroppedUri } from "./context/droppedUri.ts";
import { chatSettings } from "./chatSettings.ts";
import { isMediaPath } from "../../core/attachments/fileKind.ts";
import { pickFiles, readFiles } from "./attachments/giveFiles.ts";
import type { ChatSurface } from "./chatSurface.ts";
import type { Composition, ContextToWebview } from "../../core/context/contextProtocol.ts";
import type { ContextDesk } from "./context/contextDesk.ts";
import { PageWatch } from "./pageWatch.ts";
import { schedule } from "./schedule.ts";
import type { SettingsField } from "../../core/settings/settingsForm.ts";
import type { SendGate } from "../../core/send/sendGate.ts";
import type { SendChoice, SendQuestion } from "../../core/send/sendQuestion.ts";
import type { ChatPreferences } from "../../core/settings/chatPreferences.ts";
import { openLink } from "./openLink.ts";
import type { Meters } from "./meter/meters.ts";
import type { PanelMeter } from "./meter/panelMeter.ts";
import { PanelSends } from "./send/panelSends.ts";
import type { MessageActionRunner } from "./messageActions.ts";
import type { ChatTools } from "./tools/chatTools.ts";
import { runSettingsRequest } from "./settings/settingsRequests.ts";
import type { PanelRecording } from "./attachments/panelRecording.ts";

/** What a panel needs beside its session. */
export interface ChatPanelContext {
  readonly log: Log;
  /** How often the page of this conversation had to be built anew. */
  rebuilds(conversationId: string): Rebuilds;
  picker(session: ChatSession): ModelPicker;
  setup(): Notice | undefined;
  preferences(): ChatPreferences;
  readonly gate: SendGate;
  readonly meters: Meters;
  /** Resolves when `setup` is known; begins to load what the picker shows. */
  whenReady(): Promise<void>;
  /** Asks which models are to answer the draft, or the user's last message where the draft is empty. */
  chooseModels(session: ChatSession, draft: Draft): Promise<readonly string[] | undefined>;
  loadDraft(conversationId: string): Draft;
  saveDraft(conversationId: string, draft: Draft): void;
  /** Asks for a model, those with these senses first. */
  pickModel(session: ChatSession, senses: readonly Sense[]): void;
  readonly runMessageAction: MessageActionRunner;
  readonly tools: ChatTools;
  /** Runs an action of a notice or an error that is not a step of the chat itself. */
  runAction(action: Exclude<ActionId, "retry">): void;
  /** Answers what the page asks for `#` and `/`. */
  createDesk(session: ChatSession, post: (message: ContextToWebview) => void): ContextDesk;
  /** Does with a code block what the user asked for. */
  runCodeAction(request: CodeRequest): void;
  /** Fetches a picture of another host, which the user asked for. */
  loadPicture(url: string): Promise<LoadedPicture>;
}

/**
 * One page showing one conversation, on whatever surface. The page is disposable: whenever it says `ready` it gets
 * a whole snapshot, and deltas only ever follow a snapshot.
 */
export class ChatPanel implements vscode.Disposable {
  readonly session: ChatSession;
  readonly surface: ChatSurface;
  readonly #context: ChatPanelContext;
  readonly #watch: PageWatch;
  readonly #disposables: vscode.Disposable[];
  readonly #onDidUse = new vscode.EventEmitter<void>();
  /** The user has put the focus into the page. */
  readonly onDidUse = this.#onDidUse.event;
  readonly #sends: PanelSends;
  readonly #meter: PanelMeter;
  #view: SessionView | undefined;
  readonly #desk: ContextDesk;
  /** What is to be added to the composer once the page is there. */
  #toCompose: Composition[] = [];
  #toolsFeed: vscode.Disposable | undefined;
  #focusOnSnapshot = false;
  /** What is attached to the draft: the page tells it only when it changes. */
  #attachments: readonly ContentPart[] = [];
  /** The message that the user asked for before the page was there. */
  #messageOnSnapshot: Extract<ToWebview, { readonly type: "showMessage" }> | undefined;
  /** The field of the settings that the user asked for before the page was there. */
  #fieldOnSnapshot: SettingsField | undefined;
  #recording: Promise<PanelRecording> | undefined;

  constructor(surface: ChatSurface, session: ChatSession, context: ChatPanelContext) {
    this.session = session;
    this.surface = surface;
    this.#context = context;
    this.#desk = context.createDesk(session, (message) => this.#post(message));
    this.#watch = new PageWatch(surface, {
      log: context.log,
      rebuilds: context.rebuilds(session.id),
      isBusy: () => session.isStreaming,
    });
    this.#disposables = [
      this.#watch,
      this.#onDidUse,
      surface.onDidReceive((message) => this.#receive(message)),
      surface.onDidDispose(() => this.dispose()),
    ];
    surface.setTitle(shownTitle(session.title));
    this.#meter = context.meters.create(
      session,
      () => context.picker(session).selected,
      (message) => this.#post(message),
    );
    this.#sends = new PanelSends({
      session,
      gate: context.gate,
      findTooLong: (outgoing) => this.#meter.findTooLong(outgoing),
      post: (message) => this.#post(message),
      saveDraft: (draft) => this.#keepDraft(draft),
      reportError: (error) => logFailure(context.log, error),
    });
  }

  get isActive(): boolean {
    return this.surface.isActive;
  }

  reveal(): void {
    this.surface.reveal();
    this.#post({ type: "focus" });
  }

  /** Scrolls to the message, on whichever path it is, and to the first of the words in it. */
  showMessage(messageId: string, words: readonly string[]): void {
    const { session } = this;
    if (session.find(messageId) === undefined) return;
    if (!session.messages.some(({ id }) => id === messageId)) session.selectVersion(messageId);
    const message = { type: "showMessage", messageId, words } as const;
    if (this.#view === undefined) this.#messageOnSnapshot = message;
    else this.#post(message);
  }

  /** Puts the focus into the composer as soon as the page is there: the user has just asked for the panel. */
  focusWhenReady(): void {
    this.#focusOnSnapshot = true;
  }

  /** Adds to what is being written here, and shows it. */
  compose(composition: Composition): void {
    // A page that is hidden is not there, and hears nothing.
    if (this.#view !== undefined && this.surface.isVisible) this.#post({ type: "compose", ...composition });
    else this.#toCompose.push(composition);
    this.reveal();
  }

  /** Asks whether a model may be told what a tool has given. */
  askAboutResult(question: SendQuestion): Promise<SendChoice> {
    return this.#sends.askAboutResult(question);
  }

  /** Opens the form with the settings of the conversation. */
  editSettings(field: SettingsField): void {
    if (this.#view !== undefined && this.isActive) this.#post({ type: "editSettings", field });
    else this.#fieldOnSnapshot = field;
    this.reveal();
  }

  /** The models, or what is set up, have changed. */
  updateSurroundings(): void {
    this.#post({ type: "behaviour", behaviour: chatSettings.pageBehaviour() });
    this.#post({ type: "picker", picker: this.#context.picker(this.session) });
    this.#meter.update();
    this.#post({ type: "attachmentLimits", limits: chatSettings.attachmentLimits() });
    this.#post({ type: "preferences", preferences: this.#context.preferences() });
    const setup = this.#context.setup();
    this.#post(setup === undefined ? { type: "setup" } : { type: "setup", setup });
  }

  /** Asks for several models to answer what stands in the composer, or the user's last message. */
  async compareModels(draft = this.#context.loadDraft(this.session.id)): Promise<void> {
    const models = await this.#context.chooseModels(this.session, draft);
    if (models !== undefined) this.#sends.compare(draft, models);
  }

  dispose(): void {
    this.#sends.cancel();
    this.#meter.dispose();
    this.#desk.dispose();
    this.#view?.dispose();
    this.#view = undefined;
    void this.#recording?.then((recording) => recording.dispose());
    this.#toolsFeed?.dispose();
    for (const disposable of this.#disposables.splice(0)) disposable.dispose();
  }

  #receive(raw: unknown): void {
    this.#watch.heard();
    const message = parseFromWebview(raw);
    if (message === undefined)
      this.#context.log.warn("The chat page sent a message that the protocol does not know.");
    else this.#handle(message);
  }

  #handle(message: FromWebview): void {
    const { session } = this;
    switch (message.type) {
      case "ready":
        return void this.#context.whenReady().then(() => this.#showSnapshot());
      case "pong":
        return;
      case "ping":
        return this.#post({ type: "pong" });
      case "focused":
        return this.#onDidUse.fire();
      case "send":
        return this.#sends.send(message);
      case "compare":
        return void this.compareModels({ text: message.text, attachments: message.attachments });
      case "stop":
        return session.stop(message.messageId);
      case "edit":
        return this.#sends.edit(message.messageId, message);
      case "answerSend":
        return this.#sends.answer(message);
      case "messageAction":
        return this.#runMessageAction(message.action, message.messageId);
      case "toolAnswer":
        return this.#context.tools.answer(session, message.messageId, message.callId, message.answer);
      case "openToolArguments":
        return this.#context.tools.openArguments(session, message.messageId, message.callId);
      case "retryNow":
        return session.retryNow();
      case "selectModel":
        return session.selectModel(message.model);
      case "action":
        if (message.id === "retry") return this.#sends.again(() => session.retry());
        return this.#context.runAction(message.id);
      case "changeSettings":
      case "changePresets":
        return runSettingsRequest(session, message);
      case "copy":
        return void vscode.env.clipboard.writeText(message.text);
      case "openLink":
        return void openLink(message.href);
      case "loadPicture":
        return void this.#loadPicture(message.url);
      case "code":
        return this.#context.runCodeAction(message);
      case "draft":
        this.#attachments = message.attachments ?? this.#attachments;
        return this.#context.saveDraft(session.id, { text: message.text, attachments: this.#attachments });
      case "pickFiles":
        return void pickFiles().then((uris) => this.#giveFiles(uris));
      case "readFiles":
        return void this.#giveFiles(message.uris.map(parseDroppedUri));
      case "recording":
        return void this.#loadRecording().then((recording) => recording.run(message.command));
      case "suggest":
      case "suggestEnd":
      case "pickSuggestion":
      case "attachText":
      case "openContext":
        return this.#desk.handle(message);
      case "pickModel":
        return this.#context.pickModel(session, message.senses);
      case "pageError":
        return this.#context.log.error(`The chat page reports: ${message.message}`);
      default:
        return assertNever(message);
    }
  }

  /** What runs programs is loaded with the first recording. */
  #loadRecording(): Promise<PanelRecording> {
    this.#recording ??= import("./attachments/panelRecording.ts").then(
      ({ PanelRecording }) => new PanelRecording((message) => this.#post(message), chatSettings.recording),
    );
    return this.#recording;
  }

  async #giveFiles(uris: readonly vscode.Uri[]): Promise<void> {
    const media = uris.filter(({ path }) => isMediaPath(path));
    const others = uris.filter((uri) => !media.includes(uri));
    if (others.length > 0) this.#desk.attach(others);
    if (media.length > 0) this.#post(await readFiles(media, chatSettings.attachmentLimits()));
  }

  async #loadPicture(url: string): Promise<void> {
    this.#post({ type: "picture", url, picture: await this.#context.loadPicture(url) });
  }

  #keepDraft(draft: Draft): void {
    this.#attachments = draft.attachments;
    this.#context.saveDraft(this.session.id, draft);
  }

  #runMessageAction(action: MessageAction, messageId: string): void {
    const reply = (message: ToWebview): void => this.#post(message);
    const run = (): void => this.#context.runMessageAction(this.session, action, messageId, reply);
    if (asksModel(action)) this.#sends.again(run);
    else run();
  }

  #showSnapshot(): void {
    this.#sends.leavePage();
    this.#view?.dispose();
    this.#view = new SessionView(this.session, (message) => this.#post(message), schedule);
    const setup = this.#context.setup();
    const draft = this.#context.loadDraft(this.session.id);
    this.#attachments = draft.attachments;
    this.#post({ type: "behaviour", behaviour: chatSettings.pageBehaviour() });
    this.#post({ type: "attachmentLimits", limits: chatSettings.attachmentLimits() });
    this.#post({ type: "preferences", preferences: this.#context.preferences() });
    this.#post({
      type: "snapshot",
      snapshot: {
        ...this.#view.snapshot(),
        draft,
        picker: this.#context.picker(this.session),
        ...(setup === undefined ? {} : { setup }),
      },
    });
    this.#sends.showAgain();
    void this.#recording?.then((recording) => recording.show());
    this.#toolsFeed?.dispose();
    this.#toolsFeed = this.#context.tools.watch(this.session, (tools) =>
      this.#post({ type: "tools", tools }),
    );
    if (this.#focusOnSnapshot && this.surface.isVisible) this.#post({ type: "focus" });
    this.#focusOnSnapshot = false;
    if (this.#messageOnSnapshot !== undefined) this.#post(this.#messageOnSnapshot);
    this.#messageOnSnapshot = undefined;
    this.#meter.update();
    if (this.#fieldOnSnapshot !== undefined)
      this.#post({ type: "editSettings", field: this.#fieldOnSnapshot });
    this.#fieldOnSnapshot = undefined;
    for (const composition of this.#toCompose.splice(0)) this.#post({ type: "compose", ...composition });
  }

  #post(message: ToWebview): void {
    if (message.type === "title") this.surface.setTitle(shownTitle(message.title));
    if (message.type === "streaming") this.#watch.becameBusy();
    this.surface.post(message);
  }
}
