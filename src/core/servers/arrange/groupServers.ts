import { t } from "@vscode/l10n";
import { isRecord } from "../../kernel/json.ts";
import type { ServerAnnotation } from "../marks/serverAnnotation.ts";
import type { Server, ServerStatus } from "../server.ts";
import { factText, serverName, statusLabels } from "../serverLabels.ts";
import { serverTags } from "../serverTags.ts";

/** What servers can be grouped by, in menu order. */
export const serverGroupings = ["none", "status", "region", "gpu", "tag"] as const;
/** What servers are grouped by; profiles are always separate. */
export type ServerGrouping = (typeof serverGroupings)[number];

/** What servers can be sorted by, in menu order. `gateway` keeps the order of the response. */
export const sortings = ["gateway", "name", "status", "region", "gpu"] as const;
/** What servers are sorted by; `gateway` keeps the order of the response. */
type Sorting = (typeof sortings)[number];

/** How the servers are shown. */
export interface Arrangement {
  /** In the filter language; empty shows everything. */
  readonly filter: string;
  readonly groupBy: ServerGrouping;
  readonly sortBy: Sorting;
  readonly isDescending: boolean;
}

/** The servers as the gateway lists them. */
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
    groupBy: serverGroupings.find((known) => known === groupBy) ?? "none",
    sortBy: sortings.find((known) => known === sortBy) ?? "gateway",
    isDescending: isDescending === true,
  };
}

/** The name of the grouping in pickers and menus. */
export function serverGroupingLabel(grouping: ServerGrouping): string {
  return grouping === "none" ? t("No groups") : fieldLabels[grouping]();
}

/** The name of the order in pickers and menus. */
export function sortingLabel(sorting: Sorting, isDescending: boolean): string {
  const label = sorting === "gateway" ? t("Gateway order (default)") : fieldLabels[sorting]();
  return isDescending ? t("{0}, reversed", label) : label;
}

const fieldLabels: Readonly<Record<Exclude<ServerGrouping | Sorting, "none" | "gateway">, () => string>> = {
  name: () => t("Name"),
  status: () => t("Status"),
  region: () => t("Region"),
  gpu: () => t("GPU"),
  tag: () => t("Tag"),
};

/** The data for sorting: a server, its annotation and its position in the gateway's order. */
interface Sortable {
  readonly server: Server;
  readonly mark: ServerAnnotation | undefined;
  readonly position: number;
}

const urgency: Readonly<Record<ServerStatus, number>> = {
  error: 0,
  starting: 1,
  stopping: 2,
  running: 3,
  stopped: 4,
  unknown: 5,
};

const collator = new Intl.Collator(undefined, { numeric: true });

/** The order of an arrangement. Pinned servers always come first; equal ones stay in the gateway's order. */
export function createOrder({
  sortBy,
  isDescending,
}: Arrangement): (first: Sortable, second: Sortable) => number {
  const compare = comparisons[sortBy];
  const sign = isDescending ? -1 : 1;
  return (first, second) =>
    Number(second.mark?.isPinned ?? false) - Number(first.mark?.isPinned ?? false) ||
    sign * compare(first, second) ||
    first.position - second.position;
}

const comparisons: Readonly<Record<Arrangement["sortBy"], (first: Sortable, second: Sortable) => number>> = {
  gateway: (first, second) => first.position - second.position,
  name: (first, second) => collator.compare(serverName(first.server), serverName(second.server)),
  status: (first, second) => urgency[first.server.status] - urgency[second.server.status],
  region: (first, second) => compareTexts(first.server.region, second.server.region),
  gpu: (first, second) =>
    compareTexts(first.server.gpuModel ?? first.server.gpu, second.server.gpuModel ?? second.server.gpu) ||
    countOf(first) - countOf(second),
};

/** Missing values come last. */
function compareTexts(first: Server["name"], second: Server["name"]): number {
  if (first === undefined || second === undefined)
    return Number(first === undefined) - Number(second === undefined);
  return collator.compare(factText(first), factText(second));
}

function countOf({ server }: Sortable): number {
  return Number(server.gpuCount?.value ?? 0) || 0;
}

/** A group to which a server belongs: `key` is the same in every language. */
export interface GroupName {
  readonly key: string;
  readonly label: string;
}

/** Statuses that need attention come first. */
const statusOrder: readonly ServerStatus[] = [
  "error",
  "starting",
  "stopping",
  "running",
  "stopped",
  "unknown",
];

/** The groups of a server: exactly one, except for tags, because a server may have several tags. */
export function groupsOf(server: Server, grouping: Exclude<ServerGrouping, "none">): readonly GroupName[] {
  switch (grouping) {
    case "status":
      return [{ key: server.status, label: statusLabels[server.status]() }];
    case "region":
      return [named(server.region, t("Unknown region"))];
    case "gpu":
      return [named(server.gpuModel ?? server.gpu, t("Unknown GPU"))];
    case "tag": {
      const tags = serverTags(server);
      return tags.length === 0
        ? [{ key: "", label: t("Untagged") }]
        : tags.map((tag) => ({ key: tag, label: tag }));
    }
  }
}

function named(fact: Server["name"], otherwise: string): GroupName {
  const text = fact === undefined ? "" : factText(fact, 80);
  return text === "" ? { key: "", label: otherwise } : { key: text, label: text };
}

/** Statuses in order of urgency; other groups by name, those without one last. */
export function compareGroups(grouping: ServerGrouping): (first: GroupName, second: GroupName) => number {
  if (grouping === "status") {
    const rank = ({ key }: GroupName): number => statusOrder.findIndex((status) => status === key);
    return (first, second) => rank(first) - rank(second);
  }
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return (first, second) =>
    Number(first.key === "") - Number(second.key === "") || compare(first.label, second.label);
}
