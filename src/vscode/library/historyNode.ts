import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import { groupIds } from "../../core/library/history/conversationGroups.ts";
import type { ConversationGroup, GroupId } from "../../core/library/history/conversationGroups.ts";

/** An element of the tree "Conversations". */
export type HistoryNode =
  | { readonly kind: "group"; readonly group: ConversationGroup }
  | { readonly kind: "conversation"; readonly conversation: ConversationSummary }
  | { readonly kind: "more"; readonly groupId: GroupId; readonly count: number };

/** The group whose next rows a command should show. */
export function moreGroupOf(argument: unknown): GroupId | undefined {
  return isRecord(argument) ? groupIds.find((id) => id === argument["groupId"]) : undefined;
}

/** The conversation that a command was called for: the tree passes its element, other callers an ID. */
export function conversationIdOf(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  const conversation = isRecord(argument) ? argument["conversation"] : undefined;
  return isRecord(conversation) ? stringField(conversation, "id") : undefined;
}
