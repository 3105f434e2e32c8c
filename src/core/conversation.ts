import type { ContentPart, Role, ToolCall, Usage } from "./completion.ts";
import type { ErrorFacts } from "./errors.ts";

/** `stopped` by the user; `failed` says why in `error` (a cut answer is `failed` with reason `truncated`). */
export type MessageStatus = "streaming" | "complete" | "stopped" | "failed";

/** One message of a conversation. What came is kept whatever the status is. */
export interface Message {
  readonly id: string;
  readonly role: Role;
  readonly status: MessageStatus;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly text: string;
  /** Pictures and recordings of a user message. */
  readonly attachments: readonly ContentPart[];
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** The call that a message of the role `tool` answers. */
  readonly toolCallId?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly finishReason?: string;
  readonly error?: ErrorFacts;
}

/** What a list of conversations shows. */
export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Conversation extends ConversationSummary {
  readonly model?: string;
  readonly messages: readonly Message[];
}
