import { isRecord } from "../kernel/json.ts";
const cache = new Map<string, string>();

/**
 * A field's name in the form used to compare aliases: without case, separators and the prefix of an extension.
 * `availability_zone`, `availabilityZone` and `OS-EXT-AZ:availability_zone` are all `availabilityzone`.
 */
export function fieldName(name: string): string {
  const known = cache.get(name);
  if (known !== undefined) return known;
  if (cache.size > 5_000) cache.clear();
  const lower = name.slice(0, 200).toLowerCase();
  const local = lower.slice(Math.max(lower.lastIndexOf(":"), lower.lastIndexOf("/")) + 1);
  // Most names are ASCII, for which a simpler expression is compiled faster.
  const letters = local.replace(/[^\0-\x7f]/.test(local) ? /[^\p{L}\p{N}]+/gu : /[^a-z0-9]+/g, "");
  const result = letters === "" ? lower : letters;
  cache.set(name, result);
  return result;
}

/** The facts that the user can map; `list` is the location of the records in the response. */
export type MappedField =
  "list" | "id" | "name" | "status" | "gpu" | "gpuModel" | "gpuCount" | "region" | "address";

/**
 * The locations of facts in a record, each as dotted paths or JSON pointers of which the first existing one is used.
 * `*` matches every entry of a list or a map. Takes precedence over what the reader finds by itself.
 */
export type FieldMapping = Readonly<Partial<Record<MappedField, readonly string[]>>>;

/** Every fact that can be mapped, in the order in which they are offered. */
export const mappedFields: readonly MappedField[] = [
  "list",
  "id",
  "name",
  "status",
  "gpu",
  "gpuModel",
  "gpuCount",
  "region",
  "address",
];

/** Parses the setting: a path or a list of paths for each field; anything else is ignored. */
export function parseFieldMapping(setting: unknown): FieldMapping {
  if (!isRecord(setting)) return {};
  const mapping: Partial<Record<MappedField, readonly string[]>> = {};
  for (const field of mappedFields) {
    const paths = [setting[field]].flat().filter(isPath);
    if (paths.length > 0) mapping[field] = paths;
  }
  return mapping;
}

/** How the pages of a list are requested where the response doesn't say so. */
export interface ListPaging {
  /** False if only the first page is wanted. */
  readonly follow?: false;
  /** The location of the next position in the response, as a dotted path or JSON pointer. */
  readonly next?: string;
  /** The query parameter for that position, or for a count. */
  readonly parameter?: string;
  /** What is counted if the response has no position. Pages by default. */
  readonly counts?: "pages" | "servers";
  /** The number of the first page; 1 by default. */
  readonly first?: number;
}

/** Parses the setting; anything invalid is ignored. */
export function parseListPaging(setting: unknown): ListPaging | undefined {
  if (!isRecord(setting)) return undefined;
  if (setting["follow"] === false) return { follow: false };
  const { next, parameter, counts, first } = setting;
  if (typeof parameter !== "string" || !/^[\w.[\]$-]{1,100}$/.test(parameter)) return undefined;
  return {
    parameter,
    ...(isPath(next) ? { next } : {}),
    ...(counts === "servers" ? { counts } : {}),
    ...(typeof first === "number" && Number.isInteger(first) ? { first } : {}),
  };
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
