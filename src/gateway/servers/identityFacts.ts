import { isRecord } from "../../core/kernel/json.ts";
import type { ServerFact } from "../../core/servers/server.ts";
import type { RecordView } from "./recordView.ts";
import { scalarText } from "./dottedPath.ts";

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

const idNames = [
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
];

const nameNames = [
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
];

/** The record's own ID. */
export function readId(view: RecordView): ServerFact | undefined {
  return firstText(view, idNames);
}

/** The display name of the server; a description is used only if nothing else names it. */
export function readName(view: RecordView): ServerFact | undefined {
  return firstText(view, nameNames) ?? nameTag(view) ?? firstText(view, ["description"]);
}

function firstText(view: RecordView, names: readonly string[]): ServerFact | undefined {
  for (const name of names) {
    const field = view.get(name);
    if (field === undefined) continue;
    const [first]: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
    if (name === "names" && typeof first === "string") {
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
  const tags = view.find(["tags", "tagset", "labels"]);
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
