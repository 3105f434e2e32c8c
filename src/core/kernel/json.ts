/** A value that JSON can represent. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object of JSON values. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** An object from outside: its fields have not been checked. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Narrows an unknown value to an object with named fields; arrays are not records. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the value is an object. It must come from JSON text, so that everything in it is a JSON value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/** The value with each of its strings changed, but not the names of its fields. */
export function mapStrings(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => mapStrings(item, change));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapStrings(member, change)]),
  );
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The strings in a list; whatever else is in it is left out. Empty if it isn't a list. */
export function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The objects in a list; whatever else is in it is left out. Empty if it isn't a list. */
export function recordsIn(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The field as a string; undefined if it is missing or has another type. */
export function stringField(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = record[name];
  return typeof value === "string" ? value : undefined;
}

/** The field as a finite number; undefined if it is missing or has another type. */
export function numberField(record: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = record[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Whether both values, which come from JSON text, are equal. */
export function isSameJson(first: unknown, second: unknown): boolean {
  if (first === second) return true;
  if (Array.isArray(first))
    return (
      Array.isArray(second) &&
      first.length === second.length &&
      first.every((item, index) => isSameJson(item, second[index]))
    );
  if (!isRecord(first) || !isRecord(second)) return false;
  const names = Object.keys(first);
  return (
    names.length === Object.keys(second).length &&
    names.every((name) => Object.hasOwn(second, name) && isSameJson(first[name], second[name]))
  );
}

/** Parses the text as JSON; undefined for anything else, such as a column that isn't text. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/**
 * The value as JSON text. Strict parsers reject half of a surrogate pair, which JSON writes as an escape: U+FFFD takes its
 * place.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes("\\ud")) return json;
  return json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][\da-f]{2}/g, "$1\ufffd");
}

/** Whether the text is any JSON value. */
export function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

/** Deeper than anything in a request; whatever is nested more deeply is left out. */
const deepest = 64;

/** Checks that the value is a JSON object; fields that JSON can't represent are left out. */
export function parseJsonObject(value: unknown, depth = 0): JsonObject | undefined {
  if (!isRecord(value) || depth > deepest) return undefined;
  const members: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    const parsed = parseJsonValue(member, depth + 1);
    if (parsed !== undefined) members.push([name, parsed]);
  }
  return Object.fromEntries(members);
}

function parseJsonValue(value: unknown, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : undefined;
    default:
      if (value === null) return null;
      return Array.isArray(value) ? parseArray(value, depth) : parseJsonObject(value, depth);
  }
}

function parseArray(values: readonly unknown[], depth: number): JsonValue | undefined {
  if (depth > deepest) return undefined;
  return values.flatMap((value) => {
    const parsed = parseJsonValue(value, depth + 1);
    return parsed === undefined ? [] : [parsed];
  });
}
