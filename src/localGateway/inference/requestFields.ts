import { isRecord } from "../../core/kernel/json.ts";
import { inferenceError } from "../http/reply.ts";
import type { HttpFailure } from "../http/reply.ts";

export type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * A field of the request is missing or wrong. `param` names it the way OpenAI-style servers do, such as
 * `messages[0].role`.
 */
export function badRequest(param: string, problem: string, code = "invalid_value"): HttpFailure {
  return inferenceError(400, `Invalid “${param}”: ${problem}.`, "invalid_request_error", code, param);
}

export function requireRecord(value: unknown, param: string): JsonRecord {
  if (!isRecord(value)) throw badRequest(param, "an object is expected", "invalid_type");
  return value;
}

export function requireString(value: unknown, param: string): string {
  if (typeof value !== "string") throw badRequest(param, "a string is expected", "invalid_type");
  return value;
}

/** An optional field. Null counts as missing, because clients send it for defaults. */
export function optional<T>(
  value: unknown,
  param: string,
  parse: (value: unknown, param: string) => T,
): T | undefined {
  return value === undefined || value === null ? undefined : parse(value, param);
}

export function parseBoolean(value: unknown, param: string): boolean {
  if (typeof value !== "boolean") throw badRequest(param, "true or false is expected", "invalid_type");
  return value;
}

export function parseArray(value: unknown, param: string): readonly unknown[] {
  if (!Array.isArray(value)) throw badRequest(param, "an array is expected", "invalid_type");
  return value;
}

/** A whole number of at least 1. */
export function parseCount(value: unknown, param: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw badRequest(param, "an integer is expected", "invalid_type");
  }
  if (value < 1) throw badRequest(param, "at least 1 is expected", "integer_below_min_value");
  return value;
}

export function parseSpeed(value: unknown, param: string): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw badRequest(param, "a number of at least 0 is expected");
}
