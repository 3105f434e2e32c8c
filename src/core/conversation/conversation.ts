import type { ErrorFacts } from "../kernel/errors.ts";
import { isRecord, parseJsonObject, stringField } from "../kernel/json.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ContentPart, ProviderFields, Role, ToolCall, Usage } from "./completion.ts";
import type { Quote } from "./quotes.ts";
import type { Source } from "./sources.ts";
import { parseTooLongPolicy } from "./tooLong.ts";
import type { Omission, TooLongPolicy } from "./tooLong.ts";
import { filledFields } from "../kernel/filledFields.ts";

/**
 * `stopped` by the user; `failed` with the reason in `error` (a truncated response is `failed` with reason
 * `truncated`).
 */
export type MessageStatus = "streaming" | "complete" | "stopped" | "failed";

/**
 * The settings of a conversation's requests; kept with every response, so that it can be requested again. Unset ones
 * are not sent.
 */
export interface ConversationSettings {
  readonly systemPrompt?: string;
  /** Fields of the request body by their names, such as `temperature` (interface section 2.1). */
  readonly parameters?: JsonObject;
  /** Names of the tools that the model may call. */
  readonly tools?: readonly string[];
  /** What is left out first if the messages don't fit; defaults to the user's setting. */
  readonly whenTooLong?: TooLongPolicy;
}

/** How long a response took, in milliseconds from the moment it was requested. */
export interface Timing {
  /** Time until the first text, reasoning or tool call. */
  readonly firstDeltaMs?: number;
  /** Time from the first reasoning to the first text. */
  readonly reasoningMs?: number;
  readonly totalMs?: number;
}

/** One message of a conversation. Whatever was received is kept, regardless of the status. */
export interface Message {
  readonly id: string;
  /** The message that this one follows; absent for a first message. Messages with the same parent are versions. */
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
  /** The call that a message with the role `tool` responds to. */
  readonly toolCallId?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly finishReason?: string;
  /** The pages that a response cites. */
  readonly sources?: readonly Source[];
  readonly error?: ErrorFacts;
  /** Offsets (UTF-16 units) into the text where an interrupted response was continued. */
  readonly seams?: readonly number[];
  readonly timing?: Timing;
  /** What was left out of the request because it did not fit. */
  readonly omitted?: Omission;
  /** The settings of the request. */
  readonly settings?: ConversationSettings;
  /** The user wants this message to be sent to the model although it got no response. */
  readonly isIncluded?: boolean;
  /** It comes from an import: the user didn't type it, and no tool runs for it without asking. */
  readonly isImported?: boolean;
  /** The parts of the text that the user pasted, or that came from a link or a file. */
  readonly quotes?: readonly Quote[];
  /** Sent back with the message to the provider that wrote it, and to no other. */
  readonly providerFields?: ProviderFields;
}

/** The growth of a response. */
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
  /** The user's tags as returned by `parseTags`; absent if there are none. */
  readonly tags?: readonly string[];
  /** The URI of the workspace in which the conversation was started; absent if none was open, or if it isn't known. */
  readonly workspace?: string;
  /** Absent if the title consists of the first words of the conversation. */
  readonly titleSource?: TitleSource;
}

/** The source of a conversation's title. */
export type TitleSource = "user" | "model";

/** A conversation is a tree that contains every version of every message. */
export interface Conversation extends ConversationSummary {
  readonly model?: string;
  readonly settings?: ConversationSettings;
  /** The end of the path that is shown; the latest message if absent. */
  readonly leafId?: string;
  /** All messages in the order in which they were added, so that a parent comes before its children. */
  readonly messages: readonly Message[];
}

/** Parses the settings of a conversation as far as they are readable; undefined if there are none. */
export function parseConversationSettings(value: unknown): ConversationSettings | undefined {
  if (!isRecord(value)) return undefined;
  return filledFields({
    systemPrompt: stringField(value, "systemPrompt"),
    parameters: parseJsonObject(value["parameters"]),
    tools: parseNames(value["tools"]),
    whenTooLong: parseTooLongPolicy(value["whenTooLong"]),
  });
}

function parseNames(value: unknown): readonly string[] | undefined {
  return Array.isArray(value)
    ? value.filter((name: unknown): name is string => typeof name === "string")
    : undefined;
}

/** The field with the settings of a conversation or response; absent if nothing is set. */
export function settingsField(settings: ConversationSettings): { readonly settings?: ConversationSettings } {
  const isEmpty = Object.values(settings).every((value) => value === undefined);
  return isEmpty ? {} : { settings };
}

/** Characters of a message including everything attached. */
export function messageLength({ text, reasoning, attachments }: Message): number {
  return attachments.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text : part.data).length,
    text.length + reasoning.length,
  );
}
