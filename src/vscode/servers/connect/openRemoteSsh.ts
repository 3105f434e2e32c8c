import * as vscode from "vscode";
import {
  putSshHost,
  addInclude,
  includeLine,
  removeInclude,
  sshHost,
} from "../../../core/servers/connect/sshHostsFile.ts";
import {
  deletePrivateFile,
  readConfigFile,
  readPrivateFile,
  writeConfigFile,
  writePrivateFile,
} from "../../../storage/files/configFile.ts";
import type { ConfigFileProblem } from "../../../storage/files/configFile.ts";
import type { ServersView } from "../serversView.ts";
import { maySsh } from "./sshChoice.ts";
import type { SshChoice } from "./sshChoice.ts";
import {
  includingConfigs,
  rememberConfigs,
  sshConfigPath,
  sshHostsPath,
  updateSshHostsContext,
} from "./remoteSsh.ts";
import { sha256Hex } from "../../shell/digest.ts";
import { showConfirmation, showInformationMessage, showWarningMessage } from "../../shell/window.ts";

/** Opens a VS Code window on the server, using an alias that stays the same whatever its address is. */
export async function openRemoteSsh(serversView: ServersView, { row, target }: SshChoice): Promise<void> {
  if (!(await maySsh({ row, target }))) return;
  const hostsPath = sshHostsPath(serversView.context.storageUri);
  if (!(await includeHosts(serversView, hostsPath))) return;
  const host = sshHost(row.server, target, serversView.originOf(row.profileName), sha256Hex);
  const { text, alias } = putSshHost(await readPrivateFile(hostsPath), host);
  await writePrivateFile(hostsPath, text);
  updateSshHostsContext(true);
  await vscode.commands.executeCommand("vscode.newWindow", {
    remoteAuthority: `ssh-remote+${alias}`,
    reuseWindow: false,
  });
}

/**
 * Removes the line from the user's configuration, even if a different configuration is in use by now, and deletes the
 * included file.
 */
export async function removeSshHosts(serversView: ServersView): Promise<void> {
  const { storageUri, globalState } = serversView.context;
  const hostsPath = sshHostsPath(storageUri);
  const configs = includingConfigs(globalState);
  for (const configPath of configs) if (!(await excludeHosts(configPath, hostsPath))) return;
  await deletePrivateFile(hostsPath);
  await rememberConfigs(globalState, []);
  updateSshHostsContext(false);
  const message = vscode.l10n.t(
    "The GPU servers were removed from {0}. Nothing else was changed.",
    configs.join(", "),
  );
  showConfirmation(message);
}

/** False if the line couldn't be removed, which is reported. */
async function excludeHosts(configPath: string, hostsPath: string): Promise<boolean> {
  const file = await readConfigFile(configPath);
  if (typeof file === "string") return await showProblem(file, configPath, hostsPath);
  const change = removeInclude(file.text, hostsPath);
  if (change.state !== "done") return true;
  const problem = await writeConfigFile(file, change.text);
  return problem === undefined || (await showProblem(problem, configPath, hostsPath));
}

/** Makes sure that the user's configuration includes our file. False if it doesn't, or if the user cancels. */
async function includeHosts({ context }: ServersView, hostsPath: string): Promise<boolean> {
  const configPath = sshConfigPath();
  const file = await readConfigFile(configPath);
  if (typeof file === "string") return await showProblem(file, configPath, hostsPath);
  const change = addInclude(file.text, hostsPath);
  if (change.state === "unchanged") return true;
  if (change.state === "refused") return await showProblem(change.problem, configPath, hostsPath);
  if (!(await mayAddLine(configPath, hostsPath))) return false;
  const problem = await writeConfigFile(file, change.text);
  if (problem !== undefined) return await showProblem(problem, configPath, hostsPath);
  await rememberConfigs(context.globalState, includingConfigs(context.globalState));
  return true;
}

async function mayAddLine(configPath: string, hostsPath: string): Promise<boolean> {
  const addLine = vscode.l10n.t("Add Line");
  const message = vscode.l10n.t("Add one line to your SSH configuration?");
  const detail = vscode.l10n.t(
    "This line is added at the top of {1} so that Remote-SSH can find your GPU servers:\n\n{0}\n\nNothing else is changed. To undo this, run “Remove GPU Servers from SSH Configuration”.",
    includeLine(hostsPath) ?? "",
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
  hostsPath: string,
): Promise<false> {
  const line = includeLine(hostsPath);
  const copyLine = vscode.l10n.t("Copy Line");
  const showFile = vscode.l10n.t("Show File");
  const buttons = line === undefined ? [] : [copyLine, showFile];
  const picked = await showWarningMessage(problemMessage(problem, configPath, hostsPath), ...buttons);
  if (picked === copyLine) await vscode.env.clipboard.writeText(`${line ?? ""}\n`);
  if (picked === showFile) await vscode.window.showTextDocument(vscode.Uri.file(configPath));
  return false;
}

function problemMessage(problem: ConfigFileProblem | "path", configPath: string, hostsPath: string): string {
  const messages: Readonly<Record<typeof problem, string>> = {
    path: vscode.l10n.t("The path {0} contains characters that ssh doesn't allow in Include.", hostsPath),
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
