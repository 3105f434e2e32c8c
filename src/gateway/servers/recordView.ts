import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";

export type JsonRecord = Readonly<Record<string, unknown>>;

/** A value with the dotted path at which it stands in its record. */
export interface Field {
  readonly value: unknown;
  readonly path: string;
}

/** Objects inside a record that only group its own fields. */
const groups = new Set(["attributes", "properties", "spec", "status", "details", "info", "summary"]);
/** Objects that hold the record itself where the outer one has no name: `{"server": {"name": …}}`. */
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

/** The fields of a record by their plain names (see `fieldName`), those of groups inside it included. */
export class RecordView {
  readonly #fields = new Map<string, Field>();
  /** The names of those fields that hold an object or a list. */
  readonly #objects: string[] = [];

  constructor(record: JsonRecord, path = "") {
    this.#add(record, path === "" ? "" : `${path}.`, 0);
  }

  /** The first field of these names that holds something; null and empty text are nothing. */
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

  /** The objects that stand in fields of these names, each as a view of its own; of a list its first one. */
  *children(names: ReadonlySet<string>): Generator<RecordView> {
    for (const name of this.#objects) {
      const field = names.has(name) ? this.#fields.get(name) : undefined;
      if (field === undefined) continue;
      const { value, path } = field;
      const first: unknown = Array.isArray(value) ? value[0] : value;
      if (isRecord(first)) yield new RecordView(first, Array.isArray(value) ? `${path}[0]` : path);
    }
  }

  /** A record's own fields first, so that a group can't replace what stands beside it. */
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
