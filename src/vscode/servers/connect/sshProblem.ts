import * as vscode from "vscode";
import {
  fingerprintIn,
  offeredKeysText,
  recordKeyText,
  removalIn,
} from "../../../core/servers/connect/sshKeys.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";
import { gpuProblems } from "../../../core/servers/gpu/gpuWatchState.ts";
import type { GpuProblem } from "../../../core/servers/gpu/gpuWatchState.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { SshFailure } from "../../../processes/servers/runRemote.ts";
import { readSshKeys } from "../../../processes/servers/sshRoute.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { setStatusBarMessage, showErrorMessage, showWarningMessage } from "../../shell/window.ts";

interface Failure {
  readonly problem: GpuProblem;
  /** What `ssh` and the server's shell reported. */
  readonly errors: string;
  /** The tool that measures GPUs. */
  readonly tool?: string | undefined;
}

/**
 * Explains why a server can't be used over SSH, and offers what helps. Nothing accepts a key that has changed.
 * @param what What the user wanted, as a sentence; empty if that is obvious.
 * @param again The label of the button with which the user wants to try again. Resolves with whether it was used.
 */
export async function showSshProblem(
  row: ServerRow,
  { problem, errors, tool }: Failure,
  { what = "", again }: { readonly what?: string; readonly again?: string } = {},
): Promise<boolean> {
  const name = serverName(row.server);
  const text = gpuProblems[problem].text(problem === "changedKey" ? name : tool);
  const terminal = vscode.l10n.t("Open SSH Session in Terminal");
  const copy = vscode.l10n.t("Copy Fingerprint");
  const open = vscode.l10n.t("Open in Console");
  const fingerprint = problem === "changedKey" ? fingerprintIn(errors) : undefined;
  const removal = problem === "changedKey" ? removalIn(errors) : undefined;
  const buttons = [
    again ?? "",
    // The terminal would offer to accept a key that may be an attacker's.
    problem === "changedKey" || problem === "noSsh" ? "" : terminal,
    fingerprint === undefined ? "" : copy,
    problem === "changedKey" && row.actionFacts?.includes("hasConsole") === true ? open : "",
  ].filter((button) => button !== "");
  const sentences = [
    what,
    what === "" && problem !== "changedKey" ? `${name}: ${text}` : text,
    fingerprint ?? "",
    removal === undefined ? "" : vscode.l10n.t("If they match, remove the old key: {0}", removal),
    ...(problem === "denied" ? await keySentences(row) : []),
  ].filter((sentence) => sentence !== "");
  const picked = await showWarningMessage(sentences.join(" "), ...buttons);
  if (picked === terminal) await vscode.commands.executeCommand(commandIds.openSshTerminal, row);
  if (picked === open) await vscode.commands.executeCommand(commandIds.openServerConsole, row);
  if (picked === copy && fingerprint !== undefined) {
    await vscode.env.clipboard.writeText(fingerprint);
    setStatusBarMessage(vscode.l10n.t("{0} copied", fingerprint), 3_000);
  }
  return picked !== undefined && picked === again;
}

/** Shows why something on a server has failed, and what helps if that is the connection. */
export function showRemoteFailure(row: ServerRow, error: unknown): void {
  if (error instanceof SshFailure) void showSshProblem(row, error);
  // The user has canceled.
  else if (!(error instanceof Error && error.name === "AbortError")) void showErrorMessage(messageOf(error));
}

/** Which keys the server has refused, and which ones its record names. */
async function keySentences({ server }: ServerRow): Promise<readonly string[]> {
  const target = sshTargetOf(server);
  const keys = target === undefined ? [] : await readSshKeys(target);
  return [offeredKeysText(keys), recordKeyText(server.record)];
}
