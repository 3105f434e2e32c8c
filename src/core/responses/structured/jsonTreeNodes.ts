/** A row of a JSON tree: a value, or a part of a list that is too long to show at once. */
export interface JsonTreeNode {
  /** The field name, the index of the item, or the range of a part. */
  readonly label: string;
  /** JSON pointer of the value; for a part, the pointer of its list. */
  readonly pointer: string;
  readonly value: unknown;
  /** Set for a part of a list or of an object: the entries from `start` up to `end`. */
  readonly range?: { readonly start: number; readonly end: number };
}

/** Maximum number of entries shown under one row; longer lists are divided into parts of this size. */
const entriesAtOnce = 100;

/** Number of entries of a value; undefined for a value that can't have any. */
export function entryCount(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : undefined;
}

/** The rows below a row. Only this level is read, so the tree grows as it is expanded. */
export function childNodes({ value, pointer, range }: JsonTreeNode): readonly JsonTreeNode[] {
  const count = entryCount(value) ?? 0;
  const { start, end } = range ?? { start: 0, end: count };
  const size = partSize(end - start);
  if (size === 1) return entries(value, start, end).map(([name, child]) => entryNode(pointer, name, child));
  const parts: JsonTreeNode[] = [];
  for (let from = start; from < end; from += size) {
    const to = Math.min(from + size, end);
    parts.push({ label: `${from} … ${to - 1}`, pointer, value, range: { start: from, end: to } });
  }
  return parts;
}

/**
 * The rows from the root to the value at the pointer, including parts of long lists. Ends at the last row that exists.
 */
export function nodesTo(root: JsonTreeNode, pointer: string): readonly JsonTreeNode[] {
  const path = [root];
  let node: JsonTreeNode | undefined = root;
  while (node !== undefined && (node.pointer !== pointer || node.range !== undefined)) {
    node = childNodes(node).find((child) => leadsTo(child, pointer));
    if (node !== undefined) path.push(node);
  }
  return path;
}

/** 1 if all entries are shown at once, otherwise the size of each part. */
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

function entryNode(pointer: string, name: string, value: unknown): JsonTreeNode {
  return { label: name, pointer: `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, value };
}

function leadsTo({ pointer: place, value, range }: JsonTreeNode, pointer: string): boolean {
  if (range === undefined) return pointer === place || pointer.startsWith(`${place}/`);
  const [name = ""] = pointer.slice(place.length + 1).split("/", 1);
  const wanted = name.replaceAll("~1", "/").replaceAll("~0", "~");
  const at = Array.isArray(value) ? Number(wanted) : Object.keys(value ?? {}).indexOf(wanted);
  return at >= range.start && at < range.end;
}
