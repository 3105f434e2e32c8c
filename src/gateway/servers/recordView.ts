import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldName.ts";

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

/** Objects inside a record that only group the record's own fields. */
const groups: ReadonlySet<string> = new Set(
  "attributes properties spec status details info summary".split(" "),
);
/** Objects that contain the record itself if the outer one has no name: `{"server": {"name": …}}`. */
const bodies: ReadonlySet<string> = new Set(
  "server instance vm virtualmachine node machine pod device item resource data metadata".split(" "),
);

/** Plain names of the fields that may contain a fact. */
export interface Names {
  readonly size: number;
}

interface Role {
  readonly names: Names;
  readonly rank: number;
}

/** What each plain name is searched for. Most fields of a record have a name that isn't, and cost no more than that. */
const roles = new Map<string, Role[]>();

/** Names of fields in the order in which they are searched for. */
export function fieldNames(list: readonly string[]): Names {
  const names = { size: list.length };
  for (const [rank, name] of [...new Set(list)].entries()) {
    const known = roles.get(name);
    if (known === undefined) roles.set(name, [{ names, rank }]);
    else known.push({ names, rank });
  }
  return names;
}

const ownName = fieldNames(["name"]);
const ownId = fieldNames(["id"]);

interface RankedField extends LocatedValue {
  readonly rank: number;
}

/** The fields of a record by their plain names (see `fieldName`), including those of groups inside it. */
export class RecordView {
  /** The first field with each plain name that has a value; null and empty text don't count. */
  readonly #fields = new Map<Names, RankedField[]>();
  readonly #children = new Map<Names, readonly RecordView[]>();
  /** The roles of fields without a value. */
  #empty: Set<Names> | undefined;

  /** @param path The path of the record; empty for an entry of the list itself. */
  constructor(record: JsonRecord, path = "") {
    this.#add(record, path === "" ? "" : `${path}.`, 0);
  }

  /** The first field with one of these names. */
  find(names: Names): LocatedValue | undefined {
    return this.all(names)[0];
  }

  /** The fields with these names, in the order of the names. */
  all(names: Names): readonly LocatedValue[] {
    const found = this.#fields.get(names) ?? none;
    return found.length < 2 ? found : found.toSorted((first, next) => first.rank - next.rank);
  }

  /** Whether there is a field with one of these names, and none of them has a value. */
  isEmpty(names: Names): boolean {
    return this.#empty?.has(names) === true && !this.#fields.has(names);
  }

  /** The objects in fields with these names, each as a separate view; for a list, its first one. */
  children(names: Names): readonly RecordView[] {
    const fields = this.#fields.get(names);
    if (fields === undefined) return none;
    const known = this.#children.get(names);
    if (known !== undefined) return known;
    const children = fields.flatMap(({ value, path }) => {
      const inner: unknown = Array.isArray(value) ? value[0] : value;
      return isRecord(inner) ? [new RecordView(inner, Array.isArray(value) ? `${path}[0]` : path)] : [];
    });
    this.#children.set(names, children);
    return children;
  }

  /** A record's own fields come first, so that a group can't replace them. */
  #add(record: JsonRecord, prefix: string, depth: number): void {
    const parts: [name: string, plain: string, value: JsonRecord][] = [];
    for (const name of Object.keys(record)) {
      const plain = fieldName(name);
      const value = record[name];
      for (const role of roles.get(plain) ?? noRoles) this.#take(role, value, prefix + name);
      if (depth < 2 && (groups.has(plain) || bodies.has(plain)) && isRecord(value))
        parts.push([name, plain, value]);
    }
    const isNamed = this.#fields.has(ownName);
    const isKnown = isNamed || this.#fields.has(ownId);
    for (const [name, plain, value] of parts) {
      const isWanted = groups.has(plain) || (plain === "metadata" ? !isNamed : !isKnown);
      if (isWanted) this.#add(value, `${prefix}${name}.`, depth + 1);
    }
  }

  #take({ names, rank }: Role, value: unknown, path: string): void {
    if (value === null || value === undefined || value === "") {
      (this.#empty ??= new Set()).add(names);
      return;
    }
    const found = this.#fields.get(names);
    if (found === undefined) this.#fields.set(names, [{ value, path, rank }]);
    else if (!found.some((field) => field.rank === rank)) found.push({ value, path, rank });
  }
}

const none: readonly never[] = [];
const noRoles: readonly Role[] = [];
