import * as vscode from "vscode";
import {
  putSshHost,
  addInclude,
  includeLine,
  removeInclude,
  sshHost,
} from "../../../core/servers/connect/sshHostsFile.ts";
import type { SshHost } from "../../../core/servers/connect/sshHostsFile.ts";
import {
  readConfigFile,
  readPrivateFile,
  writeConfigFile,
  writePrivateFile,
} from "../../../processes/servers/configFile.ts";
import { isRecord } from "../../../core/kernel/json.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { escapeCodicons, sanitizeLabel } from "../../../core/kernel/foreignText.ts";
import { sshRefusal } from "../../../processes/servers/sshRoute.ts";
import { removeFile } from "../../../storage/files/heldFile.ts";
import type { ConfigFileProblem } from "../../../processes/servers/configFile.ts";
import type { ServersView } from "../serversView.ts";
import { aliasOf } from "./remotePlace.ts";
import { maySsh } from "./sshChoice.ts";
import { mustStart, startForSsh } from "./startAndOpen.ts";
import {
  includingConfigs,
  rememberConfigs,
  sshConfigPath,
  sshHostsPath,
  sshIncludePath,
  usualSshConfigPath,
  updateSshHostsContext,
} from "./remoteSsh.ts";
import { sha256Hex } from "../../shell/digest.ts";
import {
  showConfirmation,
  showInformationMessage,
  showQuickPick,
  showWarningMessage,
} from "../../shell/window.ts";

/**
 * Opens a VS Code window on the server, using an alias that stays the same whatever its address is. A server that is
 * stopped is started first if the user agrees.
 */
export async function openRemoteSsh(
  serversView: ServersView,
  called: ServerRow,
  folder?: string,
): Promise<void> {
  const alias = await prepareRemoteSsh(serversView, called);
  if (alias === undefined) return;
  const remoteAuthority = `ssh-remote+${alias}`;
  if (folder === undefined)
    await vscode.commands.executeCommand("vscode.newWindow", { remoteAuthority, reuseWindow: false });
  else {
    const uri = vscode.Uri.from({ scheme: "vscode-remote", authority: remoteAuthority, path: folder });
    await vscode.commands.executeCommand("vscode.openFolder", uri, { forceNewWindow: true });
  }
}

/** Opens a folder on the server that was open before, in a new window. */
export async function openRecentFolder(serversView: ServersView, called: ServerRow): Promise<void> {
  const known = await aliasOf(serversView, called);
  const folders = known === undefined ? [] : await recentFolders(`ssh-remote+${known}`);
  const name = serverName(called.server);
  if (folders.length === 0) {
    const message = vscode.l10n.t("No folder of {0} has been open in VS Code yet.", name);
    return showConfirmation(message);
  }
  const items = folders.map((uri) => ({ label: escapeCodicons(uri.path), uri }));
  const placeHolder = vscode.l10n.t("Folder or workspace on {0}", name);
  const picked = await showQuickPick(items, { placeHolder });
  if (picked === undefined || (await prepareRemoteSsh(serversView, called)) === undefined) return;
  await vscode.commands.executeCommand("vscode.openFolder", picked.uri, { forceNewWindow: true });
}

/** The folders and workspaces of a remote machine, latest first, as in VS Code's own list. */
async function recentFolders(authority: string): Promise<readonly vscode.Uri[]> {
  // VS Code has no other way to read its list. Without it, there are no recent folders.
  const list: unknown = await Promise.resolve(
    vscode.commands.executeCommand("_workbench.getRecentlyOpened"),
  ).catch(() => undefined);
  const entries = isRecord(list) && Array.isArray(list["workspaces"]) ? list["workspaces"] : [];
  return entries.slice(0, 500).flatMap((entry: unknown) => {
    if (!isRecord(entry)) return [];
    const { folderUri, workspace, remoteAuthority } = entry;
    const uri = folderUri ?? (isRecord(workspace) ? workspace["configPath"] : undefined);
    if (!isRecord(uri) || typeof uri["path"] !== "string") return [];
    // The address itself is another one if the extension doesn't run on the user's machine.
    const host = remoteAuthority ?? uri["authority"];
    const isHere = typeof host === "string" && host.toLowerCase() === authority;
    return isHere ? [vscode.Uri.from({ scheme: "vscode-remote", authority, path: uri["path"] })] : [];
  });
}

/** Makes sure that the server accepts connections and can be found under its alias. Undefined if it can't. */
async function prepareRemoteSsh(serversView: ServersView, called: ServerRow): Promise<string | undefined> {
  const row = mustStart(called)
    ? await startForSsh(serversView, called)
    : (await maySsh(called))
      ? called
      : undefined;
  const target = row && sshTargetOf(row.server);
  if (row === undefined || target === undefined) return undefined;
  const host = sshHost(row.server, target, serversView.originOf(row.profileName), sha256Hex);
  return (await includeHost(serversView, host)) || undefined;
}

/**
 * Removes the line from the user's configuration, even if a different configuration is in use by now, and deletes the
 * included file.
 */
export async function removeSshHosts(serversView: ServersView): Promise<void> {
  const { storageUri, globalState } = serversView.context;
  const configs = includingConfigs(globalState);
  for (const configPath of configs) if (!(await excludeHosts(configPath, sshIncludePath(storageUri)))) return;
  removeFile(sshHostsPath(storageUri));
  await rememberConfigs(globalState, []);
  updateSshHostsContext(false);
  const message = vscode.l10n.t(
    "The GPU servers were removed from {0}. Nothing else was changed.",
    configs.join(", "),
  );
  showConfirmation(message);
}

/** False if the line couldn't be removed, which is reported. */
async function excludeHosts(configPath: string, includePath: string): Promise<boolean> {
  const file = await readConfigFile(configPath);
  if (typeof file === "string") return await showProblem(file, configPath, includePath);
  const change = removeInclude(file.text, includePath);
  if (change.state !== "done") return true;
  const problem = await writeConfigFile(file, change.text);
  return problem === undefined || (await showProblem(problem, configPath, includePath));
}

/**
 * Writes the host to our file, and makes sure that the user's configuration includes it and that `ssh` accepts it.
 * Resolves with the alias; false if the user doesn't agree, or if it fails, which is reported.
 */
async function includeHost({ context }: ServersView, host: SshHost): Promise<string | false> {
  const hostsPath = sshHostsPath(context.storageUri);
  const includePath = sshIncludePath(context.storageUri);
  const configPath = sshConfigPath();
  const file = await readConfigFile(configPath);
  if (typeof file === "string") return await showProblem(file, configPath, includePath);
  const change = addInclude(file.text, includePath);
  if (change.state === "refused") return await showProblem(change.problem, configPath, includePath);
  if (change.state === "done" && !(await mayAddLine(configPath, includePath))) return false;
  const { text, alias } = putSshHost(await readPrivateFile(hostsPath), host);
  await writePrivateFile(hostsPath, text);
  if (change.state === "done") {
    const problem = await writeConfigFile(file, change.text);
    if (problem !== undefined) return await showProblem(problem, configPath, includePath);
    await rememberConfigs(context.globalState, includingConfigs(context.globalState));
  }
  updateSshHostsContext(true);
  const refusal = await sshRefusal(alias, configPath === usualSshConfigPath() ? undefined : configPath);
  if (refusal === undefined) return alias;
  // Otherwise, no connection of the user to any host would work anymore.
  if (!(await excludeHosts(configPath, includePath))) return false;
  void showWarningMessage(
    vscode.l10n.t(
      "ssh refuses its configuration, so the line for your GPU servers was removed from {0} again. ssh reports: {1}",
      configPath,
      sanitizeLabel(refusal, 400),
    ),
  );
  return false;
}

async function mayAddLine(configPath: string, includePath: string): Promise<boolean> {
  const addLine = vscode.l10n.t("Add Line");
  const message = vscode.l10n.t("Add one line to your SSH configuration?");
  const detail = vscode.l10n.t(
    "This line is added at the top of {1} so that Remote-SSH can find your GPU servers:\n\n{0}\n\nNothing else is changed. To undo this, run “Remove GPU Servers from SSH Configuration”.",
    includeLine(includePath) ?? "",
    configPath,
  );
  return (await showInformationMessage(message, { modal: true, detail }, addLine)) === addLine;
}

/**
 * Explains why the configuration isn't changed and how the user can do it. Returns false because nothing was changed.
 */
async function showProblem(
  problem: ConfigFileProblem | "path",
  configPath: string,
  includePath: string,
): Promise<false> {
  const line = includeLine(includePath);
  const copyLine = vscode.l10n.t("Copy Line");
  const showFile = vscode.l10n.t("Show File");
  const buttons = line === undefined ? [] : [copyLine, showFile];
  const picked = await showWarningMessage(problemMessage(problem, configPath, includePath), ...buttons);
  if (picked === copyLine) await vscode.env.clipboard.writeText(`${line ?? ""}\n`);
  if (picked === showFile) await vscode.window.showTextDocument(vscode.Uri.file(configPath));
  return false;
}

function problemMessage(
  problem: ConfigFileProblem | "path",
  configPath: string,
  includePath: string,
): string {
  const messages: Readonly<Record<typeof problem, string>> = {
    path: vscode.l10n.t("The path {0} contains characters that ssh doesn't allow in Include.", includePath),
    notText: vscode.l10n.t("{0} isn't UTF-8 text and wasn't changed.", configPath),
    notFile: vscode.l10n.t("{0} isn't a file, or is a broken link, and wasn't changed.", configPath),
    readOnly: vscode.l10n.t(
      "{0} is read-only and wasn't changed. You can add the line at the top yourself.",
      configPath,
    ),
    changed: vscode.l10n.t(
      "{0} was just changed by another program, so nothing was written to it. Try again.",
      configPath,
    ),
    failed: vscode.l10n.t("{0} couldn't be written. You can add the line at the top yourself.", configPath),
  };
  return messages[problem];
}
