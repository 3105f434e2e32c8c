import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";

/** Objects inside a record that only group the record's own fields. */
export const groups: ReadonlySet<string> = new Set([
  "attributes",
  "properties",
  "spec",
  "status",
  "details",
  "info",
  "summary",
]);
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
 * The names of a record's fields. The records of a list have few different ones, so whatever follows from the names
 * alone is found once for all of them.
 */
export class Shape {
  /** The names of the fields in the order of the record. */
  readonly names: readonly string[];
  /** The plain name of each field (see `fieldName`). */
  readonly plain: readonly string[];
  /** The fields that contain more fields of the record if they are objects. */
  readonly parts: readonly number[];
  readonly #layouts = new Map<string, Layout>();

  constructor(names: readonly string[]) {
    this.names = names;
    this.plain = names.map(fieldName);
    this.parts = [...names.keys()].filter((at) => isPart(this.plain[at] ?? ""));
  }

  /** The layout of a record with this shape at this path; an empty path is the record itself. */
  layoutAt(path: string): Layout {
    let layout = this.#layouts.get(path);
    if (layout === undefined) {
      layout = new Layout(path, [{ shape: this, prefix: path === "" ? "" : `${path}.` }]);
      keep(this.#layouts, path, layout);
    }
    return layout;
  }
}

function isPart(plain: string): boolean {
  return groups.has(plain) || bodies.has(plain);
}

/** Whether one of the fields that may contain more fields of the record does. */
export function hasPart(record: JsonRecord, { names, parts }: Shape): boolean {
  for (let index = 0; index < parts.length; index++)
    if (isRecord(record[names[parts[index] ?? 0] ?? ""])) return true;
  return false;
}

let nameLists = 0;

/** Plain names that are searched for, of which there are few lists. Layouts remember what they have found. */
export class FieldNames {
  /** A small number for each list, in place of the list itself: finding it costs several times less. */
  readonly id = nameLists++;
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    this.names = names;
  }
}

/** A field of the records that have the same layout. */
export interface Slot {
  /** 0 for a field of the record itself; the fields of the first group inside it have 1. */
  readonly part: number;
  readonly name: string;
  /** See `fieldName`. */
  readonly plain: string;
  /** The dotted path of the field in the record. */
  readonly path: string;
  /** The next field with the same plain name, which counts if this one has no value. */
  readonly next: Slot | undefined;
}

/** A field whose objects are read as separate records. */
export interface NestedField {
  readonly slot: Slot;
  /** The first field with the same plain name. */
  readonly first: Slot;
  /** The path of the first item if the field contains a list. */
  readonly itemPath: string;
  /** The layout of the object that was last read here, which the next one probably has, too. */
  expected: Layout | undefined;
}

interface LayoutPart {
  readonly shape: Shape;
  /** The path of a field in it, without the field's name. */
  readonly prefix: string;
}

/** The fields of a record and of the groups inside it. Records with the same names in all of them share a layout. */
export class Layout {
  /** The path to the record. */
  readonly path: string;
  /** The names of the record itself. */
  readonly shape: Shape;
  readonly prefix: string;
  readonly #parts: readonly LayoutPart[];
  readonly #first = new Map<string, Slot>();
  readonly #slots: (readonly Slot[] | undefined)[] = [];
  readonly #places: (readonly NestedField[] | undefined)[] = [];
  readonly #joined = new Map<Shape, Map<string, Layout>>();

  constructor(path: string, parts: readonly [LayoutPart, ...LayoutPart[]]) {
    this.path = path;
    this.#parts = parts;
    this.shape = parts[0].shape;
    this.prefix = parts[0].prefix;
    for (let part = parts.length - 1; part >= 0; part--) {
      const { shape, prefix } = parts[part] ?? parts[0];
      for (let at = shape.names.length - 1; at >= 0; at--) {
        const [name = "", plain = ""] = [shape.names[at], shape.plain[at]];
        this.#first.set(plain, { part, name, plain, path: prefix + name, next: this.#first.get(plain) });
      }
    }
  }

  /** Number of names, of which the caches keep a limited total. */
  get size(): number {
    return this.#parts.reduce((sum, { shape }) => sum + shape.names.length, 0);
  }

  /** The first field with this plain name. */
  slot(plain: string): Slot | undefined {
    return this.#first.get(plain);
  }

  /** The first field with each of these plain names. */
  slots({ id, names }: FieldNames): readonly Slot[] {
    return (this.#slots[id] ??= names.flatMap((name) => this.#first.get(name) ?? []));
  }

  /** The fields with one of these plain names, in the order of the record. */
  places({ id, names }: FieldNames): readonly NestedField[] {
    return (this.#places[id] ??= this.#findPlaces(new Set(names)));
  }

  #findPlaces(names: ReadonlySet<string>): readonly NestedField[] {
    return this.#parts.flatMap(({ shape, prefix }, part) =>
      shape.plain.flatMap((plain, at) => {
        const first = names.has(plain) ? this.#first.get(plain) : undefined;
        const path = prefix + (shape.names[at] ?? "");
        let slot = first;
        while (slot !== undefined && (slot.part !== part || slot.path !== path)) slot = slot.next;
        if (first === undefined || slot === undefined) return [];
        return [{ slot, first, itemPath: `${path}[0]`, expected: undefined }];
      }),
    );
  }

  /** The layout of a record that also has a group with this shape. */
  with(shape: Shape, prefix: string): Layout {
    let byPrefix = this.#joined.get(shape);
    if (byPrefix === undefined) {
      byPrefix = new Map();
      if (this.#joined.size >= maxShapes) this.#joined.clear();
      this.#joined.set(shape, byPrefix);
    }
    let joined = byPrefix.get(prefix);
    if (joined === undefined) {
      const [first = { shape: this.shape, prefix: this.prefix }, ...others] = this.#parts;
      joined = new Layout(this.path, [first, ...others, { shape, prefix }]);
      keep(byPrefix, prefix, joined);
    }
    return joined;
  }
}

/** The shapes by the name of their first field. */
const shapes = new Map<string, Shape[]>();
const maxFirstNames = 500;
/** The shapes with the same first name, and the layouts of the same shape. */
const maxShapes = 32;
/** Records with more fields, or with longer names, are rare, and the cache must be bounded. */
const maxNames = 200;
const maxName = 100;
/** Total number of names in all cached shapes and layouts: a few megabytes. */
const maxKeptNames = 100_000;
let keptNames = 0;

/** Layouts are cached by the shapes that they consist of, so that all are discarded together. */
function noteKept(names: number): void {
  keptNames += names;
  if (keptNames <= maxKeptNames) return;
  keptNames = names;
  shapes.clear();
}

function keep(layouts: Map<string, Layout>, key: string, layout: Layout): void {
  if (layouts.size >= maxShapes) layouts.clear();
  noteKept(layout.size);
  layouts.set(key, layout);
}

/** The shape of a record. It is found fastest if it is the expected one. */
export function shapeOf(record: JsonRecord, expected?: Shape): Shape {
  if (expected !== undefined && hasNames(record, expected.names)) return expected;
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
  noteKept(names.length);
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
