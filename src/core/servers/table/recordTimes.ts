import { isRecord } from "../../kernel/json.ts";
import { fieldName } from "../fieldMapping.ts";

/** When a server was created and since when it has been running, if its record contains that. */
interface RecordTimes {
  /** Milliseconds since 1970. */
  readonly createdAt?: number;
  /** Milliseconds since 1970. */
  readonly startedAt?: number;
  /** How long it has been running, in milliseconds, if the record contains that instead. */
  readonly uptimeMs?: number;
}

const created =
  /^(?:created|createdat|createdon|createdate|createddate|createdtime|createtime|createtimestamp|creationtime|creationdate|creationtimestamp|datecreated|timecreated|dateadded)$/;
const started =
  /^(?:started|startedat|startedon|startdate|starttime|starttimestamp|laststartedat|laststarttime|laststarttimestamp|launchedat|launchtime|boottime|bootedat|lastbootedat|runningsince|activatedat|activesince)$/;
const uptime = /^(?:uptime|uptime(?:in)?(?:seconds|secs|sec|minutes|mins|min|hours|ms))$/;
/** Objects that describe the server itself, not its image, its disk or its owner. */
const own =
  /^(?:metadata|runtime|instance|server|machine|vm|node|pod|lifecycle|attributes|properties|timestamps|times|info|details|state|status)$/;

/** The times of a record while they are collected. */
type Times = { -readonly [K in keyof RecordTimes]: RecordTimes[K] };

/** Times are read from the record and from its direct child objects; the outer ones take precedence. */
export function recordTimes(record: unknown): RecordTimes {
  const times: Times = {};
  collect(record, 0, times);
  return times;
}

function collect(record: unknown, depth: number, times: Times): void {
  if (!isRecord(record)) return;
  for (const name of Object.keys(record)) take(fieldName(name), record[name], times);
  if (depth >= 2) return;
  for (const name of Object.keys(record)) {
    if (isRecord(record[name]) && own.test(fieldName(name))) collect(record[name], depth + 1, times);
  }
}

function take(name: string, value: unknown, times: Times): void {
  if (times.createdAt === undefined && created.test(name)) set(times, "createdAt", parseTime(value));
  if (times.startedAt === undefined && started.test(name)) set(times, "startedAt", parseTime(value));
  if (times.uptimeMs === undefined && uptime.test(name)) set(times, "uptimeMs", parseDuration(name, value));
}

function set(times: Times, name: keyof RecordTimes, value: number | undefined): void {
  if (value !== undefined) times[name] = value;
}

const isoDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?\s?(Z|UTC|[+-]\d\d:?\d\d)?)?$/i;

/** An ISO date (UTC if it has no time zone), or seconds or milliseconds since 1970; undefined for anything else. */
function parseTime(value: unknown): number | undefined {
  if (typeof value === "number") return fromEpoch(value);
  if (typeof value !== "string" || value.length > 40) return undefined;
  if (/^\d{9,14}(?:\.\d+)?$/.test(value)) return fromEpoch(Number(value));
  const match = isoDate.exec(value);
  if (match === null) return undefined;
  const [date = "", clock = "00:00"] = value.replace(/\s?(?:Z|UTC|[+-]\d\d:?\d\d)$/i, "").split(/[T ]/i);
  const zone = match[1] === undefined || /^(?:Z|UTC)$/i.test(match[1]) ? "Z" : match[1];
  const time = Date.parse(`${date.slice(0, 10)}T${clock.replace(",", ".").slice(0, 12)}${zone}`);
  return Number.isFinite(time) && time > 0 ? time : undefined;
}

/** Between 1990 and 2100. Any other number isn't a time. */
function fromEpoch(value: number): number | undefined {
  const milliseconds = value > 1e11 ? value : value * 1_000;
  return milliseconds > 631e9 && milliseconds < 4_102e9 ? Math.round(milliseconds) : undefined;
}

function parseDuration(name: string, value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,12}(?:\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number) || number < 0) return undefined;
  if (name.endsWith("ms")) return number;
  if (/min(?:s|utes)?$/.test(name)) return number * 60_000;
  return number * (name.endsWith("hours") ? 3_600_000 : 1_000);
}
