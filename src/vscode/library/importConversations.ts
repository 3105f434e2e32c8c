import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import * as vscode from "vscode";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import type { ImportedFile } from "../../processes/library/importSources.ts";
import { readImportsInThread } from "../../processes/library/importSources.ts";
import { ImportTally } from "../../core/library/import/importTally.ts";
import { setContextKey } from "../shell/contextKey.ts";
import { exportFolder, withOwnCopies } from "../shell/ownMachine.ts";
import { showConfirmation, showWarningMessage, withProgress } from "../shell/window.ts";

/**
 * Asks for files with conversations and imports them. The format of each is detected from its contents. Resolves to the
 * IDs of the conversations that came.
 */
export async function importConversations(
  store: ConversationStore,
  extensionUri: vscode.Uri,
): Promise<readonly string[]> {
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t("Import Conversations Exported from Inference Gateway, ChatGPT, Claude, or VS Code"),
    openLabel: vscode.l10n.t("Import"),
    canSelectMany: true,
    defaultUri: exportFolder(),
    filters: { [vscode.l10n.t("Conversations")]: ["zip", "json", "jsonl"] },
  });
  if (chosen === undefined) return [];
  const tally = await importFiles(store, extensionUri, chosen);
  if (store.list().length > 0) setContextKey("inferenceGateway.hasConversations", true);
  if (tally.hasRefused) void showWarningMessage(tally.sentence());
  else showConfirmation(tally.sentence());
  return tally.changed;
}

async function importFiles(
  store: ConversationStore,
  extensionUri: vscode.Uri,
  uris: readonly vscode.Uri[],
): Promise<ImportTally> {
  const title = vscode.l10n.t("Importing conversations…");
  const location = vscode.ProgressLocation.Notification;
  const thread = vscode.Uri.joinPath(extensionUri, "dist", "importThread.cjs").fsPath;
  return await withProgress({ location, title, cancellable: true }, (progress, cancellation) =>
    withOwnCopies(uris, (paths) =>
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
