import * as vscode from "vscode";
import type { Redaction } from "../../core/account/redaction.ts";
import type { Composition } from "../../core/compose/context/contextProtocol.ts";
import type { SendGate } from "../../core/compose/send/sendGate.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { CompletionPort } from "../../core/conversation/completion.ts";
import { deferCompletion } from "../../core/conversation/deferCompletion.ts";
import type { Ledger } from "../../core/responses/usage/ledger.ts";
import { initialSettings } from "../../core/conversation/presets.ts";
import { RemoteImages } from "../compose/attachments/remoteImages.ts";
import { runStep } from "../compose/commands/commandChoices.ts";
import { ContextTools } from "../compose/context/contextSuggestions.ts";
import { Meters } from "../compose/meter/meters.ts";
import { createSendGate, SecretFinder, guardWithDialog } from "../compose/send/createSendGate.ts";
import { GuardedSending } from "../compose/send/guardedSending.ts";
import { ChatModels } from "../conversation/chatModels.ts";
import type { ChatModelsContext } from "../conversation/chatModels.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import { openStore } from "../conversation/conversationFile.ts";
import { requireInferenceProfile } from "../conversation/setupWatch.ts";
import { Sessions } from "../conversation/sessions.ts";
import { watchTitles } from "../conversation/titles.ts";
import { VersionDiff } from "../conversation/versionDiff.ts";
import { WorkspaceInstructions } from "../conversation/workspaceInstructions.ts";
import { EditorActions } from "../compose/editor/editorActions.ts";
import { History } from "../library/history.ts";
import type { Records } from "../../storage/records/recordsFile.ts";
import { ResponseDocuments } from "../responses/responseDocuments.ts";
import { CodeActions } from "../responses/code/codeActions.ts";
import { Inspector } from "../responses/inspector/inspector.ts";
import type { ServersView } from "../servers/serversView.ts";
import { showConfirmation } from "../shell/window.ts";
import { ChatPanels } from "./chatPanels.ts";
import { createActionRunner, createMessageSteps } from "./pageActions.ts";
import type { MessageSteps } from "./pageActions.ts";
import { ReadyNotifier } from "./readyNotifier.ts";
import { logFailure } from "../../core/kernel/errors.ts";
import { ThreadValidator } from "../../processes/responses/threadValidator.ts";
import { PermissionTable } from "../../storage/records/permissionTable.ts";
import { StructuredOutput } from "../responses/structured/structuredOutput.ts";
import { ChatTools } from "../responses/tools/chatTools.ts";

/** What all chats of a window share. */
export interface ChatContext extends ChatModelsContext {
  readonly extensionUri: vscode.Uri;
  readonly storageUri: vscode.Uri;
  readonly records: Records;
  readonly redaction: Redaction;
  /** Shows how many conversations have something new. */
  showBadge(badge: vscode.ViewBadge | undefined): void;
  /** Shows which conversation is in the active chat. */
  showActive(conversationId: string | undefined): void;
  /** The usage records, loaded at their first use. */
  ledger(): Promise<Ledger>;
  /** The servers of all profiles, loaded at their first use. */
  servers(): Promise<ServersView>;
}

/** The services of the chat. Each command is a single call to one of them. Network and disk code is loaded on use. */
export class ChatServices implements vscode.Disposable {
  readonly models: ChatModels;
  /** The tools that a conversation's model may call. */
  readonly modelTools: ChatTools;
  readonly structured: StructuredOutput;
  readonly inspector: Inspector;
  readonly tools: ContextTools;
  readonly code = new CodeActions();
  readonly answers = new ResponseDocuments();
  readonly sessions: Sessions;
  readonly panels: ChatPanels;
  readonly ready: ReadyNotifier;
  /** For requests that a conversation doesn't show as messages. */
  readonly asides: Pick<ChatContext, "globalState" | "log"> & {
    readonly models: ChatModels;
    /** The port for requests about this conversation. */
    completions(conversationId: string): CompletionPort;
  };
  readonly editor: EditorActions;
  /** The stored conversations. */
  readonly history: History;
  readonly #context: ChatContext;
  readonly #instructions: WorkspaceInstructions;
  readonly #gate: SendGate;
  readonly #meters: Meters;
  readonly #sending: GuardedSending;
  #storageTrouble: string | undefined;
  readonly #versionDiff = new VersionDiff();
  readonly #disposable: vscode.Disposable;

  constructor(context: ChatContext) {
    this.#context = context;
    this.#instructions = new WorkspaceInstructions(context.workspaceState);
    this.models = new ChatModels(context, {
      isThere: () => this.panels.active !== undefined,
      update: () => this.panels.updateSurroundings(),
    });
    // One validator checks the arguments of tools and the format of responses.
    const thread = vscode.Uri.joinPath(context.extensionUri, "dist", "validatorThread.cjs").fsPath;
    const validator = new ThreadValidator({ thread });
    this.modelTools = new ChatTools({
      permissions: new PermissionTable(context.records),
      validator,
      shown: () => this.ready,
      reportError: (error) => logFailure(context.log, error),
    });
    this.structured = new StructuredOutput(validator, () => this.activeSession());
    this.inspector = new Inspector(context.records, context.ledger, context.log);
    this.tools = new ContextTools(context.log, runStep, context.servers);
    const secrets = new SecretFinder(context);
    this.#gate = createSendGate(secrets, context.ledger);
    this.#meters = new Meters(() => this.models.catalog.current.models, this.modelTools.port);
    this.ready = new ReadyNotifier({
      ...context,
      isVisible: (id, messageId) => this.panels.isVisible(id, messageId),
      open: (id, messageId) => this.#open(id, messageId),
      showMark: (id, mark) => this.panels.showMark(id, mark),
    });
    const { clients, profiles } = context;
    const completions = deferCompletion(() => clients.inference(requireInferenceProfile(profiles)));
    const forSummary = (id: string): CompletionPort => this.#sending.forTurns(completions, id);
    this.asides = { ...context, models: this.models, completions: forSummary };
    this.editor = new EditorActions({
      ...{ ...this.asides, completions: this.#meters.fit(guardWithDialog(completions, this.#gate), false) },
      instructions: async () => {
        await this.#instructions.prepare();
        return this.#instructions.addTo({}).systemPrompt;
      },
      // Sending the message clears the composer's draft.
      ask: async (message) => (await this.panels.openNew(this.sessions.create(false))).ask(message),
    });
    this.#sending = this.#createSending(completions);
    this.sessions = this.#createSessions(completions);
    this.panels = this.#createPanels();
    this.history = this.#createHistory();
    const { onDidChangeActive } = this.panels;
    const modelOfActive = (): string | undefined =>
      this.panels.active && this.models.picker(this.panels.active.session).selected;
    this.#disposable = vscode.Disposable.from(
      ...[this.panels, this.sessions, this.#versionDiff, this.answers, this.code, this.editor],
      ...[this.structured, this.modelTools, validator, this.inspector, this.tools, this.models],
      context.models.followChats(modelOfActive, onDidChangeActive),
      onDidChangeActive(() => context.showActive(this.panels.active?.session.id)),
    );
  }

  dispose(): void {
    this.#disposable.dispose();
  }

  /** The active panel's conversation, or a new one. */
  async activeSession(): Promise<ChatSession> {
    return (await this.panels.activeOrNew()).session;
  }

  /** Attaches this to the active chat, or to a new one. Does nothing if the user has canceled. */
  async attach(reading: Promise<Composition | undefined>): Promise<void> {
    const composition = await reading;
    if (composition !== undefined) (await this.panels.activeOrNew()).compose(composition);
  }

  /**
   * Stops the active panel's responses, or everything that is being generated if it has none in progress.
   * @param clicked The editor or repository whose button was clicked: then, only what runs for it.
   */
  stop(clicked?: unknown): void {
    if (clicked !== undefined) return this.editor.stop(clicked);
    const session = this.panels.active?.session;
    if (session?.state.isStreaming === true) session.stop();
    else {
      this.sessions.stopAll();
      this.editor.stop();
    }
  }

  #showTrouble(sentence: string | undefined): void {
    this.#storageTrouble = sentence;
    this.panels.updateSurroundings();
  }

  #createSending(completions: CompletionPort): GuardedSending {
    return new GuardedSending({
      gate: this.#gate,
      completions,
      tools: this.modelTools.port,
      meters: this.#meters,
      ask: (id, question) => this.panels.askWhileStreaming(id, question),
      stop: (id) => this.sessions.find(id)?.stop(),
    });
  }

  #createSessions(completions: CompletionPort): Sessions {
    const { log } = this.#context;
    const sending = this.#sending;
    const nameConversations = watchTitles({
      completions: (id) => sending.forTitles(id),
      log,
      isOn: chatSettings.generatesTitles,
    });
    return new Sessions({
      log,
      watch: (port, id) => sending.forTurns(port, id),
      tools: sending.tools,
      completions,
      onOpened: (session, store) => {
        nameConversations(session, store);
        this.ready.follow(session, () => this.sessions.queueOf(session));
        sending.trustResponses(session);
      },
      openStore: () => openStore(this.#context, (sentence) => this.#showTrouble(sentence)),
      defaultModel: () => this.models.chooseDefault(),
      contextLength: (model) =>
        this.models.catalog.current.models.find(({ id }) => id === model)?.contextLength,
      prepareSettings: () => this.#instructions.prepare(),
      initialSettings: () => this.#instructions.addTo(initialSettings(chatSettings.chatPreferences())),
      isShown: (session) => this.panels.isShown(session),
      isStorageTroubled: () => this.#storageTrouble !== undefined,
      onModel: (model) => this.models.use(model),
    });
  }

  #createPanels(): ChatPanels {
    const { log, clients, extensionUri, profiles } = this.#context;
    const { models, sessions, structured } = this;
    const images = new RemoteImages((url) => clients.loadImage(url));
    return new ChatPanels(sessions, {
      extensionUri,
      log,
      onSeen: (id) => this.ready.noteSeen(id),
      storageTrouble: () => this.#storageTrouble,
      gate: this.#gate,
      meters: this.#meters,
      models,
      drafts: () => sessions.drafts,
      queueOf: (session) => sessions.queueOf(session),
      whenReady: () => this.#getReady(),
      tools: this.modelTools,
      messageSteps: this.#createMessageSteps(),
      runAction: createActionRunner(profiles, {
        openResponseSchema: async () => structured.openSchema(await this.activeSession()),
        removeResponseFormat: async () => structured.removeFormat(await this.activeSession()),
        refreshModels: () => models.catalog.refresh(),
      }),
      loadImage: (url) => images.load(url),
      createSuggestions: (session, post) => this.tools.createSuggestions(session, post),
      runCodeAction: (request) => void this.code.run(request),
    });
  }

  #createHistory(): History {
    const { sessions, panels, inspector, ready } = this;
    return new History({
      ...this.#context,
      store: () => sessions.store(),
      trouble: () => this.#storageTrouble,
      activeId: () => panels.active?.session.id,
      open: ({ id, messageId, words }) => this.#open(id, messageId, words),
      forget: (id) => inspector.forget(id),
      rename: (id, title) => sessions.find(id)?.rename(title),
      close(id) {
        sessions.discard(id);
        ready.noteSeen(id);
        return panels.close(id);
      },
    });
  }

  async #open(id: string, messageId?: string, words: readonly string[] = []): Promise<void> {
    const panel = await this.panels.open(id);
    if (messageId !== undefined) panel.showMessage(messageId, words);
  }

  #createMessageSteps(): MessageSteps {
    const { sessions, inspector, models, structured, modelTools: tools } = this;
    return {
      ...createMessageSteps({ structured, tools, versionDiff: this.#versionDiff }),
      fork: async (session, { id }) => this.panels.open(await sessions.fork(session, id)),
      summarize: (session, { id }) => this.summarize(session, id),
      inspectRequest: (session, { id }) => inspector.show(session, id),
      askOtherModel: (session, { id }) => models.askOther(session, id),
      undoAdaptations: (_, { model = "", omitted }) =>
        models.retryRejected(model, omitted?.adaptations ?? []),
    };
  }

  /** Continues the conversation in a new one that starts with its summary. */
  async summarize(session: ChatSession, messageId = session.state.messages.at(-1)?.id): Promise<void> {
    if (messageId === undefined) return showConfirmation(vscode.l10n.t("There is nothing to summarize yet."));
    const { summarizeAndContinue } = await import("../conversation/summarizeAndContinue.ts");
    await summarizeAndContinue(session, messageId, {
      ...this.asides,
      sessions: this.sessions,
      open: async (id) => (await this.panels.open(id)).session,
    });
  }

  /** Loads what a panel's first message needs. */
  async #getReady(): Promise<void> {
    this.#gate.prepare();
    await this.models.prepare();
  }
}
