import { isRecord } from "../../kernel/json.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { maskSecretText } from "../secretMask.ts";

/** Describes a value by its type, a list of the types of its items, or fields. */
type Schema = string | readonly Schema[] | { readonly [name: string]: Schema };

interface Shape {
  readonly types: Set<string>;
  readonly fields: Map<string, Shape>;
  items: Shape | undefined;
}

const maxDepth = 12;
const maxFields = 200;
/** Names that are really values used as map keys: IDs, addresses, times and hashes. */
const valueLike =
  /^(?:[0-9a-f]{8}-[0-9a-f-]{20,}|[0-9a-f]{16,}|\d{3,}|.*[@\s].*|(?:\d{1,3}\.){3}\d{1,3}.*|.{60,})$/i;

/** Keys and types of records without any values: what a problem report needs, and nothing private. */
export function recordSchema(records: readonly unknown[]): Schema {
  const shape = newShape();
  for (const record of records) add(shape, record, 0);
  return describe(shape);
}

function newShape(): Shape {
  return { types: new Set(), fields: new Map(), items: undefined };
}

function add(shape: Shape, value: unknown, depth: number): void {
  if (depth > maxDepth) shape.types.add("…");
  else if (Array.isArray(value)) {
    shape.items ??= newShape();
    for (const item of value.slice(0, 100)) add(shape.items, item, depth + 1);
  } else if (isRecord(value)) addFields(shape, value, depth);
  else shape.types.add(value === null ? "null" : typeof value);
}

function addFields(shape: Shape, record: Readonly<Record<string, unknown>>, depth: number): void {
  const entries = Object.entries(record);
  if (entries.length === 0) shape.types.add("object");
  for (const [name, value] of entries.slice(0, maxFields)) {
    const key = valueLike.test(name) ? "*" : sanitizeLabel(maskSecretText(name), 60);
    const field = shape.fields.get(key) ?? newShape();
    shape.fields.set(key, field);
    add(field, value, depth + 1);
  }
}

function describe(shape: Shape): Schema {
  const parts: Schema[] = [...shape.types].toSorted();
  if (shape.items !== undefined) parts.push([describe(shape.items)]);
  if (shape.fields.size > 0) {
    parts.push(Object.fromEntries([...shape.fields].map(([name, field]) => [name, describe(field)])));
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const words = parts.filter((part) => typeof part === "string");
  if (words.length === parts.length) return words.length === 0 ? "nothing" : words.join(" | ");
  return { either: parts };
}
