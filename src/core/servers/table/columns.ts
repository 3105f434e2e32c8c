import { t } from "@vscode/l10n";
import { secretName } from "../../account/secrets/secretNames.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { serverAddresses } from "../connect/recordPorts.ts";
import { recordFields } from "../details/recordFields.ts";
import type { FilterSubject } from "../filter/filterSubject.ts";
import { pointerSteps, recordValues } from "../filter/recordValues.ts";
import { mask, maskSecretText } from "../secretMask.ts";
import type { Server, ServerStatus } from "../server.ts";
import { factText, serverName, statusText } from "../serverLabels.ts";
import { serverTags } from "../serverTags.ts";
import type { ServerSection } from "../tree/rows.ts";
import { recordTimes } from "./recordTimes.ts";

/** A selectable column, with an example of a value that some server has. */
interface OfferedColumn {
  readonly id: ColumnId;
  readonly label: string;
  /** For a field of the records; otherwise empty. */
  readonly example: string;
}

/** Number of servers per profile that are examined, spread over its list. */
const maxLooked = 100;
const maxFields = 200;

/** The default columns in which at least one server has a value. */
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

function sampleOf(sections: readonly ServerSection[]): readonly CellSubject[] {
  return sections.flatMap(({ snapshot: { servers }, profileName }) => {
    const step = Math.max(1, Math.floor(servers.length / maxLooked));
    return servers.filter((_, index) => index % step === 0).map((server) => ({ server, profileName }));
  });
}

/**
 * The displayable content of a cell: secrets masked, on one line, empty if nothing is known. A number is a time: in
 * milliseconds since 1970 or, if negative, how long something has lasted.
 */
export type Cell = string | number;

const maxText = 300;

/** What a cell is read from. */
type CellSubject = Pick<FilterSubject, "server" | "profileName">;

type ReadCell = (subject: CellSubject) => Cell;

const read: Readonly<Record<KnownColumn, ReadCell>> = {
  name: ({ server }) => sanitizeLabel(serverName(server)),
  status: ({ server }) => statusText(server),
  gpu: ({ server }) => text(server.gpu),
  gpus: ({ server }) => text(server.gpuCount),
  region: ({ server }) => text(server.region),
  address: ({ server }) => text(server.address),
  addresses: ({ server }) => sanitizeLabel(serverAddresses(server).join(", "), maxText),
  uptime: ({ server }) => uptimeOf(server),
  age: ({ server: { record } }) => recordTimes(record).createdAt ?? "",
  tags: ({ server }) => sanitizeLabel(serverTags(server).join(", "), maxText),
  profile: ({ profileName }) => sanitizeLabel(profileName, 100),
  id: ({ server }) => text(server.id),
};

/** The cell of a server in this column: a known property, or the values of any field of its record. */
export function cellOf(subject: CellSubject, column: ColumnId): Cell {
  if (isKnownColumn(column)) return read[column](subject);
  return sanitizeLabel(recordValues(subject.server.record, column).join(", "), maxText);
}

function text(fact: Server["name"]): string {
  return fact === undefined ? "" : factText(fact);
}

/** A stopped server has no uptime, because records report the end of its last run in too many ways. */
function uptimeOf({ status, record }: Server): Cell {
  if (status !== "running" && status !== "unknown") return "";
  const { startedAt, uptimeMs } = recordTimes(record);
  return startedAt ?? (uptimeMs === undefined ? "" : -uptimeMs);
}

/** Statuses that need attention come first. */
const urgency: readonly ServerStatus[] = ["error", "starting", "stopping", "running", "stopped", "unknown"];
const amount = /^[$€£¥]?\s?(-?\d{1,15}(?:\.\d+)?)(?:\s?[\p{L}%/]{1,12})?$/u;

/** The sort key of a row: a text, a number, or undefined for nothing, which comes last. `now` is as in `Cell`. */
export function sortKey(
  subject: CellSubject,
  column: ColumnId,
  cell: Cell,
  now: number,
): string | number | undefined {
  if (typeof cell === "number") return cell < 0 ? -cell : now - cell;
  if (cell === "") return undefined;
  if (column === "status") return urgency.indexOf(subject.server.status);
  if (column === "gpu") return gpuKey(subject.server) || cell;
  const match = isKnownColumn(column) && column !== "gpus" ? null : amount.exec(cell);
  return match === null ? cell : Number(match[1]);
}

/** Sorts by model, then by count: numbers in texts are compared by value. */
function gpuKey({ gpuModel, gpuCount }: Server): string {
  const model = text(gpuModel);
  return model === "" ? "" : `${model} × ${text(gpuCount) || "0"}`;
}

/** The known columns, in display order. */
const knownColumns = [
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
] as const;
type KnownColumn = (typeof knownColumns)[number];

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
};

/** The default columns in which at least one server has a value. */
const usualColumns: readonly KnownColumn[] = [
  "name",
  "status",
  "gpu",
  "region",
  "address",
  "uptime",
  "age",
  "tags",
];

/** Whether the column shows a known property, not a field of the record. */
function isKnownColumn(id: ColumnId): id is KnownColumn {
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
