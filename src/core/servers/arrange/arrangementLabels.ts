import { t } from "@vscode/l10n";
import type { Arrangement, Grouping, Sorting } from "./arrangement.ts";

export function groupingLabel(grouping: Grouping): string {
  return grouping === "none" ? t("No groups") : fieldLabel(grouping);
}

export function sortingLabel(sorting: Sorting, isDescending: boolean): string {
  const label = sorting === "gateway" ? t("Gateway order (default)") : fieldLabel(sorting);
  return isDescending ? t("{0}, reversed", label) : label;
}

/** An arrangement in a line: `status:running · grouped by: Region`. */
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
