import type { ImageFacts } from "../../core/compose/attachments/fileKind.ts";
import type { DemoModel } from "./catalog.ts";

/** The usual roles, in addition to those of the interface (section 2.2: "the full set of roles is not shown"). */
export const chatRoles = ["system", "developer", "user", "assistant", "tool"] as const;

/** The role of a message. */
export type ChatRole = (typeof chatRoles)[number];

/** A validated content part. Of media, only facts are kept: the demo models describe what they received. */
export type ChatPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly bytes: number;
      /** As declared in the data URL. */
      readonly mediaType: string;
      /** Missing if the request contains only a URL, because nothing is ever fetched. */
      readonly facts?: ImageFacts;
    }
  | {
      readonly type: "recording";
      readonly format: "wav" | "mp3";
      readonly bytes: number;
      readonly seconds: number;
    };

/** A tool call of an earlier response. `arguments` is JSON text as the model wrote it. */
export interface ChatToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A validated message of a request (interface section 2.2). */
export interface ChatMessage {
  readonly role: ChatRole;
  readonly name?: string;
  readonly parts: readonly ChatPart[];
  readonly toolCalls: readonly ChatToolCall[];
  readonly toolCallId?: string;
}

/** A function that a demo model may call. */
export interface OfferedTool {
  readonly name: string;
  /** JSON Schema of the tool's arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** With `name`, this tool must be called. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** The required form of the response, as in the request's `response_format`. */
export type RequestedFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | { readonly type: "json_schema"; readonly schema: Readonly<Record<string, unknown>> };

/** A validated chat completion request (interface section 2.1). */
export interface ChatRequest {
  readonly model: DemoModel;
  readonly messages: readonly ChatMessage[];
  readonly stream: boolean;
  readonly includesUsage: boolean;
  readonly maxTokens?: number;
  /** Our own parameter `tokens_per_second`: overrides the speed for this request; 0 means as fast as possible. */
  readonly tokensPerSecond?: number;
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: ToolChoice;
  readonly hasParallelToolCalls: boolean;
  readonly responseFormat: RequestedFormat;
  /** Everything in the body except the model, messages and tools. An echo reports these. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The text of a message, its parts joined by line breaks. */
export function textOf(message: ChatMessage): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** The text of the last user message, or an empty string. */
export function lastUserText({ messages }: Pick<ChatRequest, "messages">): string {
  const message = messages.findLast(({ role }) => role === "user");
  return message === undefined ? "" : textOf(message);
}
