import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { formatBytes, formatDate, formatNumber } from "../../core/kernel/formatTime.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import { parseReport } from "../../storage/conversations/storageCheck.ts";
import type { StorageReport, StorageSource } from "../../storage/conversations/storageCheck.ts";
import { removeDatabase } from "../../storage/database/journal.ts";
import { runStorageThread } from "../../storage/database/runStorageThread.ts";
import { revealStorage } from "../conversation/conversationFile.ts";
import { conversationFile } from "../conversation/storageLocation.ts";
import { pickItem } from "../shell/pickItem.ts";
import { confirmRisk, showConfirmation, showErrorMessage, withLateProgress } from "../shell/window.ts";

interface SourceItem extends vscode.QuickPickItem {
  /** Shows the file in the operating system. */
  readonly reveals?: true;
  readonly source?: StorageSource;
}

interface StorageFolders {
  readonly storageUri: vscode.Uri;
  readonly extensionUri: vscode.Uri;
}

/**
 * Verifies the file with the conversations, and lists its backups, damaged files and unsaved changes with what each
 * would add. Restores or deletes what the user selects, and opens again after that.
 */
export async function showStorageCheck({ storageUri, extensionUri }: StorageFolders): Promise<void> {
  const path = conversationFile(storageUri);
  const thread = vscode.Uri.joinPath(extensionUri, "dist", "storageThread.cjs").fsPath;
  try {
    for (;;) {
      const title = vscode.l10n.t("Checking the stored conversations…");
      const report = parseReport(
        await withLateProgress(title, () => runStorageThread(thread, { name: "check", path })),
      );
      if (report === undefined) return;
      const picked = await pickItem(createItems(report), {
        title: vscode.l10n.t("Check Conversation Storage"),
        placeholder: vscode.l10n.t("Select a file to restore what is missing"),
      });
      if (picked?.item.reveals) return await revealStorage(storageUri);
      const source = picked?.item.source;
      if (source === undefined) return;
      if (picked?.button !== undefined) await deleteDamaged(path, source);
      else if (await confirmTakeOver(source))
        await withLateProgress(vscode.l10n.t("Restoring conversations…"), () =>
          runStorageThread(thread, { name: "takeOver", path, source: source.name }),
        );
    }
  } catch (error) {
    void showErrorMessage(
      vscode.l10n.t("The stored conversations couldn't be checked. {0}", messageOf(error)),
    );
  }
}

function createItems({ problem, messages, waiting, sources }: StorageReport): readonly SourceItem[] {
  const state: SourceItem =
    problem === undefined
      ? {
          label: vscode.l10n.t("$(pass) The stored conversations are intact"),
          description: vscode.l10n.t("messages: {0}", formatNumber(messages)),
        }
      : {
          label: vscode.l10n.t("$(error) The stored conversations are damaged"),
          detail: problem,
        };
  const removal: readonly SourceItem[] =
    waiting === 0
      ? []
      : [
          {
            label: vscode.l10n.t("$(clock) Deleted content is still being removed"),
            detail: vscode.l10n.t("It is removed as soon as no other program has the files open."),
          },
        ];
  const group = (kind: StorageSource["kind"], label: string): readonly SourceItem[] => {
    const items = sources.filter((source) => source.kind === kind).map(createItem);
    return items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
  };
  return [
    state,
    { label: vscode.l10n.t("$(folder-opened) Reveal Conversation Storage"), reveals: true },
    ...removal,
    ...group("spill", vscode.l10n.t("Unsaved Changes")),
    ...group("backup", vscode.l10n.t("Backups")),
    ...group("setAside", vscode.l10n.t("Damaged Files")),
  ];
}

function createItem(source: StorageSource): SourceItem {
  const { kind, name, madeAt, bytes } = source;
  return {
    label: madeAt === undefined ? name : formatDate(madeAt),
    description: `${describeAddition(source)} · ${formatBytes(bytes)}`,
    ...(madeAt === undefined ? {} : { detail: name }),
    ...(kind === "setAside"
      ? { buttons: [{ iconPath: new vscode.ThemeIcon("trash"), tooltip: vscode.l10n.t("Delete") }] }
      : {}),
    source,
  };
}

function describeAddition({ kind, adds }: StorageSource): string {
  if (adds === undefined) return vscode.l10n.t("can't be read");
  if (adds === 0) return vscode.l10n.t("nothing to restore");
  if (kind === "spill") return vscode.l10n.t("changes to save: {0}", formatNumber(adds));
  return vscode.l10n.t("messages to restore: {0}", formatNumber(adds));
}

function confirmTakeOver(source: StorageSource): Promise<boolean> {
  if (source.adds === undefined || source.adds === 0) return Promise.resolve(false);
  return confirmRisk({
    question: vscode.l10n.t("Restore what only “{0}” contains?", source.name),
    detail: [
      `${describeAddition(source)}.`,
      vscode.l10n.t("Conversations that you deleted after this file was created are restored, too."),
    ].join("\n\n"),
    accept: vscode.l10n.t("Restore"),
    decline: vscode.l10n.t("Don't Restore"),
    isExpected: true,
  });
}

/** Deletes the damaged file with its log, after asking. */
async function deleteDamaged(path: string, { name, madeAt = 0, bytes }: StorageSource): Promise<void> {
  const isConfirmed = await confirmRisk({
    question: vscode.l10n.t("Delete the damaged file?"),
    detail: [
      `${formatDate(madeAt)} · ${formatBytes(bytes)}`,
      vscode.l10n.t(
        "Messages that couldn't be recovered from it are lost permanently. The current conversations aren't affected.",
      ),
    ].join("\n\n"),
    accept: vscode.l10n.t("Delete"),
    decline: vscode.l10n.t("Don't Delete"),
    isExpected: true,
  });
  if (!isConfirmed) return;
  removeDatabase(join(dirname(path), name));
  showConfirmation(vscode.l10n.t("The damaged file was deleted."));
}
