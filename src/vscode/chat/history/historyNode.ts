import type { ConversationSummary } from "../../../core/conversation.ts";
import { isRecord, stringField } from "../../../core/json.ts";
import type { ConversationGroup } from "../../../core/history/conversationGroups.ts";

/** An element of the tree "Conversations". */
export type HistoryNode =
  | { readonly kind: "group"; readonly group: ConversationGroup }
  | { readonly kind: "conversation"; readonly conversation: ConversationSummary };

/** The conversation that a command was called for: by the tree with its element, by other callers with an id. */
export function conversationIdOf(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  const conversation = isRecord(argument) ? argument["conversation"] : undefined;
  return isRecord(conversation) ? stringField(conversation, "id") : undefined;
}
