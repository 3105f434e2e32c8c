import type { CompletionMessage, ContentPart, ProviderFields, ToolCall } from "./completion.ts";
import type { JsonObject } from "../kernel/json.ts";

/** Estimates the tokens of a text. */
export type TokenCounter = (text: string) => number;

/** Tokens by purpose. */
export interface TokenParts {
  readonly system: number;
  /** Text of earlier messages, including the tool calls. */
  readonly history: number;
  readonly files: number;
  readonly images: number;
  readonly audio: number;
  /** What is sent to the model about the tools that it may call and the schema of its response. */
  readonly tools: number;
  /** The text being written. */
  readonly draft: number;
}

/** The counts of an empty request, as the start of a sum. */
export const noTokens: TokenParts = {
  system: 0,
  history: 0,
  files: 0,
  images: 0,
  audio: 0,
  tools: 0,
  draft: 0,
};

/** Approximate tokens that a chat template adds to each message. */
const tokensAroundMessage = 4;
/** Approximate tokens for an image of typical size: models use from 250 to 1,600. */
const tokensOfImage = 1_000;
/** Approximate tokens for a second of audio. */
const tokensOfSecond = 25;
/** Base64 characters per second of speech at the usual recording quality. */
const charactersOfSecond = { wav: 43_000, mp3: 21_000 } as const;

/** The part of a message that is counted, whether stored or about to be sent. */
interface CountedMessage {
  readonly text: string;
  readonly attachments: readonly ContentPart[];
  readonly toolCalls?: readonly ToolCall[];
}

/** Counts a message; its own text and tool calls go into `textPart`. */
export function countMessage(
  { text, attachments, toolCalls = [] }: CountedMessage,
  textPart: "history" | "draft",
  count: TokenCounter,
): TokenParts {
  const calls = toolCalls.reduce((sum, call) => sum + count(call.name) + count(call.arguments), 0);
  const own = { ...noTokens, [textPart]: count(text) + calls + tokensAroundMessage };
  return attachments.reduce((sum, part) => addTokens(sum, countPart(part, count)), own);
}

/** What is sent back to the provider of a message besides its text, such as the reasoning before its tool calls. */
interface ReturnedFields {
  readonly toolCalls?: readonly ToolCall[];
  readonly reasoning?: string;
  readonly providerFields?: ProviderFields;
}

/** The tokens of reasoning that is sent back to its provider; the same text under several names counts once. */
export function countReturned(
  { toolCalls = [], reasoning = "", providerFields }: ReturnedFields,
  model: string | undefined,
  count: TokenCounter,
): number {
  if (toolCalls.length === 0 || providerFields === undefined || providerFields.model !== model) return 0;
  const { reasoningNames = [], members } = providerFields;
  const isTextReturned = reasoningNames.length > 0 || members !== undefined;
  if (reasoning !== "") return isTextReturned ? count(reasoning) : 0;
  return members === undefined ? 0 : count(JSON.stringify(members));
}

/** The system prompt's own tokens. */
export function countSystemPrompt(systemPrompt: string | undefined, count: TokenCounter): number {
  return systemPrompt === undefined ? 0 : count(systemPrompt) + tokensAroundMessage;
}

/** The tokens of an attachment, estimated for images (each the same) and audio (by its length). */
export function countPart(part: ContentPart, count: TokenCounter): TokenParts {
  switch (part.type) {
    case "text":
      return { ...noTokens, files: count(part.text) };
    case "image":
      return { ...noTokens, images: tokensOfImage };
    case "audio":
      return {
        ...noTokens,
        audio: Math.ceil((part.data.length / charactersOfSecond[part.format]) * tokensOfSecond),
      };
  }
}

const partNames = Object.keys(noTokens) as readonly (keyof TokenParts)[];

function eachPart(tokensOf: (part: keyof TokenParts) => number): TokenParts {
  return { ...noTokens, ...Object.fromEntries(partNames.map((part) => [part, tokensOf(part)])) };
}

/** The sum of both, part by part. */
export function addTokens(left: TokenParts, right: TokenParts): TokenParts {
  return eachPart((part) => left[part] + right[part]);
}

/** Each part multiplied by the factor and rounded. */
export function scaleTokens(parts: TokenParts, factor: number): TokenParts {
  return eachPart((part) => Math.round(parts[part] * factor));
}

/** The sum of all parts. */
export function totalTokens(parts: TokenParts): number {
  return partNames.reduce((sum, part) => sum + parts[part], 0);
}

/** The tokens of the tool definitions and the response schema as they appear in a request. */
export function countParameters(parameters: JsonObject, count: TokenCounter): number {
  const sent = [parameters["tools"], parameters["response_format"]].filter((value) => value !== undefined);
  return sent.reduce<number>((sum, value) => sum + count(JSON.stringify(value)), 0);
}

/**
 * The tokens of messages as they are sent.
 * @param model The requested one, which gets its own reasoning back.
 */
export function countMessages(
  messages: readonly CompletionMessage[],
  count: TokenCounter,
  model?: string,
): number {
  return messages.reduce((sum, message) => {
    const { content, toolCalls = [] } = message;
    const [text, attachments] = typeof content === "string" ? [content, []] : ["", content];
    const parts = countMessage({ text, attachments, toolCalls }, "history", count);
    return sum + countReturned(message, model, count) + totalTokens(parts);
  }, 0);
}
