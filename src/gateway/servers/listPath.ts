import { isRecord } from "../../core/kernel/json.ts";

/** A step of the path through a response: a field, every entry of a list, or every entry of a map. */
export type Step = { readonly field: string } | { readonly each: "list" | "map" };

/** One entry of the list that was found; `key` is its name if the list is a map. */
export interface Entry {
  readonly value: unknown;
  readonly key?: string;
}

/** Such as `data.list`, `Reservations[].Instances`, `items{}`; empty if the response itself is the list. */
export function pathText(steps: readonly Step[]): string {
  const last = steps.at(-1);
  const shown = last !== undefined && "each" in last && last.each === "list" ? steps.slice(0, -1) : steps;
  return shown
    .map((step) => ("field" in step ? `.${step.field}` : step.each === "list" ? "[]" : "{}"))
    .join("")
    .replace(/^\./, "");
}

/** Everything at the end of the path, in the order of the response. */
export function entriesAt(document: unknown, steps: readonly Step[]): readonly Entry[] {
  return steps.reduce<readonly Entry[]>(
    (entries, step) => entries.flatMap((entry) => stepInto(entry.value, step)),
    [{ value: document }],
  );
}

function stepInto(value: unknown, step: Step): readonly Entry[] {
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
