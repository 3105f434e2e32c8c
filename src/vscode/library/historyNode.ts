import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import type { ConversationGroup, GroupId } from "../../core/library/history/conversationGroups.ts";

/** An element of the tree "Conversations". */
export type HistoryNode =
  | { readonly kind: "group"; readonly group: ConversationGroup }
  | { readonly kind: "conversation"; readonly conversation: ConversationSummary }
  | { readonly kind: "more"; readonly groupId: GroupId; readonly count: number };

/** The conversation that a command was called for: the tree passes its element, other callers an ID. */
export function conversationIdOf(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  const conversation = isRecord(argument) ? argument["conversation"] : undefined;
  return isRecord(conversation) ? stringField(conversation, "id") : undefined;
}
