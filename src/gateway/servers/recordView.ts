import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";

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
