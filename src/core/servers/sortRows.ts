import type { ServerAnnotation } from "./marks/serverAnnotation.ts";

const collator = new Intl.Collator(undefined, { numeric: true });

/** What a row is sorted by; undefined if nothing is known. */
export type SortKey = string | number | undefined;

/** Pinned rows first, then numbers before texts, then rows without a key in either direction. Equal rows keep their order. */
export function sortRows<T extends { readonly mark: ServerAnnotation | undefined }>(
  rows: readonly T[],
  isDescending: boolean,
  keyOf: (row: T) => SortKey,
): readonly T[] {
  const sign = isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, rank: row.mark?.isPinned === true ? 0 : 1, key: keyOf(row) }))
    .sort(
      (first, second) =>
        first.rank - second.rank ||
        Number(first.key === undefined) - Number(second.key === undefined) ||
        sign * compareKeys(first.key, second.key),
    )
    .map(({ row }) => row);
}

const kinds = ["number", "string", "undefined"];

/** Numbers come before texts and texts before nothing, and numbers inside texts are compared by value. */
export function compareKeys(first: SortKey, second: SortKey): number {
  if (typeof first === "string" && typeof second === "string") return collator.compare(first, second);
  if (typeof first === "number" && typeof second === "number") return first - second;
  return kinds.indexOf(typeof first) - kinds.indexOf(typeof second);
}
