import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";

/** A text or a number as text; undefined for anything else, and for empty text. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/** The last segment of a resource path or URL (`…/zones/us-central1-a`); other text is unchanged. */
export function lastSegment(text: string): string {
  if (!text.includes("/")) return text;
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

/**
 * The names of a record's fields. The records of a list have few different ones, so whatever follows from the names alone
 * is found once for all of them.
 */
export class Shape {
  /** The names of the fields in the order of the record. */
  readonly names: readonly string[];
  /** The plain name of each field (see `fieldName`). */
  readonly plain: readonly string[];
  /** The fields that contain more fields of the record if they are objects. */
  readonly parts: readonly number[];
  readonly #byPlain = new Map<string, string[]>();
  readonly #present = new Map<readonly string[], readonly string[]>();
  readonly #among = new Map<ReadonlySet<string>, readonly number[]>();
  readonly #joined = new Map<Shape, Shape>();

  constructor(names: readonly string[]) {
    this.names = names;
    this.plain = names.map(fieldName);
    this.parts = [...names.keys()].filter((at) => isPart(this.plain[at] ?? ""));
    for (const [at, plain] of this.plain.entries()) {
      const list = this.#byPlain.get(plain);
      if (list === undefined) this.#byPlain.set(plain, [names[at] ?? ""]);
      else list.push(names[at] ?? "");
    }
  }

  /** The names of the fields with this plain name. */
  named(plain: string): readonly string[] | undefined {
    return this.#byPlain.get(plain);
  }

  /** Those of the plain names that a field has. The list of names must be a constant. */
  present(names: readonly string[]): readonly string[] {
    let found = this.#present.get(names);
    if (found === undefined) {
      found = names.filter((name) => this.#byPlain.has(name));
      this.#present.set(names, found);
    }
    return found;
  }

  /** The positions of the fields with one of these plain names, in the order of the record. The set must be a constant. */
  among(names: ReadonlySet<string>): readonly number[] {
    let found = this.#among.get(names);
    if (found === undefined) {
      found = [...this.plain.keys()].filter((at) => names.has(this.plain[at] ?? ""));
      this.#among.set(names, found);
    }
    return found;
  }

  /** The shape of a record that consists of both. */
  with(other: Shape): Shape {
    let joined = this.#joined.get(other);
    if (joined === undefined) {
      joined = new Shape([...this.names, ...other.names]);
      if (this.#joined.size >= maxShapes) this.#joined.clear();
      noteKept(joined);
      this.#joined.set(other, joined);
    }
    return joined;
  }
}

function isPart(plain: string): boolean {
  return groups.has(plain) || bodies.has(plain);
}

/** The shapes by the name of their first field. */
const shapes = new Map<string, Shape[]>();
const maxFirstNames = 500;
/** The shapes with the same first name. */
const maxShapes = 32;
/** Records with more fields, or with longer names, are rare, and the cache must be bounded. */
const maxNames = 200;
const maxName = 100;
/** Total number of names in all cached shapes, including joined ones: a few megabytes. */
const maxKeptNames = 100_000;
let keptNames = 0;

/** Joined shapes are cached by the shapes that they consist of, so that all are discarded together. */
function noteKept({ names }: Shape): void {
  keptNames += names.length;
  if (keptNames <= maxKeptNames) return;
  keptNames = names.length;
  shapes.clear();
}

export function shapeOf(record: JsonRecord): Shape {
  const first = firstName(record);
  const known = shapes.get(first);
  if (known !== undefined) {
    for (let at = 0; at < known.length; at++) {
      const shape = known[at];
      if (shape !== undefined && hasNames(record, shape.names)) return shape;
    }
  }
  const names = Object.keys(record);
  const shape = new Shape(names);
  if (names.length > maxNames || names.some((name) => name.length > maxName)) return shape;
  noteKept(shape);
  if (shapes.size >= maxFirstNames) shapes.clear();
  const kept = shapes.get(first);
  if (kept === undefined) shapes.set(first, [shape]);
  else if (kept.push(shape) > maxShapes) kept.shift();
  return shape;
}

function firstName(record: JsonRecord): string {
  for (const name in record) return name;
  return "";
}

/**
 * Unlike `Object.keys`, the loop doesn't create a list. Parsed JSON inherits no enumerable fields that the loop could
 * find.
 */
function hasNames(record: JsonRecord, names: readonly string[]): boolean {
  let at = 0;
  for (const name in record) if (name !== names[at++]) return false;
  return at === names.length;
}

interface RecordPart {
  readonly record: JsonRecord;
  readonly shape: Shape;
  /** The path of a field in it, without the field's name. */
  readonly prefix: string;
}

/**
 * The fields of a record by their plain names (see `fieldName`), including those of groups inside it. The first list after a
 * start is read before the engine has optimized anything, where plain loops cost several times less than iterators.
 */
export class RecordView {
  /** The record, then the groups inside it. */
  readonly #parts: RecordPart[];
  #shape: Shape;

  constructor(record: JsonRecord, path = "") {
    const shape = shapeOf(record);
    const prefix = path === "" ? "" : `${path}.`;
    this.#shape = shape;
    this.#parts = [{ record, shape, prefix }];
    this.#addGroups(record, shape, prefix, 0);
  }

  /** Those of the names that a field has, which may still be without a value. The list of names must be a constant. */
  present(names: readonly string[]): readonly string[] {
    return this.#shape.present(names);
  }

  /** The first field with one of these names that has a value; the list of names must be a constant. */
  find(names: readonly string[]): Field | undefined {
    const present = this.#shape.present(names);
    for (let at = 0; at < present.length; at++) {
      const field = this.get(present[at] ?? "");
      if (field !== undefined) return field;
    }
    return undefined;
  }

  /** The first field with this name that has a value; null and empty text don't count. */
  get(name: string): Field | undefined {
    for (let index = 0; index < this.#parts.length; index++) {
      const part = this.#parts[index];
      const own = part?.shape.named(name);
      if (part === undefined || own === undefined) continue;
      for (let at = 0; at < own.length; at++) {
        const key = own[at] ?? "";
        const value = part.record[key];
        if (value !== null && value !== undefined && value !== "") return { value, path: part.prefix + key };
      }
    }
    return undefined;
  }

  /**
   * The objects in fields with these names, each as a separate view; for a list, its first one. The set of names must be a
   * constant.
   */
  children(names: ReadonlySet<string>): readonly RecordView[] {
    if (this.#parts.length > 1) return this.#parts.flatMap((part) => this.#childrenIn(part, names));
    const only = this.#parts[0];
    return only === undefined ? none : this.#childrenIn(only, names);
  }

  #childrenIn({ record, shape, prefix }: RecordPart, names: ReadonlySet<string>): readonly RecordView[] {
    let views: readonly RecordView[] = none;
    const places = shape.among(names);
    for (let index = 0; index < places.length; index++) {
      const at = places[index] ?? 0;
      const own = shape.names[at] ?? "";
      const value = record[own];
      if (typeof value !== "object" || value === null) continue;
      const first: unknown = Array.isArray(value) ? value[0] : value;
      if (!isRecord(first)) continue;
      const path = prefix + own;
      // Only the first of several fields with the same plain name counts.
      if (this.get(shape.plain[at] ?? "")?.path !== path) continue;
      const view = new RecordView(first, Array.isArray(value) ? `${path}[0]` : path);
      views = views.length === 0 ? [view] : [...views, view];
    }
    return views;
  }

  /** A record's own fields come first, so that a group can't replace them. */
  #addGroups(record: JsonRecord, shape: Shape, prefix: string, depth: number): void {
    if (depth >= 2 || !hasRecord(record, shape)) return;
    const isNamed = this.get("name") !== undefined;
    const isKnown = isNamed || this.get("id") !== undefined;
    for (const at of shape.parts) {
      const [name = "", plain = ""] = [shape.names[at], shape.plain[at]];
      const value = record[name];
      const isWanted = groups.has(plain) || (plain === "metadata" ? !isNamed : !isKnown);
      if (!isWanted || !isRecord(value)) continue;
      const part = { record: value, shape: shapeOf(value), prefix: `${prefix}${name}.` };
      this.#shape = this.#shape.with(part.shape);
      this.#parts.push(part);
      this.#addGroups(value, part.shape, part.prefix, depth + 1);
    }
  }
}

const none: readonly RecordView[] = [];

/** Whether one of the fields that may contain more fields of the record does. */
function hasRecord(record: JsonRecord, { names, parts }: Shape): boolean {
  for (let index = 0; index < parts.length; index++)
    if (isRecord(record[names[parts[index] ?? 0] ?? ""])) return true;
  return false;
}
