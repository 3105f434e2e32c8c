import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";
import { pointerSteps } from "../../core/servers/filter/recordValues.ts";

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

export type JsonRecord = Readonly<Record<string, unknown>>;

/** A value with its dotted path in the record. */
export interface Field {
  readonly value: unknown;
  readonly path: string;
}

/** Objects inside a record that only group the record's own fields. */
const groups = new Set(["attributes", "properties", "spec", "status", "details", "info", "summary"]);
/** Objects that contain the record itself if the outer one has no name: `{"server": {"name": …}}`. */
const bodies = new Set([
  "server",
  "instance",
  "vm",
  "virtualmachine",
  "node",
  "machine",
  "pod",
  "device",
  "item",
  "resource",
  "data",
  "metadata",
]);

/** The fields of a record by their plain names (see `fieldName`), including those of groups inside it. */
export class RecordView {
  readonly #fields = new Map<string, Field>();
  /** The names of the fields that contain an object or a list. */
  readonly #objects: string[] = [];

  constructor(record: JsonRecord, path = "") {
    this.#add(record, path === "" ? "" : `${path}.`, 0);
  }

  /** The first field with one of these names that has a value; null and empty text don't count. */
  find(names: readonly string[]): Field | undefined {
    for (const name of names) {
      const field = this.#fields.get(name);
      if (field !== undefined) return field;
    }
    return undefined;
  }

  get(name: string): Field | undefined {
    return this.#fields.get(name);
  }

  /** The objects in fields with these names, each as a separate view; for a list, its first one. */
  *children(names: ReadonlySet<string>): Generator<RecordView> {
    for (const name of this.#objects) {
      const field = names.has(name) ? this.#fields.get(name) : undefined;
      if (field === undefined) continue;
      const { value, path } = field;
      const first: unknown = Array.isArray(value) ? value[0] : value;
      if (isRecord(first)) yield new RecordView(first, Array.isArray(value) ? `${path}[0]` : path);
    }
  }

  /** A record's own fields come first, so that a group can't replace them. */
  #add(record: JsonRecord, prefix: string, depth: number): void {
    const inner: [name: string, record: JsonRecord, path: string][] = [];
    for (const name of Object.keys(record)) {
      const value = record[name];
      if (value === null || value === undefined || value === "") continue;
      const plain = fieldName(name);
      const path = prefix + name;
      if (!this.#fields.has(plain)) {
        this.#fields.set(plain, { value, path });
        if (typeof value === "object") this.#objects.push(plain);
      }
      if (depth < 2 && (groups.has(plain) || bodies.has(plain)) && isRecord(value)) {
        inner.push([plain, value, path]);
      }
    }
    const isNamed = this.#fields.has("name");
    const isKnown = isNamed || this.#fields.has("id");
    for (const [name, value, path] of inner) {
      const isPart = groups.has(name) || (name === "metadata" ? !isNamed : !isKnown);
      if (isPart) this.#add(value, `${path}.`, depth + 1);
    }
  }
}
