import type { CommandName } from "./commandIds.ts";
import { commandIds } from "./commandIds.ts";

/** Command IDs in groups. A picker shows a separator between two groups. */
export type CommandMenu = readonly (readonly string[])[];

/**
 * Pickers that take the place of their commands in the palette, so that the palette stays short and every command
 * remains accessible by keyboard. A unit test checks this table against package.json.
 */
export const commandMenus = {
  chatActions: [
    [
      commandIds.selectModel,
      commandIds.chatSettings,
      commandIds.editSystemPrompt,
      commandIds.selectTools,
      commandIds.setResponseFormat,
    ],
    [
      commandIds.compareModels,
      commandIds.summarizeAndContinue,
      commandIds.openLastResponse,
      commandIds.inspectRequest,
      commandIds.copyRequest,
    ],
    [
      commandIds.renameConversation,
      commandIds.tagConversation,
      commandIds.exportConversation,
      commandIds.deleteConversation,
    ],
    [commandIds.moveChat, commandIds.showRequests, commandIds.manageToolPermissions],
  ],
  askAboutCode: [
    [commandIds.editInline, commandIds.fixCode, commandIds.explainCode],
    [commandIds.addSelectionToChat, commandIds.addFileToChat, commandIds.askAboutTerminalSelection],
    [commandIds.generateCommitMessage, commandIds.selectEditorModel],
  ],
  showMenu: [
    [
      commandIds.selectProfile,
      commandIds.selectModel,
      commandIds.setCredential,
      commandIds.manageCredentials,
    ],
    [
      commandIds.diagnoseConnection,
      commandIds.sendSignedRequest,
      commandIds.copyDiagnostics,
      commandIds.checkConversationStorage,
      commandIds.showLog,
    ],
    [commandIds.addProfile, commandIds.editProfile],
    [commandIds.copySetup, commandIds.connectAgents, commandIds.manageModelAccess, commandIds.signOut],
  ],
  serverActions: [
    [commandIds.showServerDetails, commandIds.attachServer],
    [
      commandIds.startServer,
      commandIds.stopServer,
      commandIds.rebootServer,
      commandIds.runServerAction,
      commandIds.setUpServerActions,
    ],
    [
      commandIds.runOnServer,
      commandIds.openSshTerminal,
      commandIds.openRemoteSsh,
      commandIds.openRecentFolder,
      commandIds.openServerConsole,
      commandIds.openServerPage,
      commandIds.forwardPort,
      commandIds.uploadToServer,
      commandIds.downloadFromServer,
      commandIds.serveModel,
      commandIds.useRunningModel,
    ],
    [commandIds.copyServer],
    [
      commandIds.pinServer,
      commandIds.unpinServer,
      commandIds.watchServer,
      commandIds.unwatchServer,
      commandIds.muteServer,
      commandIds.unmuteServer,
    ],
    [commandIds.showServerRecord, commandIds.revealServerSecret, commandIds.mapServerField],
    [commandIds.setPrices],
  ],
} as const satisfies Readonly<Record<string, CommandMenu>>;

/** The server fact (see `rowFacts`) that a command requires. A command that isn't listed works for every server. */
export const requiredServerFact: Readonly<Record<string, string>> = {
  [commandIds.runOnServer]: "hasSsh",
  [commandIds.openSshTerminal]: "hasSsh",
  [commandIds.openRemoteSsh]: "mayOpen",
  [commandIds.openRecentFolder]: "mayOpen",
  [commandIds.forwardPort]: "hasSsh",
  [commandIds.uploadToServer]: "hasSsh",
  [commandIds.downloadFromServer]: "hasSsh",
  [commandIds.openServerPage]: "hasPage",
  [commandIds.openServerConsole]: "hasConsole",
  [commandIds.startServer]: "canStart",
  [commandIds.stopServer]: "canStop",
  [commandIds.rebootServer]: "canReboot",
  [commandIds.runServerAction]: "canRun",
  [commandIds.setUpServerActions]: "noActions",
  [commandIds.serveModel]: "hasSsh",
  [commandIds.useRunningModel]: "hasAddress",
  [commandIds.pinServer]: "loose",
  [commandIds.unpinServer]: "pinned",
  [commandIds.watchServer]: "unwatched",
  [commandIds.unwatchServer]: "watched",
  [commandIds.muteServer]: "audible",
  [commandIds.unmuteServer]: "muted",
};

/**
 * The commands in the title of a view, among those of its rows. VS Code calls both alike: with the row, which is the
 * focused one for a title, or nothing, and the selected rows.
 */
export const titleCommands: ReadonlySet<CommandName> = new Set<CommandName>([
  ...(["openConversation", "groupConversationsBy", "exportAllConversations"] as const),
  ...(["importConversations", "checkConversationStorage"] as const),
  ...(["refreshServers", "filterServers", "clearServerFilter", "arrangeServers", "setPrices"] as const),
]);

/**
 * Whether a command was called from the menu of a row that VS Code no longer knows, because it was replaced while the
 * menu was open. The command must not apply to another row, so the user selects it again.
 */
export function hasLostRow(name: CommandName, called: readonly unknown[]): boolean {
  return (called[0] ?? undefined) === undefined && called.length > 1 && !titleCommands.has(name);
}
