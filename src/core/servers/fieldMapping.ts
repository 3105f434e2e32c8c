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
  const letters = local.replace(/[^\p{L}\p{N}]+/gu, "");
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

function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
