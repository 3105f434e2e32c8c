/**
 * The names of all commands, by the part of the extension that registers them: `registerCommands` doesn't compile until
 * a new one has its implementation there.
 */
const names = {
  chat: [
    "newChat",
    "selectModel",
    "chatSettings",
    "editSystemPrompt",
    "compareModels",
    "summarizeAndContinue",
    "stop",
    "addSelectionToChat",
    "addFileToChat",
    "attachServer",
    "selectTools",
    "manageToolPermissions",
    "setResponseFormat",
    "useAsResponseFormat",
    "moveChat",
    "openLastResponse",
    "acceptProposal",
    "rejectProposal",
    "inspectRequest",
    "copyRequest",
    "editInline",
    "fixCode",
    "explainCode",
    "askAboutTerminalSelection",
    "generateCommitMessage",
    "selectEditorModel",
  ],
  history: [
    "openConversation",
    "renameConversation",
    "pinConversation",
    "unpinConversation",
    "tagConversation",
    "groupConversationsBy",
    "deleteConversation",
    "exportConversation",
    "exportAllConversations",
    "importConversations",
    "checkConversationStorage",
  ],
  pickers: ["askAboutCode", "chatActions"],
  walkthrough: ["getStarted"],
  profiles: ["addProfile", "editProfile", "selectProfile"],
  credentials: ["setCredential", "manageCredentials", "signOut"],
  serverActions: [
    "refreshServers",
    "showServerRecord",
    "copyServer",
    "openSshTerminal",
    "openServerPage",
    "openRemoteSsh",
    "removeSshHosts",
    "uploadToServer",
    "downloadFromServer",
    "runOnServer",
    "showJobLog",
    "downloadNewFiles",
    "stopJob",
    "runJobAgain",
    "removeJob",
    "addJobLogToChat",
    "stopServerWhenJobEnds",
    "forwardPort",
    "openForwardedPort",
    "copyForwardedAddress",
    "stopForwardingPort",
    "openRecentFolder",
    "serveModel",
    "useRunningModel",
    "chatWithServedModel",
    "copyModelEndpoint",
    "stopServing",
    "showServerDetails",
    "revealServerSecret",
    "mapServerField",
    "filterServers",
    "clearServerFilter",
    "arrangeServers",
    "pinServer",
    "unpinServer",
    "watchServer",
    "unwatchServer",
    "muteServer",
    "unmuteServer",
    "setPrices",
  ],
  servers: ["serverActions", "showServerTable", "uploadToGpuServer", "showUsage"],
  localGateway: ["startLocalGateway", "stopLocalGateway"],
  diagnosis: ["diagnoseConnection", "copyDiagnostics"],
  statusBar: ["showMenu"],
  nativeChat: ["manageModelAccess", "copySetup", "showRequests"],
  agentTools: ["connectAgents"],
  power: [
    "startServer",
    "stopServer",
    "rebootServer",
    "runServerAction",
    "setUpServerActions",
    "openServerConsole",
  ],
  signedRequest: ["sendSignedRequest"],
  log: ["showLog"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Names = typeof names;

/** A part of the extension that registers commands. */
export type CommandPart = keyof Names;

/** The name of a command of this part. */
export type CommandName<P extends CommandPart = CommandPart> = Names[P][number];

type CommandIds = { readonly [N in CommandName]: `inferenceGateway.${N}` };

/** All commands of the extension. A unit test keeps this and package.json consistent. */
export const commandIds = Object.fromEntries(
  Object.values(names).flatMap((part) => part.map((name) => [name, `inferenceGateway.${name}`])),
) as CommandIds;

/** The names of a part's commands. */
export function commandNames<P extends CommandPart>(part: P): readonly CommandName<P>[] {
  return names[part];
}

/** Changes the scheme of a gateway's address. For rows of the tree, which can only run commands; not in the palette. */
export const switchSchemeCommand = "inferenceGateway.switchGatewayScheme";

/** Shows more of a group of conversations. For the last row of the group; not in the palette. */
export const showMoreCommand = "inferenceGateway.showMoreConversations";

/** Shows the servers that cost something. For the status bar; not in the palette. */
export const runningServersCommand = "inferenceGateway.showRunningServers";

/** Applies what the connection report offers; its argument is the index. For the buttons of the report. */
export const fixConnectionCommand = "inferenceGateway.fixConnection";

/** Copies the connection report. For a button of the report. */
export const copyReportCommand = "inferenceGateway.copyReport";

/** Shows the GPUs of the machine of a Remote-SSH window. For the status bar; not in the palette. */
export const remoteGpuCommand = "inferenceGateway.showRemoteGpu";

/** Opens the console of a profile, where keys are created. It isn't in the palette. */
export const openConsoleCommand = "inferenceGateway.openConsole";
