import { credentialKinds } from "../../core/account/credentialKinds.ts";
import type { SecretKind } from "../../core/kernel/credential.ts";

/** The commands whose ID is their name with a prefix. */
const names = [
  "newChat",
  "openConversation",
  "searchConversations",
  "showMoreConversations",
  "renameConversation",
  "pinConversation",
  "unpinConversation",
  "deleteConversation",
  "exportMarkdown",
  "exportJson",
  "importConversations",
  "deleteDamagedFiles",
  "addSelectionToChat",
  "addFileToChat",
  "selectModel",
  "acceptProposal",
  "rejectProposal",
  "changeProposal",
  "chatSettings",
  "editSystemPrompt",
  "chatActions",
  "showUsage",
  "exportUsage",
  "selectTools",
  "manageToolPermissions",
  "resetToolConfirmations",
  "toggleNotifications",
  "setResponseFormat",
  "useAsResponseFormat",
  "stop",
  "openInEditor",
  "openToSide",
  "openInNewWindow",
  "openInSideBar",
  "moveChat",
  "compareModels",
  "inspectRequest",
  "inspectOtherRequests",
  "copyRequestAsCurl",
  "copyRequestAsPython",
  "copyRequestAsJavaScript",
  "addProfile",
  "importProfiles",
  "exportProfiles",
  "selectProfile",
  "setApiKey",
  "setAccessKey",
  "setSessionToken",
  "setStsToken",
  "setCredential",
  "removeApiKey",
  "removeAccessKey",
  "removeSessionToken",
  "removeStsToken",
  "manageCredentials",
  "rotateCredential",
  "signOut",
  "refreshServers",
  "showServerRecord",
  "copyServerId",
  "copyServerAddress",
  "copyServerAddresses",
  "copyServerName",
  "copySshCommand",
  "openSshTerminal",
  "openServerPage",
  "openRemoteSsh",
  "attachServer",
  "useModelEndpoint",
  "removeSshHosts",
  "showServerDetails",
  "revealServerSecret",
  "copyServerSchema",
  "mapServerField",
  "showServerTable",
  "filterServers",
  "clearServerFilter",
  "groupServersBy",
  "sortServersBy",
  "saveServerView",
  "openServerView",
  "arrangeServers",
  "pinServer",
  "unpinServer",
  "watchServer",
  "unwatchServer",
  "muteServer",
  "unmuteServer",
  "setServerAlias",
  "setServerNote",
  "serverActions",
  "startLocalGateway",
  "stopLocalGateway",
  "diagnoseConnection",
  "copyReport",
  "copyDiagnostics",
  "showMenu",
  "sendSignedRequest",
  "showLog",
] as const satisfies readonly string[];

/** These keep the ID that they had under an older name: keybindings refer to it. */
const renamed = {
  openLastResponse: "inferenceGateway.readLastAnswer",
  fixConnection: "inferenceGateway.mendConnection",
} as const;

type CommandIds = { readonly [N in (typeof names)[number]]: `inferenceGateway.${N}` } & typeof renamed;

/** All commands of the extension. A unit test keeps this and package.json consistent. */
export const commandIds = {
  ...Object.fromEntries(names.map((name) => [name, `inferenceGateway.${name}`])),
  ...renamed,
} as CommandIds satisfies Readonly<Record<CredentialCommand, string>>;

type CredentialCommand = `${"set" | "remove"}${Capitalize<SecretKind>}`;

/** The command that asks for this kind of credential; its argument is the name of a profile. */
export function setCommand(kind: SecretKind): string {
  return commandIds[`set${credentialKinds[kind].commandName}` as const];
}

/** The command that deletes this kind of credential. */
export function removeCommand(kind: SecretKind): string {
  return commandIds[`remove${credentialKinds[kind].commandName}` as const];
}

/** Changes the scheme of a gateway's address. For rows of the tree, which can only run commands; not in the palette. */
export const switchSchemeCommand = "inferenceGateway.switchGatewayScheme";
