import * as vscode from "vscode";
import { isSecretFile } from "../../../core/compose/context/excludeRules.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { formatBytes, formatNumber, shortList } from "../../../core/kernel/formatTime.ts";
import { bytesOf, fileCount, shortFolder } from "../../../core/servers/files/fileFacts.ts";
import type { TreeRow } from "../../../core/servers/tree/rows.ts";
import {
  showConfirmation,
  showInformationMessage,
  showQuickPick,
  withLateProgress,
} from "../../shell/window.ts";
import { openRemoteSsh } from "../connect/openRemoteSsh.ts";
import { hasRemoteSsh } from "../connect/remoteSsh.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { chooseSshServer } from "../connect/sshChoice.ts";
import { showRemoteFailure } from "../connect/sshProblem.ts";
import type { ServersView } from "../serversView.ts";
import { chooseRemoteFolder } from "./chooseFolder.ts";
import { fileServerOf } from "./transfers.ts";
import type { FileServer } from "./transfers.ts";
import { chosenFiles, planUpload, runUpload } from "./uploadPlan.ts";
import type { ChosenFiles, UploadPlan } from "./uploadPlan.ts";
import { keepWorkFolder, workFolderOf } from "./workFolder.ts";

/** Asks for a server and for files if they aren't given, then for the folder, and uploads. */
export async function uploadTo(
  serversView: ServersView,
  row: TreeRow | undefined,
  given: readonly vscode.Uri[] = [],
): Promise<void> {
  const chosen = await chooseSshServer(serversView, row);
  const server = chosen && (await fileServerOf(serversView, chosen));
  const uris = server === undefined || given.length > 0 ? given : await askForFiles();
  if (chosen === undefined || server === undefined || uris.length === 0) return;
  try {
    const plan = await choosePlan(server, await chosenFiles(uris));
    if (plan === undefined) return;
    const { name } = server;
    const where = `${name}:${shortFolder(plan.folder, plan.look.home)}`;
    if (plan.entries.length === 0 && plan.conflicts.length === 0 && plan.look.exists)
      return showConfirmation(vscode.l10n.t("Nothing has changed since the last upload to {0}.", where));
    const uploaded = await runUpload(server, plan);
    if (uploaded === undefined) return;
    const folder = plan.folder.replace(/^~/, () => plan.look.home);
    if (plan.files.isFolder)
      await keepWorkFolder(serversView, chosen, { folder, source: plan.files.id, uploads: true });
    const open = vscode.l10n.t("Open Folder");
    const message = vscode.l10n.t("Uploaded {0} to {1}.", fileCount(uploaded), where);
    const run = vscode.l10n.t("Run on Server…");
    const picked = await showInformationMessage(message, ...(hasRemoteSsh() ? [open] : []), run);
    if (picked === run) await vscode.commands.executeCommand(commandIds.runOnServer, chosen);
    if (picked === open) await openRemoteSsh(serversView, chosen, folder);
  } catch (error) {
    showRemoteFailure(server.row, error);
  }
}

/** Uploads what was dropped on a server, or on what is shown below it. */
export async function uploadDropped(
  serversView: ServersView,
  row: TreeRow | undefined,
  dropped: vscode.DataTransfer,
): Promise<void> {
  const uris = await urisOfDrop(dropped);
  const target = row !== undefined && "server" in row && row.kind !== "server" ? row.server : row;
  if (target?.kind !== "server") showConfirmation(vscode.l10n.t("Drop files on a server to upload them."));
  else if (uris.length > 0) await uploadTo(serversView, target, uris);
}

/** The files and folders of a drop. Anything else, such as a link of a web page, is left out. */
export async function urisOfDrop(dropped: vscode.DataTransfer): Promise<readonly vscode.Uri[]> {
  const text = (await dropped.get("text/uri-list")?.asString()) ?? "";
  return text.split(/\r?\n/).flatMap((line) => {
    try {
      const uri = vscode.Uri.parse(line, true);
      const isKnown = vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== undefined;
      return isKnown && !/^https?$/.test(uri.scheme) ? [uri] : [];
    } catch {
      return [];
    }
  });
}

async function askForFiles(): Promise<readonly vscode.Uri[]> {
  const ask = async (options: vscode.OpenDialogOptions): Promise<readonly vscode.Uri[]> =>
    (await vscode.window.showOpenDialog({
      ...options,
      openLabel: vscode.l10n.t("Upload"),
      canSelectMany: true,
    })) ?? [];
  const items = [
    ...(vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
      label: `$(folder) ${escapeCodicons(name)}`,
      choose: () => Promise.resolve([uri]),
    })),
    {
      label: vscode.l10n.t("Choose Folders…"),
      choose: () => ask({ canSelectFolders: true, canSelectFiles: false }),
    },
    { label: vscode.l10n.t("Choose Files…"), choose: () => ask({ canSelectFiles: true }) },
  ];
  const picked = await showQuickPick(items, { placeHolder: vscode.l10n.t("Select what to upload") });
  return (await picked?.choose()) ?? [];
}

/** Shows in one line what an upload would do, until the user agrees to one. */
async function choosePlan(server: FileServer, files: ChosenFiles): Promise<UploadPlan | undefined> {
  const { serversView, row, name } = server;
  const inFolder = (parent: string): string =>
    files.isFolder ? `${parent.replace(/\/$/, "")}/${files.name}` : parent;
  const title = vscode.l10n.t("Upload {0} to {1}", files.name, name);
  const work = workFolderOf(serversView, row);
  const isKnown = work !== undefined && (!files.isFolder || work.source === files.id);
  let folder = isKnown ? work.folder : inFolder("~");
  let includesIgnored = false;
  for (;;) {
    const task = vscode.l10n.t("Looking at {0} and {1}", files.name, name);
    const plan = await withLateProgress(task, ({ signal }) =>
      planUpload(server, files, { folder, includesIgnored, signal }),
    );
    const { scan } = plan;
    const items = [
      { ...describePlan(plan), action: "upload" as const },
      { label: `$(folder-opened) ${vscode.l10n.t("Choose Folder…")}`, action: "choose" as const },
      ...(scan.ignored > 0
        ? [
            {
              label: `$(add) ${vscode.l10n.t("Include Files That Git Ignores ({0})", formatNumber(scan.ignored))}`,
              action: "include" as const,
            },
          ]
        : []),
    ];
    const action = (
      await showQuickPick(items, { title, placeHolder: vscode.l10n.t("Select where to upload") })
    )?.action;
    if (action === undefined) return undefined;
    if (action === "upload") return plan;
    if (action === "include") includesIgnored = true;
    else {
      const question = { title, choose: vscode.l10n.t("Upload Here"), start: "~", hasFiles: false };
      const chosen = await chooseRemoteFolder(server, question);
      if (chosen !== undefined) folder = inFolder(chosen.folder);
    }
  }
}

/** Such as `~/nanogpt (new)` with `412 files, 3.4 GB · 210 GB free`. */
function describePlan({ folder, scan, look, entries, replaced }: UploadPlan): vscode.QuickPickItem {
  const short = shortFolder(folder, look.home);
  const same = scan.entries.length - entries.length;
  const facts = [
    `${fileCount(entries)}, ${formatBytes(bytesOf(entries))}`,
    ...(replaced.length > 0 ? [vscode.l10n.t("{0} changed", formatNumber(replaced.length))] : []),
    ...(look.exists && same > 0 ? [vscode.l10n.t("{0} unchanged", formatNumber(same))] : []),
    ...(look.free === undefined ? [] : [vscode.l10n.t("{0} free", formatBytes(look.free))]),
  ];
  const secret = entries
    .filter(({ kind, path }) => kind === "file" && isSecretFile(path))
    .map(({ path }) => path);
  const details = [
    ...(scan.ignored > 0 ? [vscode.l10n.t("{0} skipped by .gitignore", formatNumber(scan.ignored))] : []),
    ...(scan.skipped.size > 0 ? [vscode.l10n.t("Skipped: {0}", [...scan.skipped].join(", "))] : []),
    ...(scan.unusual > 0
      ? [vscode.l10n.t("Links skipped that lead elsewhere: {0}", formatNumber(scan.unusual))]
      : []),
    ...(scan.closed.length > 0
      ? [
          vscode.l10n.t(
            "Folders that can't be read: {0}",
            shortList(scan.closed, 5, (path) => path),
          ),
        ]
      : []),
    ...(secret.length > 0 ? [vscode.l10n.t("May contain secrets: {0}", secret.slice(0, 5).join(", "))] : []),
  ];
  return {
    label: `$(cloud-upload) ${escapeCodicons(look.exists ? short : vscode.l10n.t("{0} (new)", short))}`,
    description: facts.join(" · "),
    ...(details.length === 0 ? {} : { detail: details.join(" · ") }),
  };
}
