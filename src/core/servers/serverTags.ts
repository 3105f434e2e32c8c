import { isRecord } from "../kernel/json.ts";
import { sanitizeLabel } from "../kernel/foreignText.ts";
import type { Server } from "./server.ts";
import { fieldName } from "./fieldName.ts";
import { secretName } from "../account/secrets/secretNames.ts";
import { maskSecretText } from "./secretMask.ts";

const tagNames = new Set(["tags", "tag", "labels", "tagset", "taglist"]);
const maxTags = 50;

/** The tags of a server: `prod` from a list of texts, `team=research` from a map or from key-value pairs. */
export function serverTags({ record }: Server): readonly string[] {
  if (!isRecord(record)) return [];
  const tags: string[] = [];
  for (const [name, value] of Object.entries(record)) {
    if (tagNames.has(fieldName(name))) readTags(value, tags);
  }
  return [...new Set(tags)].slice(0, maxTags);
}

function readTags(value: unknown, tags: string[]): void {
  if (typeof value === "string") {
    for (const text of value.split(/[,;]\s*/)) add(text, tags);
  } else if (Array.isArray(value)) {
    for (const item of value.slice(0, maxTags)) readEntry(item, tags);
  } else if (isRecord(value)) {
    for (const [key, inner] of Object.entries(value).slice(0, maxTags)) addPair(key, inner, tags);
  }
}

function readEntry(item: unknown, tags: string[]): void {
  if (typeof item === "string") add(item, tags);
  if (!isRecord(item)) return;
  const fields = new Map(Object.entries(item).map(([name, value]) => [fieldName(name), value]));
  const key = fields.get("key") ?? fields.get("name") ?? fields.get("tag");
  if (typeof key === "string") addPair(key, fields.get("value"), tags);
}

function addPair(key: string, value: unknown, tags: string[]): void {
  if (secretName(key) !== undefined) return;
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  add(text === "" ? key : `${key}=${text}`, tags);
}

function add(text: string, tags: string[]): void {
  const tag = sanitizeLabel(maskSecretText(text), 80);
  if (tag !== "") tags.push(tag);
}
