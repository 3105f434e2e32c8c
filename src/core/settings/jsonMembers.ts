import { isRecord } from "../json.ts";
import type { JsonObject, JsonValue } from "../json.ts";

/** Deeper than this is no parameter: it would only break whoever walks through it. */
const greatestDepth = 64;

/** The value as JSON; undefined where JSON can't say it. */
export function parseJsonObject(value: unknown): JsonObject | undefined {
  return isRecord(value) && isJson(value, 0) ? value : undefined;
}

function isJson(value: unknown, depth: number): value is JsonValue & JsonObject {
  if (depth > greatestDepth) return false;
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      return value === null || Object.values(value).every((member) => isJson(member, depth + 1));
    default:
      return false;
  }
}
