import { t } from "@vscode/l10n";
import { cellOf, serverProperties } from "../serverProperties.ts";
import { subjectsOf } from "../tree/rows.ts";
import type { ServerSection } from "../tree/rows.ts";

/** What is measured on watched servers, and what servers have cost. It isn't in the records, unlike the facts. */
const measuredColumns = {
  use: () => t("Use"),
  history: () => t("Use over Time"),
  memory: () => t("GPU Memory"),
  temperature: () => t("Temperature"),
  spent: () => t("Spent This Month"),
} as const;

/** A column with measured values. */
export type MeasuredColumn = keyof typeof measuredColumns;

/** The word of a property, or a measured column. */
export type ColumnId = string;

/** What everybody looks at first; the other columns follow in the order of the facts. */
const firstColumns: readonly ColumnId[] =
  "name status profile gpu use history memory temperature price uptime spent".split(" ");

const columnIds: readonly ColumnId[] = [
  ...firstColumns,
  ...[...serverProperties.keys()].filter((word) => !firstColumns.includes(word)),
].filter((id) => isMeasured(id) || id === "profile" || serverProperties.get(id)?.column === "usual");

/** Whether its values are measured. */
export function isMeasured(id: ColumnId): id is MeasuredColumn {
  return Object.hasOwn(measuredColumns, id);
}

/** The heading of a column. */
export function columnLabel(id: ColumnId): string {
  return isMeasured(id) ? measuredColumns[id]() : (serverProperties.get(id)?.heading() ?? id);
}

/** Number of servers per profile that are examined, spread over its list. */
const maxLooked = 100;

/** The columns in which at least one server has a value, and the profile if there are several. */
export function columnsWithValues(
  sections: readonly ServerSection[],
  measured: ReadonlySet<MeasuredColumn>,
): ReadonlySet<ColumnId> {
  const subjects = sections.flatMap((section) => {
    const all = subjectsOf([section]);
    const step = Math.max(1, Math.floor(all.length / maxLooked));
    return all.filter((_, index) => index % step === 0);
  });
  const hasValues = (id: ColumnId): boolean => {
    if (isMeasured(id)) return measured.has(id);
    if (id === "profile") return sections.length > 1;
    return id === "name" || id === "status" || subjects.some((subject) => cellOf(subject, id) !== "");
  };
  return new Set(columnIds.filter(hasValues));
}

/** The columns that have had values, in display order. */
export function shownColumns(valued: ReadonlySet<ColumnId>): readonly ColumnId[] {
  // Either since when it has been running or since when it exists, because both are nearly the same.
  return columnIds.filter((id) => valued.has(id) && !(id === "created" && valued.has("uptime")));
}

/** Whether a column contains amounts, which are aligned at their ends. */
export function isNumeric(id: ColumnId): boolean {
  return (isMeasured(id) && id !== "history") || id === "price" || id === "uptime" || id === "created";
}
