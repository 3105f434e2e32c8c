import * as vscode from "vscode";
import type { CodeLanguage } from "../../core/exchange/copyCode.ts";
import type { Model } from "../../core/completion.ts";
import { deferCompletion } from "../../core/deferredCompletion.ts";
import { ServiceError } from "../../core/errors.ts";
import { logFailure } from "../../core/failureText.ts";
import type { Log } from "../../core/log.ts";
import { applyCapabilities } from "../../core/modelCapabilities.ts";
import { ModelCatalog } from "../../core/modelCatalog.ts";
import { defaultModel, modelPicker } from "../../core/modelSelection.ts";
import { initialSettings } from "../../core/settings/presets.ts";
import type { SettingsField } from "../../core/settings/settingsForm.ts";
import type { Redaction } from "../../core/redaction.ts";
import type { SecretVault } from "../../core/secretVault.ts";
import { guardedTools } from "../../core/send/guardedTools.ts";
import type { SendGate } from "../../core/send/sendGate.ts";
import type { Profile } from "../../core/profile.ts";
import type { Clients } from "../clients.ts";
import type { Profiles } from "../profiles/profiles.ts";
import type { Row } from "../../core/servers/tree/rows.ts";
import type { FleetView, ServerPlace } from "../servers/fleetView.ts";
import { chatSettings } from "./chatSettings.ts";
import { AnswerDocuments } from "./answerDocuments.ts";
import { ChatPanels } from "./chatPanels.ts";
import type { ChatPanel } from "./chatPanel.ts";
import { CodeActions } from "./code/codeActions.ts";
import { chooseModels } from "./compare/chooseModels.ts";
import type { Composition } from "../../core/context/contextProtocol.ts";
import { runStep } from "./commands/runStep.ts";
import { ContextTools } from "./context/contextTools.ts";
import { openStore } from "./conversationFile.ts";
import type { Proposals } from "./code/proposals.ts";
import { Inspector } from "./inspector/inspector.ts";
import type { ModelMemory } from "./modelMemory.ts";
import { askOtherModel, selectModel } from "./selectModel.ts";
import { History } from "./history/history.ts";
import { createMessageActionRunner } from "./messageActions.ts";
import type { MessageActionsContext } from "./messageActions.ts";
import { VersionDiff } from "./versionDiff.ts";
import { createActionRunner } from "./pageActions.ts";
import { Meters } from "./meter/meters.ts";
import { UsageDocument } from "./usage/usageDocument.ts";
import { createSendGate } from "./send/createSendGate.ts";
import { Sessions } from "./sessions.ts";
import { watchTitles } from "./titles.ts";
import { ToolsAndFormats } from "./toolsAndFormats.ts";
import type { ToolAndFormatCommands } from "./toolsAndFormats.ts";
import type { SetupWatch } from "./setupWatch.ts";

export interface ChatContext {
  readonly extensionUri: vscode.Uri;
  readonly storageUri: vscode.Uri;
  readonly log: Log;
  readonly profiles: Profiles;
  readonly clients: Clients;
  readonly setup: SetupWatch;
  readonly vault: SecretVault;
  readonly redaction: Redaction;
  readonly models: ModelMemory;
  readonly globalState: vscode.Memento;
  /** The servers of all profiles; loaded with the first look at them. */
  servers(): Promise<FleetView>;
}

/** Everything behind the chat's commands; loaded with the first of them. */
export interface Chat extends vscode.Disposable {
  openNew(): Promise<void>;
  /** The stored conversations. */
  readonly history: History;
  /** Opens what the stored answers took, those of the active conversation first. */
  showUsage(): Promise<void>;
  /** Opens the form with the settings of the active conversation, or of a new one. */
  editSettings(field: SettingsField): Promise<void>;
  /** Asks for the model of the active panel. */
  selectModel(): Promise<void>;
  /** Asks for several models to answer in the active panel. */
  compareModels(): Promise<void>;
  /** Opens the request of an answer of the active panel; of the last one where there is no id. */
  inspectRequest(messageId: string | undefined): Promise<void>;
  /** Copies the request that the active editor shows, or that of an answer of the active panel, as code. */
  copyRequest(language: CodeLanguage, messageId: string | undefined): Promise<void>;
  readonly toolsAndFormats: ToolAndFormatCommands;
  /** Stops the answer of the active panel, or every one where that has none under way. */
  stop(): void;
  /** Attaches what is selected in the editor to the active chat, or to a new one. */
  addSelection(): Promise<void>;
  /** Attaches these files, or the one of the editor where none is given. */
  addFiles(uris: readonly vscode.Uri[]): Promise<void>;
  /** Attaches the record of the server of a row of tree or table, or of one that the user picks. */
  attachServer(called: Row | ServerPlace | undefined): Promise<void>;
  /** What can be done with the difference that a code block would make. */
  readonly proposals: Proposals;
  /** Opens the last answer of the active panel as a document. */
  readLastAnswer(): Promise<void>;
  /** The open chats and their places. */
  readonly panels: Pick<ChatPanels, "restore" | "resolveView" | "move">;
}

/** Builds panels, sessions and the list of models; nothing of the wire or the disk is loaded before it is used. */
export function createChat(context: ChatContext): Chat {
  const { log, profiles, clients, setup, models, storageUri, extensionUri } = context;
  const catalog = createCatalog(context);
  const gate = createSendGate(context, () => sessions.store());
  const code = new CodeActions();
  const usage = new UsageDocument(() => sessions.store());
  const tools = new ContextTools(log, runStep, context.servers);
  const activePanel = async (): Promise<ChatPanel> => panels.active ?? (await panels.openNew());
  const toolsAndFormats = new ToolsAndFormats({ ...context, panel: activePanel, shown: () => panels });
  const meters = new Meters(() => catalog.current.models, toolsAndFormats.tools.port);
  const lastModel = (): string | undefined => models.read(profiles.active?.name ?? "");
  const inspector = new Inspector(storageUri, log);
  const completions = deferCompletion(() => clients.inference(requireProfile(profiles)));
  const sessions = new Sessions({
    log,
    watch: (port, id) => meters.fit(inspector.watch(port, id)),
    tools: guardedTools(toolsAndFormats.tools.port, (text, { tool, conversationId }) =>
      gate.passResult(text, tool, (question) => panels.askAboutResult(conversationId, question)),
    ),
    completions,
    onOpened: watchTitles({ completions, log, isOn: chatSettings.generatesTitles }),
    openStore: () => openStore(storageUri, log),
    defaultModel: () => chooseDefaultModel(catalog, lastModel()),
    initialSettings: () => initialSettings(chatSettings.chatPreferences()),
    isShown: (session) => panels.isShown(session),
    onModel: (model) => useModel(context, panels, model),
  });
  const versionDiff = new VersionDiff();
  const answers = new AnswerDocuments();
  const panels: ChatPanels = new ChatPanels(sessions, {
    extensionUri,
    log,
    place: chatSettings.chatPlace,
    picker: (session) => modelPicker(catalog.current, session.model, lastModel(), setup.notice === undefined),
    setup: () => setup.notice,
    preferences: chatSettings.chatPreferences,
    gate,
    meters,
    whenReady: () => getReady(gate, setup, catalog),
    pickModel: (session, senses) => void selectModel(session, catalog, senses),
    chooseModels: (session, draft) => chooseModels(session, draft, catalog),
    loadDraft: (id) => sessions.loadDraft(id),
    saveDraft: (id, draft) => sessions.saveDraft(id, draft),
    tools: toolsAndFormats.tools,
    runMessageAction: createMessageActionRunner({
      versionDiff,
      structured: toolsAndFormats.structured,
      tools: toolsAndFormats.tools,
      ...answerActions(sessions, inspector, catalog, (id) => panels.open(id)),
    }),
    runAction: createActionRunner(catalog, toolsAndFormats.commands),
    loadPicture: (url) => clients.loadPicture(url),
    createDesk: (session, post) => tools.createDesk(session, post),
    runCodeAction: (request) => void code.run(request),
  });
  const parts = [panels, sessions, versionDiff, answers, code, usage, toolsAndFormats, inspector, tools];
  const disposable = vscode.Disposable.from(...parts, keepModelsFresh(context, catalog, panels));
  return {
    openNew: async () => void (await panels.openNew()),
    editSettings: async (field) => (await activePanel()).editSettings(field),
    selectModel: async () => selectModel((await activePanel()).session, catalog),
    compareModels: async () => (await activePanel()).compareModels(),
    inspectRequest: (messageId) => inspector.show(panels.active?.session, messageId),
    copyRequest: (language, messageId) => inspector.copy(language, panels.active?.session, messageId),
    history: createHistory(sessions, panels, inspector, context),
    showUsage: () => usage.show(panels.active?.session),
    stop: () => stopAnswers(panels, sessions),
    addSelection: async () => addToChat(panels, await tools.readSelection()),
    addFiles: async (uris) => addToChat(panels, await tools.readFiles(uris)),
    attachServer: async (called) => addToChat(panels, await tools.readServer(called)),
    toolsAndFormats: toolsAndFormats.commands,
    proposals: code.proposals,
    readLastAnswer: () => answers.showLast(panels.active?.session),
    panels,
    dispose: () => disposable.dispose(),
  };
}

async function chooseDefaultModel(catalog: ModelCatalog, last: string | undefined): Promise<string> {
  const state = await catalog.ensure();
  const model = defaultModel(state, last);
  if (model !== undefined) return model;
  throw new ServiceError(state.state === "failed" ? state.error : noModels);
}

/** What the first message of a panel takes. */
async function getReady(gate: SendGate, setup: SetupWatch, catalog: ModelCatalog): Promise<void> {
  gate.prepare();
  await setup.ready();
  if (setup.notice === undefined && catalog.current.state === "idle") void catalog.ensure();
}

/** Those of the active panel, or all where it has none under way. */
function stopAnswers(panels: ChatPanels, sessions: Sessions): void {
  const session = panels.active?.session;
  if (session?.isStreaming === true) session.stop();
  else sessions.stopAll();
}

/** What the panels show of models and set-up follows the settings. */
function keepModelsFresh(
  { setup, profiles, models }: ChatContext,
  catalog: ModelCatalog,
  panels: ChatPanels,
): vscode.Disposable {
  const stopListening = catalog.onDidChange(() => {
    panels.updateSurroundings();
    const name = profiles.active?.name ?? "";
    models.beginWith(name, defaultModel(catalog.current, models.read(name)));
  });
  return vscode.Disposable.from(
    { dispose: stopListening },
    { dispose: () => catalog.reset() },
    setup.onDidChange(() => {
      catalog.reset();
      if (setup.notice === undefined && panels.active !== undefined) void catalog.ensure();
      panels.updateSurroundings();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const isTold = change.affectsConfiguration("inferenceGateway.models.capabilities");
      if (isTold && catalog.current.state !== "idle") void catalog.refresh();
      if (change.affectsConfiguration("inferenceGateway.chat")) panels.updateSurroundings();
    }),
  );
}

function createCatalog({ clients, profiles, log }: ChatContext): ModelCatalog {
  async function listModels(signal: AbortSignal): Promise<readonly Model[]> {
    try {
      const client = await clients.inference(requireProfile(profiles));
      const list = await client.listModels(signal, { retry: true });
      return applyCapabilities(list, chatSettings.capabilities());
    } catch (error) {
      if (!signal.aborted) logFailure(log, error);
      throw error;
    }
  }
  return new ModelCatalog(() => {
    const abort = new AbortController();
    return { models: listModels(abort.signal), stop: () => abort.abort() };
  });
}

function createHistory(
  sessions: Sessions,
  panels: ChatPanels,
  inspector: Inspector,
  { extensionUri, storageUri }: ChatContext,
): History {
  return new History({
    extensionUri,
    storageUri,
    store: () => sessions.store(),
    activeId: () => panels.active?.session.id,
    async open({ id, messageId, words }) {
      const panel = await panels.open(id);
      if (messageId !== undefined) panel.showMessage(messageId, words ?? []);
    },
    forget: (id) => inspector.forget(id),
    rename: (id, title) => sessions.find(id)?.rename(title),
    close(id) {
      sessions.discard(id);
      return panels.close(id);
    },
  });
}

async function addToChat(panels: ChatPanels, composition: Composition | undefined): Promise<void> {
  if (composition !== undefined) (panels.active ?? (await panels.openNew())).compose(composition);
}

/** What can be done with an answer beyond its own conversation. */
function answerActions(
  sessions: Sessions,
  inspector: Inspector,
  catalog: ModelCatalog,
  open: (conversationId: string) => Promise<unknown>,
): Pick<MessageActionsContext, "fork" | "inspect" | "askOtherModel"> {
  return {
    fork: (session, messageId) => void sessions.fork(session, messageId).then(open),
    inspect: (session, messageId) => void inspector.show(session, messageId),
    askOtherModel: (session, messageId) => void askOtherModel(session, messageId, catalog),
  };
}

function useModel({ profiles, models }: ChatContext, panels: ChatPanels, model: string): void {
  panels.updateSurroundings();
  const profile = profiles.active;
  if (profile !== undefined) void models.remember(profile.name, model);
}

const noModels = {
  reason: "notFound",
  message: vscode.l10n.t(
    "The inference service offers no models to chat with. Check the base URL of the profile.",
  ),
} as const;

function requireProfile(profiles: Profiles): Profile {
  const profile = profiles.active;
  if (profile?.inferenceBaseUrl !== undefined) return profile;
  throw new ServiceError({
    reason: "configuration",
    message:
      profiles.problems[0] ??
      vscode.l10n.t(
        "There is no profile with an inference base URL. Add a profile or start the local gateway.",
      ),
  });
}
