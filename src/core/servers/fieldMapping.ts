import { isRecord } from "../kernel/json.ts";
import { factNames } from "./serverFacts.ts";
import type { FactName } from "./serverFacts.ts";

/** What the user can map: the status, other facts, and `list`, the location of the records in the response. */
type MappedField = Exclude<FactName, "statusText"> | "status" | "list";

/**
 * The locations of facts in a record, each as dotted paths or JSON pointers of which the first existing one is used.
 * `*` matches every entry of a list or a map. Takes precedence over what the reader finds by itself.
 */
export type FieldMapping = Readonly<Partial<Record<MappedField, readonly string[]>>>;

/** The name of a fact in the mapping. */
export function mappedField(name: FactName): MappedField {
  return name === "statusText" ? "status" : name;
}

/** Everything that can be mapped, in the order in which it is offered. */
export const mappedFields: readonly MappedField[] = ["list", ...factNames.map(mappedField)];

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
