import { secretName } from "../../account/secrets/secretNames.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { recordFields } from "../details/recordFields.ts";
import { pointerSteps } from "../filter/recordValues.ts";
import { mask, maskSecretText } from "../secretMask.ts";
import { cellOf, serverProperties } from "../serverProperties.ts";
import type { FilterSubject } from "../serverProperties.ts";
import type { ServerSection } from "../tree/rows.ts";

/** The word of a property, or the JSON pointer of a field of the records. */
export type ColumnId = string;

/** A selectable column, with an example of a value that some server has. */
interface OfferedColumn {
  readonly id: ColumnId;
  readonly label: string;
  /** For a field of the records; otherwise empty. */
  readonly example: string;
}

const columnsLike = (...kinds: readonly string[]): readonly ColumnId[] =>
  [...serverProperties].flatMap(([word, { column }]) => (kinds.includes(column) ? [word] : []));
const knownColumns = columnsLike("usual", "offered");
/** The default columns in which at least one server has a value. */
const usualColumns = columnsLike("usual");

/** Number of servers per profile that are examined, spread over its list. */
const maxLooked = 100;
const maxFields = 200;

/** The default columns in which at least one server has a value. */
export function saidColumns(sections: readonly ServerSection[]): readonly ColumnId[] {
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
    said.has(column) && !(column === "created" && said.has("uptime"));
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
      if (isSecret || fields.has(id) || isKnown(id) || id.length > 200) continue;
      fields.set(id, { id, label: columnLabel(id), example: sanitizeLabel(value, 60) });
    }
    if (fields.size > maxFields) break;
  }
  return [...known, ...fields.values()];
}

function sampleOf(
  sections: readonly ServerSection[],
): readonly Pick<FilterSubject, "server" | "profileName">[] {
  return sections.flatMap(({ snapshot: { servers }, profileName }) => {
    const step = Math.max(1, Math.floor(servers.length / maxLooked));
    return servers.filter((_, index) => index % step === 0).map((server) => ({ server, profileName }));
  });
}

/** The heading of a column; for a field, its name with the object that contains it, if any. */
export function columnLabel(id: ColumnId): string {
  const property = serverProperties.get(id);
  if (property !== undefined) return property.heading();
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

function isKnown(id: ColumnId): boolean {
  return knownColumns.includes(id);
}

function isColumn(id: string): boolean {
  return isKnown(id) || (id.startsWith("/") && id.length > 1 && id.length <= 300);
}
