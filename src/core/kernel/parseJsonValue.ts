import { isRecord } from "./json.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** Deeper than anything a request has; what lies below is left out. */
const deepest = 64;

/** Checks that the value is a JSON object; members that JSON can't say are left out. */
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
