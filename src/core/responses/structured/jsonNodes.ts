/** A row of a JSON tree: a value, or a part of a list that is too long to show at once. */
export interface JsonNode {
  /** The member's name, the item's number, or the range of a part. */
  readonly label: string;
  /** JSON pointer of the value; of a part, that of its list. */
  readonly pointer: string;
  readonly value: unknown;
  /** Set for a part of a list or of an object: the entries from `start` up to `end`. */
  readonly range?: { readonly start: number; readonly end: number };
}

/** Entries that are shown under one row; more are put into parts of this many. */
export const entriesAtOnce = 100;

/** How many entries a value has; undefined for one that can't have any. */
export function entryCount(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : undefined;
}

/** What is under a row. Only this level is looked at: the tree grows as it is opened. */
export function childNodes({ value, pointer, range }: JsonNode): readonly JsonNode[] {
  const count = entryCount(value) ?? 0;
  const { start, end } = range ?? { start: 0, end: count };
  const size = partSize(end - start);
  if (size === 1) return entries(value, start, end).map(([name, child]) => entryNode(pointer, name, child));
  const parts: JsonNode[] = [];
  for (let from = start; from < end; from += size) {
    const to = Math.min(from + size, end);
    parts.push({ label: `${from} … ${to - 1}`, pointer, value, range: { start: from, end: to } });
  }
  return parts;
}

/** From the root to the value at the pointer, through the parts of long lists; as far as there is one. */
export function nodesTo(root: JsonNode, pointer: string): readonly JsonNode[] {
  const path = [root];
  let node: JsonNode | undefined = root;
  while (node !== undefined && (node.pointer !== pointer || node.range !== undefined)) {
    node = childNodes(node).find((child) => leadsTo(child, pointer));
    if (node !== undefined) path.push(node);
  }
  return path;
}

/** 1 where all entries are shown at once, else how many each part holds. */
function partSize(count: number): number {
  let size = 1;
  while (count > size * entriesAtOnce) size *= entriesAtOnce;
  return size;
}

function entries(value: unknown, start: number, end: number): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value))
    return value.slice(start, end).map((item: unknown, at) => [String(start + at), item] as const);
  return typeof value === "object" && value !== null ? Object.entries(value).slice(start, end) : [];
}

function entryNode(pointer: string, name: string, value: unknown): JsonNode {
  return { label: name, pointer: `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, value };
}

function leadsTo({ pointer: place, value, range }: JsonNode, pointer: string): boolean {
  if (range === undefined) return pointer === place || pointer.startsWith(`${place}/`);
  const [name = ""] = pointer.slice(place.length + 1).split("/", 1);
  const wanted = name.replaceAll("~1", "/").replaceAll("~0", "~");
  const at = Array.isArray(value) ? Number(wanted) : Object.keys(value ?? {}).indexOf(wanted);
  return at >= range.start && at < range.end;
}
