import * as vscode from "vscode";
import type { ColumnId } from "../../../core/servers/table/columns.ts";
import { columnLabel } from "../../../core/servers/table/columns.ts";
import { offeredColumns } from "../../../core/servers/table/tableColumns.ts";
import type { FleetSection } from "../../../core/servers/tree/rows.ts";
import { showQuickPick } from "../../shell/window.ts";
import { noIcons } from "../../../core/kernel/noIcons.ts";

interface ColumnItem extends vscode.QuickPickItem {
  readonly id: ColumnId;
}

/** Asks which columns are shown; undefined where the user leaves it as it is. */
export async function chooseColumns(
  sections: readonly FleetSection[],
  shown: readonly ColumnId[],
): Promise<readonly ColumnId[] | undefined> {
  const offered = offeredColumns(sections);
  const known = new Set(offered.map(({ id }) => id));
  // A column whose field no record has now can still be taken away.
  const lost = shown
    .filter((id) => !known.has(id))
    .map((id) => ({ id, label: columnLabel(id), example: "" }));
  const items = [...offered, ...lost].map(({ id, label, example }): ColumnItem => ({
    id,
    label: noIcons(id.startsWith("/") ? id : label),
    description: example,
    picked: shown.includes(id),
  }));
  const firstField = items.findIndex(({ id }) => id.startsWith("/"));
  const { Separator } = vscode.QuickPickItemKind;
  const separator = { id: "", label: vscode.l10n.t("Record fields"), kind: Separator };
  if (firstField !== -1) items.splice(firstField, 0, separator);
  const picked = await showQuickPick(items, {
    canPickMany: true,
    matchOnDescription: true,
    title: vscode.l10n.t("Columns of the Table"),
    placeHolder: vscode.l10n.t("Columns to show (select none to restore the defaults)"),
  });
  if (picked === undefined) return undefined;
  const chosen = picked.map(({ id }) => id);
  // Those that stay keep their places.
  return [...shown.filter((id) => chosen.includes(id)), ...chosen.filter((id) => !shown.includes(id))];
}
