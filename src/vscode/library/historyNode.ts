import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import type { ConversationGroup } from "../../core/library/history/conversationGroups.ts";

/** An element of the tree "Conversations". */
export type HistoryNode =
  | { readonly kind: "group"; readonly group: ConversationGroup }
  /** A conversation with several tags is shown in several groups. */
  | {
      readonly kind: "conversation";
      readonly conversation: ConversationSummary;
      readonly groupId: string;
      /** When it was last changed, if another row has the same title. */
      readonly time?: string;
    }
  | { readonly kind: "more"; readonly groupId: string; readonly count: number };

/** The conversation that a command was called for: the tree passes its element, other callers an ID. */
export function conversationIdOf(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  const conversation = isRecord(argument) ? argument["conversation"] : undefined;
  return isRecord(conversation) ? stringField(conversation, "id") : undefined;
}
