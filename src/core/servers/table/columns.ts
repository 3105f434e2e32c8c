import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { maskSecretText } from "../secretText.ts";
import { pointerSteps } from "../filter/recordValues.ts";

/** The known columns, in display order. */
export const knownColumns = [
  "name",
  "status",
  "gpu",
  "gpus",
  "region",
  "address",
  "addresses",
  "uptime",
  "age",
  "tags",
  "profile",
  "id",
  "note",
] as const;
export type KnownColumn = (typeof knownColumns)[number];

/** A known column, or the JSON pointer of a field of the records. */
export type ColumnId = string;

const labels: Readonly<Record<KnownColumn, () => string>> = {
  name: () => t("Name"),
  status: () => t("Status"),
  gpu: () => t("GPU"),
  gpus: () => t("GPUs"),
  region: () => t("Region"),
  address: () => t("Address"),
  addresses: () => t("All addresses"),
  uptime: () => t("Uptime"),
  age: () => t("Age"),
  tags: () => t("Tags"),
  profile: () => t("Profile"),
  id: () => t("ID"),
  note: () => t("Note"),
};

/** The default columns, as far as some server has a value in them. */
export const usualColumns: readonly KnownColumn[] = [
  "name",
  "status",
  "gpu",
  "region",
  "address",
  "uptime",
  "age",
  "tags",
];

export function isKnownColumn(id: ColumnId): id is KnownColumn {
  return knownColumns.some((known) => known === id);
}

/** The heading of a column; for a field, its name with the object that contains it, if any. */
export function columnLabel(id: ColumnId): string {
  if (isKnownColumn(id)) return labels[id]();
  const steps = pointerSteps(id).filter((step) => !/^\d+$/.test(step));
  return sanitizeLabel(maskSecretText(steps.slice(-2).join(".")), 60) || id;
}

/** Parses stored or sent columns: known columns and pointers, without duplicates; undefined if there are none. */
export function parseColumns(value: unknown): readonly ColumnId[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const ids = value.filter((id): id is string => typeof id === "string" && isColumn(id));
  return ids.length === 0 ? undefined : [...new Set(ids)].slice(0, maxColumns);
}

/** A table with more columns would be unreadable. */
const maxColumns = 40;

function isColumn(id: string): boolean {
  return isKnownColumn(id) || (id.startsWith("/") && id.length > 1 && id.length <= 300);
}
