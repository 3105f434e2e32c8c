import { isRecord } from "../../core/kernel/json.ts";
import { pointerSteps } from "../../core/servers/filter/recordValues.ts";

/** A value found by a path, along with the actual path to it. */
export interface Found {
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
/** A text or a number as text; undefined for anything else, and for empty text. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/** The last segment of a resource path or URL (`…/zones/us-central1-a`); other text is unchanged. */
export function lastSegment(text: string): string {
  const isPath = /^(?:[a-z]+:\/\/|\/?(?:projects|subscriptions|organizations|compute)\/)\S*$/i.test(text);
  return isPath
    ? (text
        .slice(0, (text.search(/[?#]/) + 1 || text.length + 1) - 1)
        .replace(/(?<!\/)\/+$/, "")
        .split("/")
        .pop() ?? text)
    : text;
}

/** A count: a non-negative integer, or text that contains one. */
export function countOf(value: unknown): number | undefined {
  const text = scalarText(value);
  return text !== undefined && /^\d{1,6}(?:\.0+)?$/.test(text) ? Number(text) : undefined;
}
