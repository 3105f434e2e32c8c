import type { ContentPart, ProviderFields, Role, ToolCall, Usage } from "./completion.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Omission, TooLongPolicy } from "./tooLong.ts";

/** `stopped` by the user; `failed` says why in `error` (a cut response is `failed` with reason `truncated`). */
export type MessageStatus = "streaming" | "complete" | "stopped" | "failed";

/**
 * What a conversation asks its models with; kept with every response, so that the response can be asked for again. What
 * is unset is not sent.
 */
export interface ConversationSettings {
  readonly systemPrompt?: string;
  /** Members of the request's body by their names there, such as `temperature` (interface section 2.1). */
  readonly parameters?: JsonObject;
  /** Names of the tools that the model may call. */
  readonly tools?: readonly string[];
  /** What is left out first where it doesn't fit; the user's setting says so where this is absent. */
  readonly whenTooLong?: TooLongPolicy;
}

/** How long a response took, in milliseconds from the moment at which it was asked for. */
export interface Timing {
  /** Until the first text, reasoning or tool call. */
  readonly firstDeltaMs?: number;
  /** From the first reasoning to the first text. */
  readonly reasoningMs?: number;
  readonly totalMs?: number;
}

/** One message of a conversation. What was received is kept whatever the status is. */
export interface Message {
  readonly id: string;
  /** The message that this one follows; absent for a first one. Messages of the same parent are versions. */
  readonly parentId?: string;
  readonly role: Role;
  readonly status: MessageStatus;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly text: string;
  /** Images and audio of a user message. */
  readonly attachments: readonly ContentPart[];
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** The call that a message of the role `tool` answers. */
  readonly toolCallId?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly finishReason?: string;
  readonly error?: ErrorFacts;
  /** Offsets (UTF-16 units) into the text at which a response that had broken off was continued. */
  readonly seams?: readonly number[];
  readonly timing?: Timing;
  /** What the response was asked without, because it did not fit. */
  readonly omitted?: Omission;
  /** What the response was asked with. */
  readonly settings?: ConversationSettings;
  /** What is stored of it is not what was written: a part may be missing or wrong. */
  readonly isDamaged?: boolean;
  /** The user wants this message of theirs sent to the model although it got no response. */
  readonly isIncluded?: boolean;
  /** What goes back with the message to the provider that wrote it, and to no other. */
  readonly providerFields?: ProviderFields;
}

/** What a response grew by. */
export interface MessageDelta {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

/** What a list of conversations shows. */
export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly isPinned?: boolean;
  /** Absent if the title is the first words of the conversation. */
  readonly titleSource?: TitleSource;
}

/** Who has given a conversation its title. */
export type TitleSource = "user" | "model";

/** A conversation is a tree: every version of every message is in it. */
export interface Conversation extends ConversationSummary {
  readonly model?: string;
  readonly settings?: ConversationSettings;
  /** The end of the path that is shown; the latest message where it is absent. */
  readonly leafId?: string;
  /** All messages in the order in which they were added: a parent comes before its children. */
  readonly messages: readonly Message[];
}
