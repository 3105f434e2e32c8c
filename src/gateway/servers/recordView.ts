import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { FieldNames, Layout, NestedField, Shape, Slot } from "./recordShape.ts";
import { groups, hasPart, shapeOf } from "./recordShape.ts";

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

/** A value with its dotted path in the record. */
export interface LocatedValue {
  readonly value: unknown;
  readonly path: string;
}

/**
 * The fields of a record by their plain names (see `fieldName`), including those of groups inside it. The first list
 * after a start is read before the engine has optimized anything, where plain loops cost several times less than
 * iterators.
 */
export class RecordView {
  readonly #record: JsonRecord;
  /** The groups inside the record. */
  #groups: readonly JsonRecord[] = noRecords;
  #layout: Layout;

  /** The layout is that of the record without its groups. */
  constructor(record: JsonRecord, layout: Layout) {
    this.#record = record;
    this.#layout = layout;
    this.#addGroups(record, layout.shape, layout.prefix, 0);
  }

  /** The view of a record at this path; an empty path is an entry of the list itself. */
  static of(record: JsonRecord, path = ""): RecordView {
    return new RecordView(record, shapeOf(record).layoutAt(path));
  }

  /** The fields with each of these names, which may still be without a value. */
  slots(names: FieldNames): readonly Slot[] {
    return this.#layout.slots(names);
  }

  /** The first field with one of these names that has a value. */
  find(names: FieldNames): LocatedValue | undefined {
    const slots = this.#layout.slots(names);
    for (let at = 0; at < slots.length; at++) {
      const field = this.read(slots[at]);
      if (field !== undefined) return field;
    }
    return undefined;
  }

  /** The first field with this name that has a value. */
  get(name: string): LocatedValue | undefined {
    return this.read(this.#layout.slot(name));
  }

  /** The field, or the next one with the same name, that has a value; null and empty text don't count. */
  read(slot: Slot | undefined): LocatedValue | undefined {
    for (let at = slot; at !== undefined; at = at.next) {
      const value = this.#valueOf(at);
      if (value !== null && value !== undefined && value !== "") return { value, path: at.path };
    }
    return undefined;
  }

  /** The objects in fields with these names, each as a separate view; for a list, its first one. */
  children(names: FieldNames): readonly RecordView[] {
    let views: RecordView[] | undefined;
    const places = this.#layout.places(names);
    for (let at = 0; at < places.length; at++) {
      const place = places[at];
      const view = place === undefined ? undefined : this.#childAt(place);
      if (view === undefined) continue;
      if (views === undefined) views = [view];
      else views.push(view);
    }
    return views ?? none;
  }

  #childAt(place: NestedField): RecordView | undefined {
    const { slot, first, itemPath, expected } = place;
    const value = this.#valueOf(slot);
    if (typeof value !== "object" || value === null) return undefined;
    const isList = Array.isArray(value);
    const inner: unknown = isList ? value[0] : value;
    if (!isRecord(inner)) return undefined;
    // Only the first of several fields with the same plain name counts.
    if (first !== slot && this.read(first)?.path !== slot.path) return undefined;
    const path = isList ? itemPath : slot.path;
    const shape = shapeOf(inner, expected?.shape);
    const layout = shape === expected?.shape && expected.path === path ? expected : shape.layoutAt(path);
    place.expected = layout;
    return new RecordView(inner, layout);
  }

  #valueOf({ part, name }: Slot): unknown {
    return part === 0 ? this.#record[name] : this.#groups[part - 1]?.[name];
  }

  /** A record's own fields come first, so that a group can't replace them. */
  #addGroups(record: JsonRecord, shape: Shape, prefix: string, depth: number): void {
    if (depth >= 2 || !hasPart(record, shape)) return;
    const isNamed = this.get("name") !== undefined;
    const isKnown = isNamed || this.get("id") !== undefined;
    for (const at of shape.parts) {
      const [name = "", plain = ""] = [shape.names[at], shape.plain[at]];
      const value = record[name];
      const isWanted = groups.has(plain) || (plain === "metadata" ? !isNamed : !isKnown);
      if (!isWanted || !isRecord(value)) continue;
      const [inner, innerPrefix] = [shapeOf(value), `${prefix}${name}.`];
      this.#layout = this.#layout.with(inner, innerPrefix);
      this.#groups = [...this.#groups, value];
      this.#addGroups(value, inner, innerPrefix, depth + 1);
    }
  }
}

const none: readonly RecordView[] = [];
const noRecords: readonly JsonRecord[] = [];
