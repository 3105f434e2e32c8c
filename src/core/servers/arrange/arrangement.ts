import { t } from "@vscode/l10n";
import { isRecord } from "../../kernel/json.ts";

export const groupings = ["none", "status", "region", "gpu", "tag"] as const;
/** What servers are grouped by; profiles are always separate. */
export type Grouping = (typeof groupings)[number];

export const sortings = ["gateway", "name", "status", "region", "gpu"] as const;
/** What servers are sorted by; `gateway` keeps the order of the response. */
export type Sorting = (typeof sortings)[number];

/** How the servers are shown. */
export interface Arrangement {
  /** In the filter language; empty shows everything. */
  readonly filter: string;
  readonly groupBy: Grouping;
  readonly sortBy: Sorting;
  readonly isDescending: boolean;
}

/** A named arrangement saved by the user. */
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

/** Parses stored data; invalid values count as not set. */
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

/** The views with this one added, replacing any view of the same name. */
export function putView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].toSorted((first, second) =>
    first.name.localeCompare(second.name),
  );
}

export function groupingLabel(grouping: Grouping): string {
  return grouping === "none" ? t("No groups") : fieldLabel(grouping);
}

export function sortingLabel(sorting: Sorting, isDescending: boolean): string {
  const label = sorting === "gateway" ? t("Gateway order (default)") : fieldLabel(sorting);
  return isDescending ? t("{0}, reversed", label) : label;
}

/** Describes an arrangement in one line: `status:running · grouped by: Region`. */
export function describeArrangement({ filter, groupBy, sortBy, isDescending }: Arrangement): string {
  const isSorted = sortBy !== "gateway" || isDescending;
  const parts = [
    filter === "" ? t("all servers") : filter,
    groupBy === "none" ? "" : t("grouped by: {0}", groupingLabel(groupBy)),
    isSorted ? t("sorted by: {0}", sortingLabel(sortBy, isDescending)) : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function fieldLabel(field: Exclude<Grouping | Sorting, "none" | "gateway">): string {
  switch (field) {
    case "name":
      return t("Name");
    case "status":
      return t("Status");
    case "region":
      return t("Region");
    case "gpu":
      return t("GPU");
    case "tag":
      return t("Tag");
  }
}
