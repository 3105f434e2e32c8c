import { isRecord } from "../../core/kernel/json.ts";
import type { ServerFact } from "../../core/servers/server.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";
import type { Field, RecordView } from "./recordView.ts";
import { lastSegment } from "./dottedPath.ts";

const kinds = [
  "region",
  "zone",
  "availabilityzone",
  "availabilitydomain",
  "az",
  "location",
  "datacenter",
  "dc",
];
const moreKinds = [
  "datacentre",
  "facility",
  "site",
  "metro",
  "geolocation",
  "placement",
  "pop",
  "campus",
  "idc",
  "area",
];

const regionNames = [...kinds, ...moreKinds].flatMap((kind) => [
  kind,
  `${kind}name`,
  `${kind}code`,
  `${kind}slug`,
  `${kind}id`,
]);
const lastNames = ["regions", "zones", "country", "countrycode", "city"];

/** The names of fields that identify a region object, best first. */
const innerNames = [
  "slug",
  "code",
  "facilitycode",
  "datacentercode",
  "regioncode",
  "name",
  "region",
  "regionname",
  "site",
  "availabilityzone",
  "zone",
  "zonename",
  "regionid",
  "zoneid",
  "datacenter",
  "datacenterid",
  "facilityname",
  "dc",
  "displayname",
  "label",
  "shortname",
  "location",
  "id",
  "city",
  "country",
  "description",
];

/** Objects that contain the server's location without being a region themselves. */
const containers = new Set([
  "placement",
  "environment",
  "machine",
  "host",
  "hardware",
  "cluster",
  "labels",
  "offer",
]);

/** Where the server is located. Bare numbers are meaningless to users and are left out. */
export function readRegion(view: RecordView): ServerFact | undefined {
  const own = firstRegion(view, regionNames);
  if (own !== undefined) return own;
  for (const child of view.children(containers)) {
    const inner = firstRegion(child, regionNames);
    if (inner !== undefined) return inner;
  }
  return firstRegion(view, lastNames);
}

function firstRegion(view: RecordView, names: readonly string[]): ServerFact | undefined {
  for (const name of names) {
    const field = view.get(name);
    const fact = field === undefined ? undefined : readField(field, 0);
    if (fact !== undefined) return fact;
  }
  return undefined;
}

function readField({ value, path }: Field, depth: number): ServerFact | undefined {
  if (typeof value === "string") return readText(value, path);
  if (depth > 1) return undefined;
  if (Array.isArray(value))
    return value.length === 1 ? readField({ value: value[0], path }, depth) : undefined;
  return isRecord(value) ? readObject(value, path, depth) : undefined;
}

function readText(value: string, path: string): ServerFact | undefined {
  const text = lastSegment(value.trim());
  return text === "" || text.length > 100 || /^\d+$/.test(text) ? undefined : { value: text, source: path };
}

function readObject(
  record: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
): ServerFact | undefined {
  const byName = new Map(Object.keys(record).map((name) => [fieldName(name), name]));
  for (const inner of innerNames) {
    const name = byName.get(inner);
    if (name === undefined) continue;
    const fact = readField({ value: record[name], path: `${path}.${name}` }, depth + 1);
    if (fact !== undefined) return fact;
  }
  return undefined;
}
