import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import type { ServerFact } from "../../core/servers/server.ts";
import { factEntry, factNames } from "../../core/servers/serverFacts.ts";
import type { FactKind, FactName, serverFacts } from "../../core/servers/serverFacts.ts";
import { fieldNames, lastSegment, scalarText } from "./recordView.ts";
import type { LocatedValue, Names, RecordView } from "./recordView.ts";

/** The facts that are found by the names of their fields alone. */
export type FieldFact = {
  [K in FactName]: (typeof serverFacts)[K] extends { readonly fields: readonly string[] } ? K : never;
}[FactName];

/** The facts that are found by the names of their fields alone. */
export const fieldFacts = factNames.filter((name): name is FieldFact => factEntry(name).fields !== undefined);

const noNames = fieldNames([]);
/** Several facts are searched for in the same objects, which are read only once. */
const known = new Map<readonly string[] | undefined, Names>([[undefined, noNames]]);

function namesOf(list: readonly string[] | undefined): Names {
  const names = known.get(list) ?? fieldNames(list ?? []);
  known.set(list, names);
  return names;
}

/** Where the facts are searched for: in fields, in those of objects inside the record, and in fields that come last. */
const sources = new Map(
  factNames.map((name) => {
    const { fields, inside, lastFields } = factEntry(name);
    return [name, { own: namesOf(fields), inside: namesOf(inside), last: namesOf(lastFields) }] as const;
  }),
);
const noSources = { own: noNames, inside: noNames, last: noNames };

/** Reads a fact from the fields that the table of facts names. */
export function readFieldFact(view: RecordView, name: FieldFact): ServerFact | undefined {
  const { own, inside, last } = sources.get(name) ?? noSources;
  const { kind } = factEntry(name);
  return (
    firstIn(view, own, kind) ??
    firstInside(view, own, inside, kind) ??
    (kind === "name" ? nameTag(view) : undefined) ??
    firstIn(view, last, kind)
  );
}

/** An object in an object of a record may describe the server, too, but nothing deeper. */
const maxObjects = 2;

function firstInside(
  view: RecordView,
  own: Names,
  inside: Names,
  kind: FactKind,
  depth = 1,
): ServerFact | undefined {
  for (const child of view.children(inside)) {
    const fact =
      firstIn(child, own, kind) ??
      (depth < maxObjects ? firstInside(child, own, inside, kind, depth + 1) : undefined);
    if (fact !== undefined) return fact;
  }
  return undefined;
}

function firstIn(view: RecordView, names: Names, kind: FactKind): ServerFact | undefined {
  for (const field of view.all(names)) {
    const fact = readValue(field, kind);
    if (fact !== undefined) return fact;
  }
  return undefined;
}

/** The value of a field as a fact of this kind. Undefined if it isn't one. */
export function readValue(field: LocatedValue, kind: FactKind): ServerFact | undefined {
  switch (kind) {
    case "place":
      return readPlace(field, 0);
    case "time":
      return factOf(field, parseTime(field.value));
    case "seconds":
      return factOf(field, parseSeconds(field));
    case "percent": {
      const percent = percentOf(field.value, field.path);
      return factOf(field, percent === undefined ? undefined : `${Math.round(percent)}%`);
    }
    default:
      return readText(field);
  }
}

function factOf({ path }: LocatedValue, value: string | undefined): ServerFact | undefined {
  return value === undefined ? undefined : { value, source: path };
}

/** The names of fields that identify a region object, best first. */
const placeNames =
  "slug code facilitycode datacentercode regioncode name region regionname site availabilityzone zone zonename regionid zoneid " +
  "datacenter datacenterid facilityname dc displayname label shortname location id city country description";

/** Where something is located. Bare numbers are meaningless to users and are left out. */
function readPlace({ value, path }: LocatedValue, depth: number): ServerFact | undefined {
  if (typeof value === "string") return readPlaceText(value, path);
  if (depth > 1) return undefined;
  if (!Array.isArray(value)) return isRecord(value) ? readPlaceObject(value, path, depth) : undefined;
  const [only]: readonly unknown[] = value;
  return value.length === 1 && !Array.isArray(only) ? readPlace({ value: only, path }, depth) : undefined;
}

function readPlaceText(value: string, path: string): ServerFact | undefined {
  const text = lastSegment(value.trim());
  if (text === "" || text.length > 100 || isDigits(text)) return undefined;
  return { value: text, source: path };
}

/** Names begin with a letter, whose code is higher than that of any digit. */
function isDigits(text: string): boolean {
  return text.charCodeAt(0) < 58 && /^\d+$/.test(text);
}

function readPlaceObject(
  record: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
): ServerFact | undefined {
  const names = new Map(Object.keys(record).map((name) => [fieldName(name), name]));
  for (const plain of placeNames.split(" ")) {
    const name = names.get(plain);
    if (name === undefined) continue;
    const fact = readPlace({ value: record[name], path: `${path}.${name}` }, depth + 1);
    if (fact !== undefined) return fact;
  }
  return undefined;
}

const tagNames = fieldNames(["tags", "tagset", "labels"]);

function readText({ value, path }: LocatedValue): ServerFact | undefined {
  if (typeof value === "string" || typeof value === "number")
    return factOf({ value, path }, scalarText(value));
  const [first]: readonly unknown[] = Array.isArray(value) ? value : [];
  if (/names$/i.test(path) && typeof first === "string")
    return { value: first.replace(/^\//, ""), source: `${path}[0]` };
  const objectId = isRecord(value) ? scalarText(value["$oid"]) : undefined;
  return objectId === undefined ? undefined : { value: objectId, source: `${path}.$oid` };
}

/** `Tags: [{"Key": "Name", "Value": "…"}]` or `tags: {"Name": "…"}`. */
function nameTag(view: RecordView): ServerFact | undefined {
  const tags = view.find(tagNames);
  if (tags === undefined) return undefined;
  if (isRecord(tags.value)) {
    const key = Object.keys(tags.value).find((name) => name.toLowerCase() === "name");
    const text = key === undefined ? undefined : scalarText(tags.value[key]);
    return text === undefined ? undefined : { value: text, source: `${tags.path}.${key}` };
  }
  if (!Array.isArray(tags.value)) return undefined;
  for (const [index, tag] of tags.value.entries()) {
    if (!isRecord(tag) || String(tag["Key"] ?? tag["key"]).toLowerCase() !== "name") continue;
    const text = scalarText(tag["Value"] ?? tag["value"]);
    if (text !== undefined) return { value: text, source: `${tags.path}[${index}]` };
  }
  return undefined;
}

const isoDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?\s?(Z|UTC|[+-]\d\d:?\d\d)?)?$/i;

/** An ISO date, UTC if it has no time zone, or seconds or milliseconds since 1970. */
function parseTime(found: unknown): string | undefined {
  if (typeof found === "number") return fromEpoch(found);
  if (typeof found !== "string" || found.length > 40) return undefined;
  // Go names the zone after its offset.
  const value = found.replace(/(?<=[+-]\d{4}) [A-Z]{3,5}$/, "");
  if (/^\d{9,14}(?:\.\d+)?$/.test(value)) return fromEpoch(Number(value));
  const match = isoDate.exec(value);
  if (match === null) return undefined;
  const [date = "", clock = "00:00"] = value.replace(/\s?(?:Z|UTC|[+-]\d\d:?\d\d)$/i, "").split(/[T ]/i);
  const zone = match[1] === undefined || /^(?:Z|UTC)$/i.test(match[1]) ? "Z" : match[1];
  const time = Date.parse(`${date.slice(0, 10)}T${clock.replace(",", ".").slice(0, 12)}${zone}`);
  return Number.isFinite(time) && time > 0 ? new Date(time).toISOString() : undefined;
}

/** Between 1990 and 2100. Any other number isn't a time. */
function fromEpoch(value: number): string | undefined {
  const milliseconds = value > 1e11 ? value : value * 1_000;
  const isTime = milliseconds > 631e9 && milliseconds < 4_102e9;
  return isTime ? new Date(milliseconds).toISOString() : undefined;
}

/** How long something has lasted, in the unit that the name of the field ends with: seconds unless given. */
function parseSeconds({ value, path }: LocatedValue): string | undefined {
  const number = typeof value === "string" && /^\d{1,12}(?:\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number) || number < 0) return undefined;
  const unit = units.find(([names]) => names.test(path))?.[1] ?? 1;
  return String(Math.round(number * unit));
}

const units: readonly (readonly [names: RegExp, seconds: number])[] = [
  [/ms$/i, 0.001],
  [/min(?:s|utes)?$/i, 60],
  [/hours$/i, 3_600],
];

/**
 * A percentage from 0 to 100; undefined if the value isn't one. Between 0 and 1, a number may also be a share, unless its
 * field is named after percent.
 */
export function percentOf(value: unknown, name: string): number | undefined {
  const [, digits, sign] =
    typeof value === "string" ? (/^(\d{1,3}(?:\.\d{1,9})?)\s?(%)?$/.exec(value) ?? []) : [];
  const percent = typeof value === "number" ? value : Number(digits ?? NaN);
  const isClear = percent === 0 || percent > 1 || sign !== undefined || /percent|pct/i.test(name);
  return isClear && percent >= 0 && percent <= 100 ? percent : undefined;
}
