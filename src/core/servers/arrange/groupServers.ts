import { t } from "@vscode/l10n";
import { isRecord } from "../../kernel/json.ts";
import { serverStatuses } from "../server.ts";
import type { Server } from "../server.ts";
import type { GroupName } from "../serverFacts.ts";
import { serverProperties, sortKey } from "../serverProperties.ts";
import type { FilterSubject, ServerProperty } from "../serverProperties.ts";
import { compareKeys, sortRows } from "../sortRows.ts";
import type { SortKey } from "../sortRows.ts";

const wordsOf = (isMeant: (property: ServerProperty) => boolean): readonly string[] =>
  [...serverProperties].flatMap(([word, property]) => (isMeant(property) ? [word] : []));

/**
 * What servers can be grouped by, in menu order: not at all except for the stopped ones of a long list, not at all, or the
 * word of a property. Profiles are always separate.
 */
export const serverGroupings = ["stopped", "none", ...wordsOf(({ group }) => group !== undefined)];

/** What servers can be sorted by, in menu order. */
export const sortings = wordsOf(({ isSortable }) => isSortable);

/** How the servers are shown. */
export interface Arrangement {
  /** In the filter language; empty shows everything. */
  readonly filter: string;
  /** One of `serverGroupings`. */
  readonly groupBy: string;
  /** One of `sortings`. */
  readonly sortBy: string;
  readonly isDescending: boolean;
}

/** All servers by name, so that no row moves when a gateway lists them in another order. */
export const plainArrangement: Arrangement = {
  filter: "",
  groupBy: "stopped",
  sortBy: "name",
  isDescending: false,
};

const maxFilter = 1_000;

/** Parses stored data; invalid values count as not set. */
export function parseArrangement(stored: unknown): Arrangement {
  if (!isRecord(stored)) return plainArrangement;
  const { filter, groupBy, sortBy, isDescending } = stored;
  return {
    filter: typeof filter === "string" ? filter.slice(0, maxFilter) : "",
    groupBy: serverGroupings.find((known) => known === groupBy) ?? plainArrangement.groupBy,
    sortBy: sortings.find((known) => known === sortBy) ?? plainArrangement.sortBy,
    isDescending: isDescending === true,
  };
}

/** The name of the grouping in pickers and menus. */
export function serverGroupingLabel(grouping: string): string {
  const none = grouping === "stopped" ? t("Only stopped servers, in long lists") : t("No groups");
  return serverProperties.get(grouping)?.label() ?? none;
}

/** The name of the order in pickers and menus. */
export function sortingLabel(sorting: string, isDescending: boolean): string {
  const label = serverProperties.get(sorting)?.label() ?? "";
  return isDescending ? t("{0}, reversed", label) : label;
}

/**
 * The servers in the order of an arrangement. Pinned ones always come first.
 * @param now Milliseconds since 1970.
 */
export function arrangeServers<T extends Pick<FilterSubject, "server" | "profileName" | "mark">>(
  servers: readonly T[],
  { sortBy, isDescending }: Arrangement,
  now: number,
): readonly T[] {
  return sortRows(servers, isDescending, (each) => sortKey(each, sortBy, now));
}

/** The groups of a server; it has several tags, and one group of any other kind. */
export function groupsOf(server: Server, grouping: string): readonly GroupName[] {
  const group = serverProperties.get(grouping)?.group;
  const names = group?.of(server).filter(({ key }) => key !== "") ?? [];
  return names.length > 0 ? names : [{ key: "", label: group?.none() ?? "" }];
}

/** Statuses in order of urgency; other groups by name, those without one last. */
export function compareGroups(grouping: string, first: GroupName, second: GroupName): number {
  const rank = ({ key, label }: GroupName): SortKey => {
    const status = grouping === "status" ? serverStatuses.findIndex((known) => known === key) : -1;
    return key === "" ? undefined : status === -1 ? label : status;
  };
  return compareKeys(rank(first), rank(second));
}
