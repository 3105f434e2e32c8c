import type * as vscode from "vscode";
import type { Composition } from "../../core/compose/context/contextProtocol.ts";
import type { SettingsField } from "../../core/panel/settings/settingsForm.ts";
import type { CodeLanguage } from "../../core/responses/exchange/copyCode.ts";
import type { Row } from "../../core/servers/tree/rows.ts";
import type { Sessions } from "../conversation/sessions.ts";
import { History } from "../library/history.ts";
import type { Proposals } from "../responses/code/proposals.ts";
import type { Inspector } from "../responses/inspector/inspector.ts";
import type { ServerMenuContext } from "../servers/serversView.ts";
import type { ChatPanels } from "./chatPanels.ts";
import { ChatServices } from "./chatServices.ts";
import type { ChatContext } from "./chatServices.ts";
import type { ToolAndFormatCommands } from "./toolsAndFormats.ts";

/** Everything behind the chat's commands; loaded with the first of them. */
export interface Chat extends vscode.Disposable {
  openNew(): Promise<void>;
  /** The stored conversations. */
  readonly history: History;
  /** Opens what the stored responses took, those of the active conversation first. */
  showUsage(): Promise<void>;
  /** Opens the form with the settings of the active conversation, or of a new one. */
  editSettings(field: SettingsField): Promise<void>;
  /** Asks for the model of the active panel. */
  selectModel(): Promise<void>;
  /** Asks for several models to answer in the active panel. */
  compareModels(): Promise<void>;
  /** Opens the request of a response in the active panel, or of the last one without an ID. */
  inspectRequest(messageId: string | undefined): Promise<void>;
  /** Copies the request that the active editor shows, or that of a response of the active panel, as code. */
  copyRequest(language: CodeLanguage, messageId: string | undefined): Promise<void>;
  readonly toolsAndFormats: ToolAndFormatCommands;
  /** Stops the response of the active panel, or every one where that has none under way. */
  stop(): void;
  /** Attaches what is selected in the editor to the active chat, or to a new one. */
  addSelection(): Promise<void>;
  /** Attaches these files, or the one of the editor where none is given. */
  addFiles(uris: readonly vscode.Uri[]): Promise<void>;
  /** Attaches the record of the server of a row of tree or table, or of one that the user picks. */
  attachServer(called: Row | ServerMenuContext | undefined): Promise<void>;
  /** What can be done with the difference that a code block would make. */
  readonly proposals: Proposals;
  /** Opens the last response of the active panel as a document. */
  openLastResponse(): Promise<void>;
  /** The open chats and their places. */
  readonly panels: Pick<ChatPanels, "restore" | "resolveView" | "move">;
}

/** Builds the chat, and says what each of its commands does with it. */
export function createChat(context: ChatContext): Chat {
  const parts = new ChatServices(context);
  const { panels, models, inspector, tools, answers, usage, toolsAndFormats, code } = parts;
  const add = async (composition: Composition | undefined): Promise<void> => {
    if (composition !== undefined) (await panels.activeOrNew()).compose(composition);
  };
  return {
    openNew: async () => void (await panels.openNew()),
    editSettings: async (field) => (await panels.activeOrNew()).editSettings(field),
    selectModel: async () => models.pick((await panels.activeOrNew()).session),
    compareModels: async () => (await panels.activeOrNew()).compareModels(),
    inspectRequest: (messageId) => inspector.show(panels.active?.session, messageId),
    copyRequest: (language, messageId) => inspector.copy(language, panels.active?.session, messageId),
    history: createHistory(context, parts),
    showUsage: () => usage.show(panels.active?.session),
    stop: () => stopResponses(parts),
    addSelection: async () => add(await tools.readSelection()),
    addFiles: async (uris) => add(await tools.readFiles(uris)),
    attachServer: async (called) => add(await tools.readServer(called)),
    toolsAndFormats: toolsAndFormats.commands,
    proposals: code.proposals,
    openLastResponse: () => answers.showLast(panels.active?.session),
    panels,
    dispose: () => parts.dispose(),
  };
}

/** Those of the active panel, or all where it has none under way. */
function stopResponses({ panels, sessions }: ChatServices): void {
  const session = panels.active?.session;
  if (session?.state.isStreaming === true) session.stop();
  else sessions.stopAll();
}

interface HistoryPlace {
  readonly extensionUri: vscode.Uri;
  readonly storageUri: vscode.Uri;
}

/** What knows of conversations that are open. */
interface HistoryParts {
  readonly sessions: Sessions;
  readonly panels: ChatPanels;
  readonly inspector: Inspector;
  /** Why conversations can't be stored now; undefined if they can. */
  readonly storageTrouble: string | undefined;
}

function createHistory({ extensionUri, storageUri }: HistoryPlace, parts: HistoryParts): History {
  const { sessions, panels, inspector } = parts;
  return new History({
    extensionUri,
    storageUri,
    store: () => sessions.store(),
    trouble: () => parts.storageTrouble,
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
