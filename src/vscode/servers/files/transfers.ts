import * as vscode from "vscode";
import { formatBytes, formatNumber } from "../../../core/kernel/formatTime.ts";
import { logFailure } from "../../../core/kernel/errors.ts";
import { messageOf, systemCodeOf } from "../../../core/kernel/thrown.ts";
import { bytesOf } from "../../../core/servers/files/fileFacts.ts";
import type { FileComparison } from "../../../core/servers/files/fileFacts.ts";
import { TransferPace } from "../../../core/servers/files/transferText.ts";
import type { RemotePlace } from "../../../core/servers/connect/sshSession.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import type { TransferHooks } from "../../../processes/servers/transfer.ts";
import { sha256Hex } from "../../shell/digest.ts";
import {
  askRisk,
  showErrorMessage,
  showInformationMessage,
  showWarningMessage,
  withLateProgress,
  withProgress,
} from "../../shell/window.ts";
import { remotePlaceOf } from "../connect/remotePlace.ts";
import type { ServersView } from "../serversView.ts";

/** A server whose files are transferred. */
export interface FileServer {
  readonly serversView: ServersView;
  readonly row: ServerRow;
  readonly place: RemotePlace;
  readonly name: string;
}

/** Undefined if the server can't be reached over SSH, which is reported. */
export async function fileServerOf(
  serversView: ServersView,
  row: ServerRow,
): Promise<FileServer | undefined> {
  const place = await remotePlaceOf(serversView, row);
  const name = serverName(row.server);
  if (place !== undefined) return { serversView, row, place, name };
  void showWarningMessage(vscode.l10n.t("The record of {0} has no address for SSH.", name));
  return undefined;
}

/**
 * The name of the folder in which a transfer collects files until they are complete: the same for the same transfer, so
 * that it continues even in another window, and different from those of others.
 */
export function stageName(...parts: readonly string[]): string {
  return `.inference-gateway-${sha256Hex([vscode.env.machineId, ...parts].join("\n")).slice(0, 16)}`;
}

interface Transfer {
  readonly title: string;
  /** The folder in which it collects files, see `stageName`. */
  readonly stage: string;
  readonly bytes: number;
  /** Returns the paths of the files that failed. */
  run(hooks: TransferHooks): Promise<readonly string[]>;
  /** Removes what a canceled or failed transfer has left. */
  discard(): Promise<void>;
}

/** Milliseconds between two reports of the progress. */
const reportMs = 300;

/** Runs the transfer with a notification until it is complete, or the user gives up. */
export async function runTransfer(server: FileServer, transfer: Transfer): Promise<boolean> {
  const { serversView, row } = server;
  const { transfers, context } = serversView;
  const { title, stage } = transfer;
  const running = { row, title, stage };
  for (;;) {
    // Both would write to the same files.
    if ([...transfers].some((other) => other.stage === stage)) {
      void showWarningMessage(vscode.l10n.t("{0}: This transfer is already running.", title));
      return false;
    }
    transfers.add(running);
    let done = 0;
    let problem: string | undefined;
    try {
      const failed = await trackProgress(transfer, (bytes) => (done = bytes));
      if (failed !== undefined) {
        reportLeftOut(failed, vscode.l10n.t("Files that couldn't be read or written"));
        return true;
      }
    } catch (error) {
      logFailure(context.log, error);
      const isFull = systemCodeOf(error) === "ENOSPC";
      problem = isFull ? vscode.l10n.t("The disk of this machine is full.") : messageOf(error);
    } finally {
      transfers.delete(running);
    }
    if (!(await mayContinue(transfer, done, problem))) return false;
  }
}

/** Warns of files that weren't transferred, if there are any. */
export function reportLeftOut(paths: readonly string[], reason: string): void {
  if (paths.length > 0)
    void showWarningMessage(`${reason} (${formatNumber(paths.length)}): ${paths.slice(0, 5).join(", ")}`);
}

/** Undefined if the user cancels. */
async function trackProgress(
  { title, bytes: total, run }: Transfer,
  onProgress: (bytes: number) => void,
): Promise<readonly string[] | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return await withProgress(options, async (progress, token) => {
    const cancellation = new AbortController();
    token.onCancellationRequested(() => {
      clearInterval(timer);
      progress.report({ message: vscode.l10n.t("Canceling…") });
      cancellation.abort();
    });
    const pace = new TransferPace(total);
    let latest = { bytes: 0, isPaused: false };
    let percent = 0;
    // Whether or not anything arrives, so that the last bytes before a standstill are shown, too.
    const timer = setInterval(() => {
      const increment = total === 0 ? 0 : (latest.bytes / total) * 100 - percent;
      percent += increment;
      progress.report({ message: pace.text(latest.bytes, latest.isPaused, performance.now()), increment });
    }, reportMs);
    try {
      return await run({
        signal: cancellation.signal,
        onProgress(bytes, isPaused) {
          onProgress(bytes);
          latest = { bytes, isPaused };
        },
      });
    } catch (error) {
      if (cancellation.signal.aborted) return undefined;
      throw error;
    } finally {
      clearInterval(timer);
    }
  });
}

/** After a transfer was canceled or has failed: whether the user continues it. What has arrived can be removed. */
async function mayContinue(
  { title, discard }: Transfer,
  done: number,
  problem: string | undefined,
): Promise<boolean> {
  const again = problem === undefined ? vscode.l10n.t("Continue") : vscode.l10n.t("Try Again");
  const remove = vscode.l10n.t("Remove");
  const kept = done === 0 ? "" : vscode.l10n.t("{0} are kept so that it can continue.", formatBytes(done));
  const text = problem ?? vscode.l10n.t("Canceled.");
  const show = problem === undefined ? showInformationMessage : showErrorMessage;
  const picked = await show(`${title}: ${text} ${kept}`, again, remove);
  if (picked === remove) {
    const removing = vscode.l10n.t("Removing what has arrived…");
    await withLateProgress(removing, discard).catch((error: unknown) => showErrorMessage(messageOf(error)));
  }
  return picked === again;
}

interface ReplaceQuestion {
  /** The server or folder with the existing files, in words. */
  readonly where: string;
  /** Bytes. */
  readonly free: number | undefined;
  /** Whether the user has already agreed. */
  readonly isAgreed?: boolean;
}

/**
 * Asks once before anything is replaced. Resolves with what remains of the comparison; undefined if the user cancels, or if
 * it can't be done, which is reported.
 */
export async function agreeToReplace(
  comparison: FileComparison,
  { where, free, isAgreed = false }: ReplaceQuestion,
): Promise<FileComparison | undefined> {
  const { entries, replaced, newer, conflicts } = comparison;
  const [conflict] = conflicts;
  if (conflict !== undefined) {
    const message = vscode.l10n.t(
      "“{0}” can't be replaced: on {1}, it is of a different kind (file, folder or link). Nothing was transferred.",
      ...[conflict, where],
    );
    void showErrorMessage(message);
    return undefined;
  }
  const bytes = bytesOf(entries);
  if (free !== undefined && bytes > free) {
    void showErrorMessage(
      vscode.l10n.t("{0} don't fit on {1}: {2} are free.", formatBytes(bytes), where, formatBytes(free)),
    );
    return undefined;
  }
  if (replaced.length === 0 || isAgreed) return comparison;
  const question =
    replaced.length === 1
      ? vscode.l10n.t("Replace 1 file on {0}?", where)
      : vscode.l10n.t("Replace {0} files on {1}?", formatNumber(replaced.length), where);
  const newerText =
    newer.length === 1
      ? vscode.l10n.t("1 is newer there.")
      : vscode.l10n.t("{0} are newer there.", formatNumber(newer.length));
  const names = [...replaced.slice(0, 10), ...(replaced.length > 10 ? ["…"] : [])].join("\n");
  const detail = newer.length === 0 ? names : `${newerText}\n\n${names}`;
  const all = { [vscode.l10n.t("Replace All")]: new Set<string>() };
  const choices = newer.length === 0 ? all : { ...all, [vscode.l10n.t("Keep Newer")]: new Set(newer) };
  const kept = await askRisk(question, detail, choices);
  return kept && leaveOut(comparison, kept);
}

/** The comparison without these paths. */
export function leaveOut(comparison: FileComparison, paths: ReadonlySet<string>): FileComparison {
  const isKept = (path: string): boolean => !paths.has(path);
  const { entries, replaced, newer } = comparison;
  return {
    ...{ ...comparison, entries: entries.filter(({ path }) => isKept(path)) },
    ...{ replaced: replaced.filter(isKept), newer: newer.filter(isKept) },
  };
}
