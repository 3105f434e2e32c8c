import { isRecord } from "../../core/kernel/json.ts";
import type { ServerFact } from "../../core/servers/server.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";
import { fieldNames, lastSegment, scalarText } from "./recordView.ts";
import type { LocatedValue, Names, RecordView } from "./recordView.ts";

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

const regionNames = fieldNames(
  [...kinds, ...moreKinds].flatMap((kind) => [
    kind,
    `${kind}name`,
    `${kind}code`,
    `${kind}slug`,
    `${kind}id`,
  ]),
);
const lastNames = fieldNames(["regions", "zones", "country", "countrycode", "city"]);

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
const containers = fieldNames([
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

function firstRegion(view: RecordView, names: Names): ServerFact | undefined {
  for (const field of view.all(names)) {
    const fact = readField(field, 0);
    if (fact !== undefined) return fact;
  }
  return undefined;
}

function readField({ value, path }: LocatedValue, depth: number): ServerFact | undefined {
  if (typeof value === "string") return readText(value, path);
  if (depth > 1) return undefined;
  if (!Array.isArray(value)) return isRecord(value) ? readObject(value, path, depth) : undefined;
  const [only]: readonly unknown[] = value;
  return value.length === 1 && !Array.isArray(only) ? readField({ value: only, path }, depth) : undefined;
}

function readText(value: string, path: string): ServerFact | undefined {
  const text = lastSegment(value.trim());
  if (text === "" || text.length > 100 || isDigits(text)) return undefined;
  return { value: text, source: path };
}

/** Names begin with a letter, whose code is higher than that of any digit. */
function isDigits(text: string): boolean {
  return text.charCodeAt(0) < 58 && /^\d+$/.test(text);
}

function readObject(
  record: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
): ServerFact | undefined {
  const names = new Map(Object.keys(record).map((name) => [fieldName(name), name]));
  for (const plain of innerNames) {
    const name = names.get(plain);
    if (name === undefined) continue;
    const fact = readField({ value: record[name], path: `${path}.${name}` }, depth + 1);
    if (fact !== undefined) return fact;
  }
  return undefined;
}

const things = [
  "server",
  "instance",
  "vm",
  "virtualmachine",
  "node",
  "pod",
  "device",
  "machine",
  "container",
];
const moreThings = ["droplet", "linode", "rental", "contract", "deployment", "workspace", "sub"];

const idNames = fieldNames([
  "id",
  // The service's own ID of the server, before a number of the underlying machine.
  "instanceid",
  "serverid",
  "vmid",
  "uuid",
  "uid",
  ...things.flatMap((thing) => [`${thing}id`, `${thing}uuid`, `${thing}number`, `${thing}no`]),
  ...moreThings.map((thing) => `${thing}id`),
  "computeinstanceid",
  "guid",
  "ocid",
  "resourceid",
  "identifier",
  "hashid",
  "arn",
  "systemid",
  "hostid",
  // The reference itself, such as `{"vm": "vm-42", "name": …}`.
  "vm",
  "instance",
  "server",
]);

const nameNames = fieldNames([
  "name",
  "displayname",
  ...things.map((thing) => `${thing}name`),
  "label",
  "title",
  "hostname",
  "nickname",
  "alias",
  "aliasname",
  "friendlyname",
  "computername",
  "fqdn",
  "names",
]);

const descriptionNames = fieldNames(["description"]);
const tagNames = fieldNames(["tags", "tagset", "labels"]);

/** The record's own ID. */
export function readId(view: RecordView): ServerFact | undefined {
  return firstText(view, idNames);
}

/** The display name of the server; a description is used only if nothing else names it. */
export function readName(view: RecordView): ServerFact | undefined {
  return firstText(view, nameNames) ?? nameTag(view) ?? firstText(view, descriptionNames);
}

function firstText(view: RecordView, names: Names): ServerFact | undefined {
  for (const field of view.all(names)) {
    if (typeof field.value === "string" || typeof field.value === "number") {
      const text = scalarText(field.value);
      if (text !== undefined) return { value: text, source: field.path };
      continue;
    }
    const [first]: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
    if (/names$/i.test(field.path) && typeof first === "string") {
      return { value: first.replace(/^\//, ""), source: `${field.path}[0]` };
    }
    const isObjectId = isRecord(field.value) && typeof field.value["$oid"] === "string";
    const text = isRecord(field.value) ? scalarText(field.value["$oid"]) : scalarText(field.value);
    if (text !== undefined) return { value: text, source: isObjectId ? `${field.path}.$oid` : field.path };
  }
  return undefined;
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
