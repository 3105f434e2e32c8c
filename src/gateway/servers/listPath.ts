import { isRecord } from "../../core/kernel/json.ts";
import { pointerSteps } from "../../core/servers/filter/recordValues.ts";

/** A step of the path through a response: a field, every entry of a list, or every entry of a map. */
export type PathStep = { readonly field: string } | { readonly each: "list" | "map" };

/** One entry of the list that was found; `key` is its name if the list is a map. */
export interface Entry {
  readonly value: unknown;
  readonly key?: string;
}

/** One response: the entries of its list, and where the list is. */
export interface ListPage {
  readonly document: unknown;
  readonly entries: readonly Entry[];
  /** Empty if the list was found by the user's mapping, or is a single server. */
  readonly steps: readonly PathStep[];
}

/** Everything at the end of the path, in the order of the response. */
export function entriesAt(document: unknown, steps: readonly PathStep[]): readonly Entry[] {
  return steps.reduce<readonly Entry[]>(
    (entries, step) => entries.flatMap((entry) => stepInto(entry.value, step)),
    [{ value: document }],
  );
}

function stepInto(value: unknown, step: PathStep): readonly Entry[] {
  if ("field" in step) {
    const inner = isRecord(value) ? value[step.field] : undefined;
    return inner === undefined || inner === null ? [] : [{ value: inner }];
  }
  if (step.each === "list")
    return Array.isArray(value) ? value.map((item: unknown) => ({ value: item })) : [];
  if (!isRecord(value)) return [];
  return Object.entries(value)
    .filter(([, inner]) => typeof inner === "object" && inner !== null)
    .map(([key, inner]) => ({ value: inner, key }));
}

/** A value found by a path, along with the actual path to it. */
interface Found {
  readonly value: unknown;
  readonly path: string;
}

const maxFound = 100_000;

/**
 * Follows a user's path, which is a JSON pointer (`/gpu/model`) or dotted: names (including their own dots, if a field
 * has such a name), numbers for entries of a list, `*` for every entry of a list or map. A list on the path without an
 * index means all its entries.
 */
export function followPath(value: unknown, path: string): readonly Found[] {
  const found: Found[] = [];
  const start = { value, path: "" };
  follow(start, path.startsWith("/") ? pointerSteps(path) : dottedSteps(path), found);
  return found;
}

function dottedSteps(path: string): readonly string[] {
  return path
    .replace(/^\$\.?/, "")
    .replace(/\[(\d+|\*?)\]/g, (_, index: string) => `.${index === "" ? "*" : index}`)
    .replace(/\{\}/g, ".*")
    .split(".")
    .filter((step) => step !== "");
}

function follow(at: Found, steps: readonly string[], found: Found[]): void {
  if (found.length >= maxFound) return;
  if (steps.length === 0) {
    if (at.value !== undefined && at.value !== null) found.push(at);
    return;
  }
  if (Array.isArray(at.value)) followList(at.value, at.path, steps, found);
  else if (isRecord(at.value)) followRecord(at.value, at.path, steps, found);
}

function followList(list: readonly unknown[], path: string, steps: readonly string[], found: Found[]): void {
  const [step = "", ...rest] = steps;
  if (/^\d+$/.test(step)) {
    follow({ value: list[Number(step)], path: `${path}[${step}]` }, rest, found);
    return;
  }
  const next = step === "*" ? rest : steps;
  for (const [index, value] of list.entries()) follow({ value, path: `${path}[${index}]` }, next, found);
}

/** The longest run of steps that matches a field's own name is used as that name. */
function followRecord(
  record: Readonly<Record<string, unknown>>,
  path: string,
  steps: readonly string[],
  found: Found[],
): void {
  const prefix = path === "" ? "" : `${path}.`;
  for (let length = steps.length; length > 0; length--) {
    const name = steps.slice(0, length).join(".");
    if (!Object.hasOwn(record, name)) continue;
    follow({ value: record[name], path: prefix + name }, steps.slice(length), found);
    return;
  }
  if (steps[0] !== "*") return;
  for (const [name, value] of Object.entries(record))
    follow({ value, path: prefix + name }, steps.slice(1), found);
}
