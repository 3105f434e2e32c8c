import { homedir } from "node:os";
import { basename, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import * as vscode from "vscode";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import type { ImportedFile } from "../../storage/import/importSources.ts";
import { readImportsInThread } from "../../storage/import/importSources.ts";
import { ImportTally } from "../../core/library/import/importTally.ts";
import { setContextKey } from "../shell/contextKey.ts";
import { exportFolder, withOwnCopies } from "../shell/ownMachine.ts";
import { showConfirmation, showQuickPick, showWarningMessage, withProgress } from "../shell/window.ts";

/** The folders of this extension, from which those of other extensions are found. */
interface ImportLocations {
  readonly extensionUri: vscode.Uri;
  /** The folder of this extension. Those of other extensions are next to it. */
  readonly storageUri: vscode.Uri;
}

interface Source extends vscode.QuickPickItem {
  readonly folder: vscode.Uri | undefined;
  readonly isFolder: boolean;
}

/**
 * Asks for the location of the conversations and imports them. The format is detected from the contents, not from the
 * selected source.
 */
export async function importConversations(
  store: ConversationStore,
  locations: ImportLocations,
): Promise<void> {
  const source = await showQuickPick(sources(locations.storageUri), {
    title: vscode.l10n.t("Import Conversations"),
    placeHolder: vscode.l10n.t("Select the source"),
  });
  if (source === undefined) return;
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t("Import Conversations"),
    openLabel: vscode.l10n.t("Import"),
    canSelectFiles: !source.isFolder,
    canSelectFolders: source.isFolder,
    canSelectMany: true,
    defaultUri: source.folder ?? exportFolder(),
    ...(source.isFolder
      ? {}
      : { filters: { [vscode.l10n.t("Conversations")]: ["json", "jsonl", "zip", "db"] } }),
  });
  if (chosen === undefined) return;
  const tally = await importFiles(store, locations, chosen);
  if (store.list().length > 0) setContextKey("inferenceGateway.hasConversations", true);
  if (tally.hasRefused) void showWarningMessage(tally.sentence());
  else showConfirmation(tally.sentence());
}

async function importFiles(
  store: ConversationStore,
  { extensionUri, storageUri }: ImportLocations,
  uris: readonly vscode.Uri[],
): Promise<ImportTally> {
  const title = vscode.l10n.t("Importing conversations…");
  const location = vscode.ProgressLocation.Notification;
  const thread = vscode.Uri.joinPath(extensionUri, "dist", "importThread.js").fsPath;
  return await withProgress({ location, title, cancellable: true }, (progress, cancellation) =>
    withOwnCopies(uris, storageUri, (paths) =>
      takeFiles(store, readImportsInThread(thread, paths), {
        isCanceled: () => cancellation.isCancellationRequested,
        report: (message) => progress.report({ message }),
      }),
    ),
  );
}

interface Watcher {
  /** Everything imported so far is kept. */
  isCanceled(): boolean;
  report(progress: string): void;
}

async function takeFiles(
  store: ConversationStore,
  files: AsyncIterable<ImportedFile>,
  watcher: Watcher,
): Promise<ImportTally> {
  const tally = new ImportTally(store);
  for await (const file of files) {
    if (watcher.isCanceled()) break;
    if ("problem" in file) tally.refuse(basename(file.path), file.problem);
    else await takeSlices(tally.take(file.imported), watcher);
    watcher.report(formatNumber(tally.added));
    await setImmediate();
  }
  return tally;
}

/** Lets the host do other work between two slices. */
async function takeSlices(slices: Iterable<number>, watcher: Watcher): Promise<void> {
  for (const added of slices) {
    watcher.report(formatNumber(added));
    if (watcher.isCanceled()) return;
    await setImmediate();
  }
}

function sources(storage: vscode.Uri): readonly Source[] {
  const tasks = (extension: string): vscode.Uri => vscode.Uri.joinPath(storage, "..", extension, "tasks");
  return [
    {
      label: "ChatGPT",
      detail: vscode.l10n.t("Data export (.zip), or the conversations.json file in it"),
      folder: undefined,
      isFolder: false,
    },
    {
      label: vscode.l10n.t("VS Code Chat"),
      detail: vscode.l10n.t("Exported chat (.json or .zip)"),
      folder: undefined,
      isFolder: false,
    },
    {
      label: "Claude",
      detail: vscode.l10n.t("Data export (.zip), or the conversations.json file in it"),
      folder: undefined,
      isFolder: false,
    },
    {
      label: "Open WebUI",
      detail: vscode.l10n.t("Exported chats (.json)"),
      folder: undefined,
      isFolder: false,
    },
    {
      label: "LM Studio",
      detail: vscode.l10n.t("Conversations folder"),
      folder: vscode.Uri.file(join(homedir(), ".lmstudio", "conversations")),
      isFolder: true,
    },
    {
      label: "Cherry Studio",
      detail: vscode.l10n.t("Backup (.zip), or the data.json file in it"),
      folder: undefined,
      isFolder: false,
    },
    {
      label: "Continue",
      detail: vscode.l10n.t("Sessions folder"),
      folder: vscode.Uri.file(join(homedir(), ".continue", "sessions")),
      isFolder: true,
    },
    {
      label: "Cline",
      detail: vscode.l10n.t("Tasks folder, or the folder of a single task"),
      folder: tasks("saoudrizwan.claude-dev"),
      isFolder: true,
    },
    {
      label: "Roo Code",
      detail: vscode.l10n.t("Tasks folder, or the folder of a single task"),
      folder: tasks("rooveterinaryinc.roo-cline"),
      isFolder: true,
    },
    {
      label: "Inference Gateway",
      detail: vscode.l10n.t("Conversations exported as JSON"),
      folder: undefined,
      isFolder: false,
    },
  ];
}
