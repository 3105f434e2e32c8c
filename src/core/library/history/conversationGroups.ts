import { t } from "@vscode/l10n";
import type { ConversationSummary } from "../../conversation/conversation.ts";
import { sortTags } from "../../conversation/conversationTags.ts";
import { shownTitle } from "../../conversation/conversationTitle.ts";
import type { SearchExtent } from "../../conversation/searchResult.ts";
import { fold } from "../../conversation/searchTerms.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { percentDecode } from "../../kernel/httpAddress.ts";

type TimeId = "pinned" | "today" | "yesterday" | "week" | "month" | "older";

/** What the conversations in the list can be grouped by. */
export const conversationGroupings = ["time", "workspace", "tag"] as const;

/** What the list of conversations is grouped by. */
export type ConversationGrouping = (typeof conversationGroupings)[number];

/** The name of the grouping in pickers. */
export function conversationGroupingLabel(grouping: ConversationGrouping): string {
  switch (grouping) {
    case "time":
      return t("Time");
    case "workspace":
      return t("Workspace");
    case "tag":
      return t("Tag");
  }
}

/** Conversations that a list shows under one heading. */
export interface ConversationGroup {
  /** Unique among the groups of all groupings. */
  readonly id: string;
  readonly label: string;
  /** What distinguishes the group from others with the same label, such as the path of its workspace. */
  readonly detail?: string;
  /** Whether its conversations are shown at first. */
  readonly isOpen: boolean;
  /** In the order of the original list; pinned ones come first. */
  readonly conversations: readonly ConversationSummary[];
}

interface GroupingContext {
  readonly by: ConversationGrouping;
  /** Milliseconds since 1970; days are those of the local time zone. */
  readonly now: number;
  /** The URI of the workspace that is open, whose group comes first. */
  readonly workspace?: string | undefined;
}

/** Groups the conversations of a list; empty groups are omitted. */
export function groupConversations(
  summaries: readonly ConversationSummary[],
  { by, now, workspace }: GroupingContext,
): readonly ConversationGroup[] {
  switch (by) {
    case "time":
      return groupByTime(summaries, now);
    case "workspace":
      return groupByWorkspace(pinnedFirst(summaries), workspace);
    case "tag":
      return groupByTag(pinnedFirst(summaries));
  }
}

/** By the day of the last change, with pinned ones in a separate group at the top. */
function groupByTime(summaries: readonly ConversationSummary[], now: number): readonly ConversationGroup[] {
  const starts = groupStarts(now);
  const byGroup = collect(summaries, ({ isPinned, updatedAt }) => [
    isPinned === true ? "pinned" : groupAt(updatedAt, starts),
  ]);
  return timeIds.flatMap((id) => {
    const conversations = byGroup.get(id);
    const isOpen = id !== "month" && id !== "older";
    return conversations === undefined ? [] : [{ id, label: timeLabel(id), isOpen, conversations }];
  });
}

/** The open workspace comes first, the others follow in the order of their latest conversations. */
function groupByWorkspace(
  summaries: readonly ConversationSummary[],
  current: string | undefined,
): readonly ConversationGroup[] {
  const byGroup = collect(summaries, ({ workspace = "" }) => [workspace]);
  const latest = (conversations: readonly ConversationSummary[]): number =>
    conversations.reduce((time, { updatedAt }) => Math.max(time, updatedAt), 0);
  return [...byGroup]
    .toSorted(
      ([left, its], [right, others]) =>
        Number(right === current) - Number(left === current) ||
        Number(left === "") - Number(right === "") ||
        latest(others) - latest(its),
    )
    .map(([uri, conversations], index) => ({
      id: `workspace ${uri}`,
      label: uri === "" ? t("No Workspace") : workspaceLabel(uri),
      ...(uri === "" ? {} : { detail: workspacePath(uri) }),
      isOpen: uri === current || index === 0,
      conversations,
    }));
}

/** More groups than this are closed at first, so that all of them can be seen. */
const mostOpenTags = 8;

/** In alphabetical order. A conversation is in the group of each of its tags, whose letter case makes no difference. */
function groupByTag(summaries: readonly ConversationSummary[]): readonly ConversationGroup[] {
  const spellings = new Map<string, string>();
  const byGroup = collect(summaries, ({ tags = [""] }) =>
    tags.map((tag) => {
      const folded = fold(tag);
      const spelling = spellings.get(folded) ?? tag;
      spellings.set(folded, spelling);
      return spelling;
    }),
  );
  const names = sortTags([...byGroup.keys()].filter((tag) => tag !== ""));
  return [...names, ""].flatMap((tag) => {
    const conversations = byGroup.get(tag);
    const isOpen = tag === "" ? names.length === 0 : names.length <= mostOpenTags;
    const label = tag === "" ? t("No Tags") : tag;
    return conversations === undefined ? [] : [{ id: `tag ${tag}`, label, isOpen, conversations }];
  });
}

/** The conversations that can't be told apart by their titles, those with the same title together. */
export function withEqualTitles(
  summaries: readonly ConversationSummary[],
): readonly (readonly ConversationSummary[])[] {
  const byTitle = collect(summaries, ({ title }) => [listedTitle(title)]);
  return [...byTitle.values()].filter(({ length }) => length > 1);
}

function collect<Key>(
  summaries: readonly ConversationSummary[],
  keysOf: (summary: ConversationSummary) => readonly Key[],
): ReadonlyMap<Key, readonly ConversationSummary[]> {
  const byGroup = new Map<Key, ConversationSummary[]>();
  for (const summary of summaries)
    for (const key of keysOf(summary)) {
      const group = byGroup.get(key);
      if (group === undefined) byGroup.set(key, [summary]);
      else group.push(summary);
    }
  return byGroup;
}

function pinnedFirst(summaries: readonly ConversationSummary[]): readonly ConversationSummary[] {
  return summaries.toSorted(
    (left, right) => Number(right.isPinned === true) - Number(left.isPinned === true),
  );
}

/** The name of a workspace: the last part of its path, without the ending of a workspace file. */
function workspaceLabel(uri: string): string {
  const path = workspacePath(uri).replace(/(?<!\/)\/+$/u, "");
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.code-workspace$/u, "");
  return sanitizeLabel(name === "" ? uri : name, 100);
}

/** The path of a workspace, with its machine unless that is this one. */
export function workspacePath(uri: string): string {
  const colon = uri.indexOf("://");
  const start = colon < 0 ? 0 : colon + "://".length;
  const slash = colon < 0 ? 0 : uri.indexOf("/", start);
  const end = slash < 0 ? uri.length : slash;
  const [scheme, authority, path] = [uri.slice(0, Math.max(colon, 0)), uri.slice(start, end), uri.slice(end)];
  const place = authority === "" ? scheme : authority;
  const isHere = place === "" || (scheme === "file" && authority === "");
  return sanitizeLabel(`${isHere ? "" : `${percentDecode(place)}:`}${percentDecode(path)}`, 300);
}

/** In display order. */
const timeIds: readonly TimeId[] = ["pinned", "today", "yesterday", "week", "month", "older"];

type TimeGroup = readonly [Exclude<TimeId, "pinned" | "older">, number];

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

function groupAt(time: number, starts: readonly TimeGroup[]): TimeId {
  return starts.find(([, start]) => time >= start)?.[0] ?? "older";
}

function timeLabel(id: TimeId): string {
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

/** A conversation's title for a list or a sentence: one line, without anything that reorders or hides adjacent text. */
export function listedTitle(title: string): string {
  return sanitizeLabel(shownTitle(title));
}

/** Text for a quick pick row, where `$(name)` would become an icon. */
export function pickedText(text: string): string {
  return text.replaceAll("$(", String.raw`\$(`);
}

/** A title for a notification, where `[text](command:…)` would become a link. */
export function titleForMessages(title: string): string {
  return listedTitle(title).replaceAll("](", "] (");
}

/** The title of a list of search results, which mentions if the results are incomplete. */
export function searchTitle(title: string, extent: SearchExtent): string {
  switch (extent) {
    case "all":
      return title;
    case "indexed":
      return t("{0} (older messages are still being indexed)", title);
    case "cut":
      return t("{0} (there may be more; refine the search)", title);
  }
}
