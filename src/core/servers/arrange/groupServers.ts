import { t } from "@vscode/l10n";
import type { Server, ServerStatus } from "../server.ts";
import { serverTags } from "../serverTags.ts";
import { factText, statusLabels } from "../serverLabels.ts";
import type { Grouping } from "./arrangement.ts";

/** A group to which a server belongs: `key` is the same in every language. */
export interface GroupName {
  readonly key: string;
  readonly label: string;
}

/** What needs attention comes first. */
const statusOrder: readonly ServerStatus[] = [
  "error",
  "starting",
  "stopping",
  "running",
  "stopped",
  "unknown",
];

/** The groups of a server: one, but for tags, of which it may have several. */
export function groupsOf(server: Server, grouping: Exclude<Grouping, "none">): readonly GroupName[] {
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

/** States in order of urgency; others by name, those without one last. */
export function compareGroups(grouping: Grouping): (first: GroupName, second: GroupName) => number {
  if (grouping === "status") {
    const rank = ({ key }: GroupName): number => statusOrder.findIndex((status) => status === key);
    return (first, second) => rank(first) - rank(second);
  }
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return (first, second) =>
    Number(first.key === "") - Number(second.key === "") || compare(first.label, second.label);
}
