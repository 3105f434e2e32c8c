/** What is sorted: where nothing is known the key is undefined, and that comes last whichever way is sorted. */
export interface Sorted {
  readonly key: string | number | undefined;
  readonly isPinned: boolean;
  /** Its place before: what is equal stays as it was. */
  readonly place: number;
}

const collator = new Intl.Collator(undefined, { numeric: true });

/**
 * Sorts rows by their keys. Texts are compared by what language says once for each of them, and then by their rank: a
 * list that is sorted again, or the other way round, costs hardly more than a walk through it.
 */
export class RowSorter {
  #ranks: ReadonlyMap<string, number> = new Map();

  /** Pinned rows first, numbers before texts. */
  sort<T extends Sorted>(rows: readonly T[], isDescending: boolean): readonly T[] {
    this.#rank(rows);
    const sign = isDescending ? -1 : 1;
    const places = rows.map((row) => ({ row, rank: this.#rankOf(row.key) }));
    places.sort(
      (first, second) =>
        Number(second.row.isPinned) - Number(first.row.isPinned) ||
        Number(first.rank === undefined) - Number(second.rank === undefined) ||
        sign * ((first.rank ?? 0) - (second.rank ?? 0)) ||
        first.row.place - second.row.place,
    );
    return places.map(({ row }) => row);
  }

  #rankOf(key: string | number | undefined): number | undefined {
    if (typeof key !== "string") return key;
    return textsBegin + (this.#ranks.get(key) ?? 0);
  }

  #rank(rows: readonly Sorted[]): void {
    const texts = new Set<string>();
    for (const { key } of rows) if (typeof key === "string") texts.add(key);
    const missing = [...texts].filter((text) => !this.#ranks.has(text));
    if (missing.length === 0) return;
    // In the order of before, so that what is new is put in and not all is compared again.
    const known = [...this.#ranks.keys()].filter((text) => texts.has(text));
    const sorted = [...known, ...missing].sort(collator.compare);
    this.#ranks = new Map(sorted.map((text, index) => [text, index]));
  }
}

/** Above every number that is a key, and small enough to tell neighbours apart. */
const textsBegin = 4e15;
