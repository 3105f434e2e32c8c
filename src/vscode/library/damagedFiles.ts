import { basename } from "node:path";
import * as vscode from "vscode";
import { formatBytes } from "../../core/compose/attachments/limits.ts";
import { deleteSetAside, listSetAside } from "../../storage/database/setAsideFiles.ts";
import type { SetAside } from "../../storage/database/setAsideFiles.ts";
import { conversationFile } from "../conversation/storageLocation.ts";
import { confirmRisk, showConfirmation, showErrorMessage, showQuickPick } from "../shell/window.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { messageOf } from "../../core/kernel/thrown.ts";

interface DamagedItem extends vscode.QuickPickItem {
  readonly aside: SetAside;
}

/** Lists the damaged files of conversations that were set aside, and deletes those that the user selects. */
export async function deleteDamagedFiles(storageUri: vscode.Uri): Promise<void> {
  const items = listSetAside(conversationFile(storageUri)).map((aside): DamagedItem => ({
    label: new Date(aside.setAsideAt).toLocaleString(vscode.env.language),
    description: formatBytes(aside.bytes),
    detail: basename(aside.path),
    picked: true,
    aside,
  }));
  if (items.length === 0) {
    showConfirmation(vscode.l10n.t("There are no damaged conversation files."));
    return;
  }
  const picked = await showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t("Delete Damaged Files"),
    placeHolder: vscode.l10n.t("Files that were set aside when the conversations were recovered from them"),
  });
  if (picked === undefined || picked.length === 0 || !(await confirmDeletion(picked))) return;
  try {
    for (const { aside } of picked) deleteSetAside(aside);
  } catch (error) {
    const reason = messageOf(error);
    void showErrorMessage(vscode.l10n.t("The damaged files couldn't be deleted. {0}", reason));
    return;
  }
  showConfirmation(
    picked.length === 1
      ? vscode.l10n.t("The damaged file was deleted.")
      : vscode.l10n.t("{0} damaged files were deleted.", formatNumber(picked.length)),
  );
}

function confirmDeletion(picked: readonly DamagedItem[]): Promise<boolean> {
  const lines = picked.map(({ label, description = "" }) => `${label} · ${description}`);
  const explanation = vscode.l10n.t(
    "Messages that couldn't be recovered from them are lost permanently. The current conversations aren't affected.",
  );
  return confirmRisk({
    question:
      picked.length === 1
        ? vscode.l10n.t("Delete the damaged file?")
        : vscode.l10n.t("Delete {0} damaged files?", formatNumber(picked.length)),
    detail: [...lines, "", explanation].join("\n"),
    accept: vscode.l10n.t("Delete"),
    decline: vscode.l10n.t("Don't Delete"),
    isExpected: true,
  });
}
