import * as vscode from "vscode";
import {
  putSshHost,
  addInclude,
  includeLine,
  removeInclude,
  sshHost,
} from "../../../core/servers/connect/sshHostsFile.ts";
import {
  readConfigFile,
  readPrivateFile,
  writeConfigFile,
  writePrivateFile,
} from "../../../storage/files/configFile.ts";
import { sanitizeLabel } from "../../../core/kernel/foreignText.ts";
import { sshRefusal } from "../../../processes/servers/sshRoute.ts";
import { removeFile } from "../../../storage/files/heldFile.ts";
import type { ConfigFileProblem } from "../../../storage/files/configFile.ts";
import type { ServersView } from "../serversView.ts";
import { maySsh } from "./sshChoice.ts";
import type { SshChoice } from "./sshChoice.ts";
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
import { showConfirmation, showInformationMessage, showWarningMessage } from "../../shell/window.ts";

/** Opens a VS Code window on the server, using an alias that stays the same whatever its address is. */
export async function openRemoteSsh(
  serversView: ServersView,
  { row, target }: SshChoice,
  folder?: string,
): Promise<void> {
  if (!(await maySsh({ row, target }))) return;
  const hostsPath = sshHostsPath(serversView.context.storageUri);
  const host = sshHost(row.server, target, serversView.originOf(row.profileName), sha256Hex);
  const { text, alias } = putSshHost(await readPrivateFile(hostsPath), host);
  const includePath = sshIncludePath(serversView.context.storageUri);
  if (!(await mayInclude(includePath))) return;
  await writePrivateFile(hostsPath, text);
  if (!(await includeHosts(serversView, includePath, alias))) return;
  updateSshHostsContext(true);
  const remoteAuthority = `ssh-remote+${alias}`;
  if (folder === undefined)
    await vscode.commands.executeCommand("vscode.newWindow", { remoteAuthority, reuseWindow: false });
  else {
    const uri = vscode.Uri.from({ scheme: "vscode-remote", authority: remoteAuthority, path: folder });
    await vscode.commands.executeCommand("vscode.openFolder", uri, { forceNewWindow: true });
  }
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

/** Whether the user's configuration includes our file, or the user agrees to add the line. */
async function mayInclude(includePath: string): Promise<boolean> {
  const configPath = sshConfigPath();
  const file = await readConfigFile(configPath);
  if (typeof file === "string") return await showProblem(file, configPath, includePath);
  const change = addInclude(file.text, includePath);
  if (change.state === "refused") return await showProblem(change.problem, configPath, includePath);
  return change.state === "unchanged" || (await mayAddLine(configPath, includePath));
}

/** Makes sure that the user's configuration includes our file, and that `ssh` accepts it. False if it doesn't. */
async function includeHosts({ context }: ServersView, includePath: string, alias: string): Promise<boolean> {
  const configPath = sshConfigPath();
  const file = await readConfigFile(configPath);
  if (typeof file === "string") return await showProblem(file, configPath, includePath);
  const change = addInclude(file.text, includePath);
  if (change.state === "refused") return await showProblem(change.problem, configPath, includePath);
  if (change.state === "done") {
    const problem = await writeConfigFile(file, change.text);
    if (problem !== undefined) return await showProblem(problem, configPath, includePath);
    await rememberConfigs(context.globalState, includingConfigs(context.globalState));
  }
  const refusal = await sshRefusal(alias, configPath === usualSshConfigPath() ? undefined : configPath);
  if (refusal === undefined) return true;
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
