import { recordFields } from "../details/recordFields.ts";
import { secretName } from "../../account/secrets/secretNames.ts";
import { pointerSteps } from "../filter/recordValues.ts";
import { mask } from "../secretText.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import type { FilterSubject } from "../filter/filterSubject.ts";
import type { ServerSection } from "../tree/rows.ts";
import { cellOf } from "./cells.ts";
import type { ColumnId, KnownColumn } from "./columns.ts";
import { columnLabel, isKnownColumn, knownColumns, usualColumns } from "./columns.ts";

/** A selectable column, with an example of what some server has in it. */
export interface OfferedColumn {
  readonly id: ColumnId;
  readonly label: string;
  /** For a field of the records; otherwise empty. */
  readonly example: string;
}

/** Number of servers per profile that are examined, spread over its list. */
const maxLooked = 100;
const maxFields = 200;

/** The default columns in which some server has a value. */
export function saidColumns(sections: readonly ServerSection[]): readonly KnownColumn[] {
  const subjects = sampleOf(sections);
  return usualColumns.filter(
    (column) =>
      column === "name" || column === "status" || subjects.some((subject) => cellOf(subject, column) !== ""),
  );
}

/** The columns if the user has selected none: the default ones among these, and the profile if there are several. */
export function columnsFor(said: ReadonlySet<ColumnId>, profiles: number): readonly ColumnId[] {
  // Either since when it has been running or since when it exists, because both are nearly the same.
  const isShown = (column: ColumnId): boolean =>
    said.has(column) && !(column === "age" && said.has("uptime"));
  const columns = usualColumns.filter(isShown);
  return profiles > 1 ? [...columns.slice(0, 2), "profile", ...columns.slice(2)] : columns;
}

/** All known columns, and the fields of the records that contain no secrets. */
export function offeredColumns(sections: readonly ServerSection[]): readonly OfferedColumn[] {
  const known = knownColumns.map((id) => ({ id, label: columnLabel(id), example: "" }));
  const fields = new Map<string, OfferedColumn>();
  for (const { server } of sampleOf(sections)) {
    for (const { pointer, value } of recordFields(server.record)) {
      const id = pointer.replace(/\/\d+(?=\/|$)/g, "/*");
      const isSecret =
        value.includes(mask) || pointerSteps(id).some((step) => secretName(step) !== undefined);
      if (isSecret || fields.has(id) || isKnownColumn(id) || id.length > 200) continue;
      fields.set(id, { id, label: columnLabel(id), example: sanitizeLabel(value, 60) });
    }
    if (fields.size > maxFields) break;
  }
  return [...known, ...fields.values()];
}

function sampleOf(sections: readonly ServerSection[]): readonly FilterSubject[] {
  return sections.flatMap(({ snapshot: { servers }, marks, profileName }) => {
    const step = Math.max(1, Math.floor(servers.length / maxLooked));
    return servers
      .filter((_, index) => index % step === 0)
      .map((server) => ({ server, mark: marks.get(server.key), profileName, isStale: false }));
  });
}
