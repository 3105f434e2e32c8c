import { isRecord } from "../../kernel/json.ts";

export const groupings = ["none", "status", "region", "gpu", "tag"] as const;
/** What servers are grouped by; profiles are always apart. */
export type Grouping = (typeof groupings)[number];

export const sortings = ["gateway", "name", "status", "region", "gpu"] as const;
/** What servers are sorted by; `gateway` keeps the order of the reply. */
export type Sorting = (typeof sortings)[number];

/** How the servers are shown. */
export interface Arrangement {
  /** In the filter language; empty shows all. */
  readonly filter: string;
  readonly groupBy: Grouping;
  readonly sortBy: Sorting;
  readonly isDescending: boolean;
}

/** An arrangement that the user has given a name. */
export interface SavedView {
  readonly name: string;
  readonly arrangement: Arrangement;
}

export const plainArrangement: Arrangement = {
  filter: "",
  groupBy: "none",
  sortBy: "gateway",
  isDescending: false,
};

const maxFilter = 1_000;

/** Reads what was stored; what can't be understood is as if it was never chosen. */
export function parseArrangement(stored: unknown): Arrangement {
  if (!isRecord(stored)) return plainArrangement;
  const { filter, groupBy, sortBy, isDescending } = stored;
  return {
    filter: typeof filter === "string" ? filter.slice(0, maxFilter) : "",
    groupBy: groupings.find((known) => known === groupBy) ?? "none",
    sortBy: sortings.find((known) => known === sortBy) ?? "gateway",
    isDescending: isDescending === true,
  };
}

export function parseSavedViews(stored: unknown): readonly SavedView[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isRecord).flatMap(({ name, arrangement }) => {
    const isNamed = typeof name === "string" && name.trim() !== "";
    return isNamed ? [{ name: name.trim(), arrangement: parseArrangement(arrangement) }] : [];
  });
}

/** The views with this one, which replaces the one of the same name. */
export function putView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].toSorted((first, second) =>
    first.name.localeCompare(second.name),
  );
}
