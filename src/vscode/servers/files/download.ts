import { homedir } from "node:os";
import { dirname, join, posix } from "node:path";
import * as vscode from "vscode";
import { formatBytes } from "../../../core/kernel/formatTime.ts";
import {
  bytesOf,
  checkListed,
  compareFiles,
  fileCount,
  shortFolder,
} from "../../../core/servers/files/fileFacts.ts";
import type { FileFacts } from "../../../core/servers/files/fileFacts.ts";
import { wholeSeconds } from "../../../core/servers/files/remoteFiles.ts";
import type { TreeRow } from "../../../core/servers/tree/rows.ts";
import {
  discardDownload,
  downloadFiles,
  listRemote,
  lookAtLocal,
} from "../../../processes/servers/downloadFiles.ts";
import {
  showConfirmation,
  showInformationMessage,
  showWarningMessage,
  withLateProgress,
} from "../../shell/window.ts";
import { chooseSshServer } from "../connect/sshChoice.ts";
import { exists } from "../../shell/findFiles.ts";
import type { ServersView } from "../serversView.ts";
import { showRemoteFailure } from "../connect/sshProblem.ts";
import { chooseRemoteFolder } from "./chooseFolder.ts";
import { agreeToReplace, fileServerOf, reportLeftOut, runTransfer, stageName } from "./transfers.ts";
import type { FileServer } from "./transfers.ts";
import { localPlaceOf, workFolderOf } from "./workFolder.ts";

/**
 * Asks for a folder or file of a server and for a folder of this machine, and downloads.
 * @param changed The folder of which only what has changed since a time is wanted, in milliseconds since 1970 by the clock
 *   of the server.
 */
export async function downloadFrom(
  serversView: ServersView,
  row: TreeRow | undefined,
  changed?: { readonly folder: string; readonly home?: string | undefined; readonly since: number },
): Promise<void> {
  const target = await chooseSshServer(serversView, row);
  const server = target && (await fileServerOf(serversView, target));
  if (server === undefined) return;
  if (changed !== undefined) {
    const since = wholeSeconds(changed.since);
    const suits = ({ kind, modifiedAt }: FileFacts): boolean => kind !== "folder" && modifiedAt >= since;
    return await download(server, { ...changed, onlyNew: true, suits });
  }
  const title = vscode.l10n.t("Download from {0}", server.name);
  const start = workFolderOf(serversView, server.row)?.folder ?? "~";
  const question = { title, choose: vscode.l10n.t("Download This Folder"), start, hasFiles: true };
  const chosen = await chooseRemoteFolder(server, question);
  if (chosen !== undefined) await download(server, { ...chosen, onlyNew: false, suits: () => true });
}

interface WantedFiles {
  readonly folder: string;
  /** The home folder on the server, if it is known. */
  readonly home?: string | undefined;
  /** The only file that is wanted. */
  readonly file?: FileFacts | undefined;
  /** Whether only new files are wanted, which go into the chosen folder itself. */
  readonly onlyNew: boolean;
  suits(file: FileFacts): boolean;
}

async function download(server: FileServer, wanted: WantedFiles): Promise<void> {
  try {
    const { folder, home = "", file, onlyNew, suits } = wanted;
    const { name, place } = server;
    const listing = vscode.l10n.t("Listing files on {0}", name);
    const { entries: listed, closed } =
      file === undefined
        ? await withLateProgress(listing, ({ signal }) => listRemote({ place, folder }, onlyNew, signal))
        : { entries: [file], closed: [] };
    reportLeftOut(closed, vscode.l10n.t("Folders that your account can't read on the server"));
    const { entries: all, refused } = checkListed(listed.filter(suits), process.platform);
    if (all.length === 0)
      return showConfirmation(
        onlyNew
          ? vscode.l10n.t("No files in {0} have changed since the job started.", shortFolder(folder, home))
          : vscode.l10n.t("There are no files to download from {0}.", name),
      );
    const isWhole = file === undefined && !onlyNew;
    const here = localPlaceOf(workFolderOf(server.serversView, server.row), folder);
    const what = `${fileCount(all)}, ${formatBytes(bytesOf(all))}`;
    const chosen = await chooseDestination(what, here !== undefined && isWhole ? dirname(here) : here);
    if (chosen === undefined) return;
    const destination = isWhole ? join(chosen, checkedName(folder)) : chosen;
    const { existing, free } = await lookAtLocal(destination, all);
    const where = shortFolder(destination, homedir());
    const agreed = await agreeToReplace(compareFiles(all, existing), {
      ...{ where: vscode.l10n.t("this machine"), free },
    });
    if (agreed === undefined) return;
    const { entries, replaced } = agreed;
    const stage = stageName(server.row.id, folder, destination);
    const isDone = await runTransfer(server, {
      ...{ title: vscode.l10n.t("Downloading from {0}", name), stage },
      bytes: bytesOf(entries),
      run: (hooks) => downloadFiles({ place, folder, stage, destination, entries, replaced }, hooks),
      discard: () => discardDownload({ destination, stage }),
    });
    reportLeftOut(
      refused,
      vscode.l10n.t("Files that weren't downloaded, because their names are unsafe or not possible here"),
    );
    if (!isDone) return;
    const open = vscode.l10n.t("Open Folder");
    const message = vscode.l10n.t("Downloaded {0} to {1}.", fileCount(entries), where);
    if ((await showInformationMessage(message, open)) !== open) return;
    await vscode.commands.executeCommand("revealFileInOS", vscode.Uri.file(destination));
  } catch (error) {
    showRemoteFailure(server.row, error);
  }
}

/** The name of the folder, if it can be one on this machine. */
function checkedName(folder: string): string {
  const path = posix.basename(folder);
  const facts = { path, kind: "folder", size: 0, mode: 0, modifiedAt: 0 } as const;
  return checkListed([facts], process.platform).entries.length === 1 ? path : "download";
}

/** What belongs nowhere is offered to be saved beside the project, which would upload it otherwise. */
async function chooseDestination(what: string, place: string | undefined): Promise<string | undefined> {
  const project = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri;
  let start = place ?? (project === undefined ? homedir() : dirname(project.fsPath));
  while (!(await exists(vscode.Uri.file(start)))) start = dirname(start);
  const [chosen] =
    (await vscode.window.showOpenDialog({
      ...{ canSelectFiles: false, canSelectFolders: true, defaultUri: vscode.Uri.file(start) },
      ...{ openLabel: vscode.l10n.t("Download"), title: vscode.l10n.t("Choose Where to Save {0}", what) },
    })) ?? [];
  if (chosen === undefined || chosen.scheme === "file") return chosen?.fsPath;
  void showWarningMessage(vscode.l10n.t("Choose a folder of this machine."));
  return undefined;
}
