import { t } from "@vscode/l10n";
import type { ConversationSummary } from "../../conversation/conversation.ts";

export type GroupId = "pinned" | "today" | "yesterday" | "week" | "month" | "older";

/** Conversations that a list shows under one heading. */
export interface ConversationGroup {
  readonly id: GroupId;
  readonly label: string;
  /** In the order of the original list. */
  readonly conversations: readonly ConversationSummary[];
}

/**
 * Groups conversations by the day of the last change, with pinned ones in a separate group at the top; empty groups are
 * omitted.
 * @param now Milliseconds since 1970; days are those of the local time zone.
 */
export function groupConversations(
  summaries: readonly ConversationSummary[],
  now: number,
): readonly ConversationGroup[] {
  const starts = groupStarts(now);
  const byGroup = new Map<GroupId, ConversationSummary[]>();
  for (const summary of summaries) {
    const id = summary.isPinned === true ? "pinned" : groupAt(summary.updatedAt, starts);
    const group = byGroup.get(id);
    if (group === undefined) byGroup.set(id, [summary]);
    else group.push(summary);
  }
  return groupIds.flatMap((id) => {
    const conversations = byGroup.get(id);
    return conversations === undefined ? [] : [{ id, label: groupLabel(id), conversations }];
  });
}

/** In display order. */
export const groupIds: readonly GroupId[] = ["pinned", "today", "yesterday", "week", "month", "older"];

type TimeGroup = readonly [Exclude<GroupId, "pinned" | "older">, number];

/** The start of each group, latest first. Days with a clock change are longer or shorter than others. */
function groupStarts(now: number): readonly TimeGroup[] {
  const daysAgo = (days: number): number => {
    const day = new Date(now);
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime();
  };
  return [
    ["today", daysAgo(0)],
    ["yesterday", daysAgo(1)],
    ["week", daysAgo(7)],
    ["month", daysAgo(30)],
  ];
}

function groupAt(time: number, starts: readonly TimeGroup[]): GroupId {
  return starts.find(([, start]) => time >= start)?.[0] ?? "older";
}

function groupLabel(id: GroupId): string {
  switch (id) {
    case "pinned":
      return t("Pinned");
    case "today":
      return t("Today");
    case "yesterday":
      return t("Yesterday");
    case "week":
      return t("Previous 7 Days");
    case "month":
      return t("Previous 30 Days");
    case "older":
      return t("Older");
  }
}
