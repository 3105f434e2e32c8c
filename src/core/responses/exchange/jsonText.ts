import { isRecord } from "../../kernel/json.ts";

/** Characters that an editor doesn't show or that reorder their neighbors. They are shown by number instead. */
const unseen =
  /[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A string as JSON says it, in which nothing hides. Escapes are those of JSON, JavaScript and Python alike. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(unseen, escapeUnit);
}

/** JSON text with what it hides escaped; the same value to every parser. */
export function escapeUnseen(json: string): string {
  return json.replace(unseen, escapeUnit);
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * JSON over several lines for a reader: what is small and flat stands on one line, so that a list of moments is a table.
 */
export function jsonText(value: unknown, indent = "", width = 100): string {
  if (typeof value === "string") return quote(value);
  if (!Array.isArray(value) && !isRecord(value)) return JSON.stringify(value) ?? "null";
  const flat = isFlat(value) ? flatText(value) : undefined;
  if (flat !== undefined && indent.length + flat.length <= width) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item: unknown) => `${inner}${jsonText(item, inner, width)}`)
    : fieldsOf(value).map(([name, field]) => `${inner}${quote(name)}: ${jsonText(field, inner, width)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

function flatText(value: readonly unknown[] | Readonly<Record<string, unknown>>): string {
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item)).join(", ")}]`;
  const fields = fieldsOf(value).map(([name, field]) => `${quote(name)}: ${jsonText(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function isFlat(value: readonly unknown[] | Readonly<Record<string, unknown>>): boolean {
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.every(
    (item) => !Array.isArray(item) && !isRecord(item) && !(typeof item === "string" && item.length > 80),
  );
}

/** What has no value is left out, as JSON does. */
function fieldsOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}
