import type { Server, ServerStatus } from "../server.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { serverAddresses } from "../connect/recordPorts.ts";
import type { FilterSubject } from "../filter/filterSubject.ts";
import { recordValues } from "../filter/recordValues.ts";
import { serverTags } from "../serverTags.ts";
import { factText, serverName, statusText } from "../serverLabels.ts";
import type { ColumnId, KnownColumn } from "./columns.ts";
import { isKnownColumn } from "./columns.ts";
import { recordTimes } from "./recordTimes.ts";

/**
 * The displayable content of a cell: secrets masked, on one line, empty if nothing is known. A number is a time: in
 * milliseconds since 1970 or, if negative, how long something has lasted.
 */
export type Cell = string | number;

const maxText = 300;

type ReadCell = (subject: FilterSubject) => Cell;

const read: Readonly<Record<KnownColumn, ReadCell>> = {
  name: ({ server, mark }) => sanitizeLabel(mark?.alias ?? serverName(server)),
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
  note: ({ mark }) => sanitizeLabel(mark?.note ?? "", maxText),
};

export function cellOf(subject: FilterSubject, column: ColumnId): Cell {
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
  subject: FilterSubject,
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
