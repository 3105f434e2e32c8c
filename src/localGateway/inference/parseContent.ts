import { readImageFacts } from "../../core/compose/attachments/fileKind.ts";
import { readSeconds } from "../../core/compose/attachments/soundFacts.ts";
import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { inferenceError } from "../http/reply.ts";
import type { HttpFailure } from "../http/reply.ts";
import { chatRoles } from "./chatRequest.ts";
import type { ChatMessage, ChatPart, ChatRole, ChatToolCall } from "./chatRequest.ts";

/** The conversation in a request (interface section 2.2). Each tool message must respond to an earlier call. */
export function parseMessages(value: unknown): readonly ChatMessage[] {
  if (value === undefined) throw badRequest("messages", "it is required", "missing_required_parameter");
  const messages = parseArray(value, "messages").map(parseMessage);
  if (messages.length === 0) throw badRequest("messages", "at least one message is expected", "empty_array");
  checkToolMessages(messages);
  return messages;
}

function parseMessage(value: unknown, index: number): ChatMessage {
  const param = `messages[${index}]`;
  const record = requireRecord(value, param);
  const role = parseRole(record["role"], `${param}.role`);
  const name = optional(record["name"], `${param}.name`, requireString);
  const toolCalls = role === "assistant" ? parseToolCalls(record, param) : [];
  const toolCallId =
    role === "tool" ? requireString(record["tool_call_id"], `${param}.tool_call_id`) : undefined;
  return {
    role,
    parts: parseContent(record["content"], `${param}.content`, toolCalls.length > 0),
    toolCalls,
    ...(name === undefined ? {} : { name }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}

function parseRole(value: unknown, param: string): ChatRole {
  const role = chatRoles.find((known) => known === value);
  if (role === undefined) throw badRequest(param, `one of ${chatRoles.join(", ")} is expected`);
  return role;
}

function parseToolCalls(record: JsonRecord, param: string): readonly ChatToolCall[] {
  const calls = optional(record["tool_calls"], `${param}.tool_calls`, parseArray) ?? [];
  return calls.map((value, index) => {
    const callParam = `${param}.tool_calls[${index}]`;
    const call = requireRecord(value, callParam);
    const called = requireRecord(call["function"], `${callParam}.function`);
    return {
      id: requireString(call["id"], `${callParam}.id`),
      name: requireString(called["name"], `${callParam}.function.name`),
      arguments: requireString(called["arguments"], `${callParam}.function.arguments`),
    };
  });
}

function checkToolMessages(messages: readonly ChatMessage[]): void {
  const asked = new Set<string>();
  for (const [index, { toolCalls, toolCallId }] of messages.entries()) {
    for (const { id } of toolCalls) asked.add(id);
    if (toolCallId !== undefined && !asked.has(toolCallId)) {
      const param = `messages[${index}].tool_call_id`;
      throw badRequest(param, "no assistant message before it has a tool call of this id");
    }
  }
}

/**
 * The content of a message: a string or content parts (interface section 2.2, "their field layout is not shown", so
 * ours is the usual one). Only a message with tool calls may have no content.
 */
function parseContent(value: unknown, param: string, mayBeMissing: boolean): readonly ChatPart[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (Array.isArray(value)) {
    const parts: readonly unknown[] = value;
    return parts.map((part, index) => parsePart(part, `${param}[${index}]`));
  }
  if (mayBeMissing && (value === undefined || value === null)) return [];
  throw badRequest(param, "a string or an array of content parts is expected", "invalid_type");
}

function parsePart(value: unknown, param: string): ChatPart {
  const part = requireRecord(value, param);
  switch (part["type"]) {
    case "text":
      return { type: "text", text: requireString(part["text"], `${param}.text`) };
    case "image_url":
      return parseImage(requireRecord(part["image_url"], `${param}.image_url`), `${param}.image_url.url`);
    case "input_audio":
      return parseAudio(requireRecord(part["input_audio"], `${param}.input_audio`), `${param}.input_audio`);
    default:
      throw badRequest(`${param}.type`, "one of text, image_url, input_audio is expected");
  }
}

function parseImage(image: JsonRecord, param: string): ChatPart {
  const url = requireString(image["url"], param);
  if (/^https?:\/\//i.test(url)) return { type: "image", bytes: 0, mediaType: "" };
  const [, mediaType = "", data] = /^data:([^;,]*);base64,(.*)$/is.exec(url) ?? [];
  if (data === undefined) throw badRequest(param, "an http(s) URL or a data URL in base64 is expected");
  const bytes = parseBase64(data, param);
  const facts = readImageFacts(bytes);
  if (facts === undefined) {
    throw badRequest(param, "the picture can't be read; PNG, JPEG, GIF or WebP is expected", "invalid_image");
  }
  return { type: "image", bytes: bytes.length, mediaType, facts };
}

function parseAudio(audio: JsonRecord, param: string): ChatPart {
  const { format } = audio;
  if (format !== "wav" && format !== "mp3") throw badRequest(`${param}.format`, "wav or mp3 is expected");
  const bytes = parseBase64(requireString(audio["data"], `${param}.data`), `${param}.data`);
  const seconds = readSeconds(format, bytes);
  if (seconds === undefined) {
    throw badRequest(`${param}.data`, `the recording can't be read as ${format}`, "invalid_audio");
  }
  return { type: "recording", format, bytes: bytes.length, seconds };
}

function parseBase64(text: string, param: string): Buffer {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (!isBase64) throw badRequest(param, "it is not base64", "invalid_base64");
  return Buffer.from(text, "base64");
}

/**
 * A field of the request is missing or wrong. `param` names it the way OpenAI-style servers do, such as
 * `messages[0].role`.
 */
export function badRequest(param: string, problem: string, code = "invalid_value"): HttpFailure {
  return inferenceError(400, `Invalid “${param}”: ${problem}.`, "invalid_request_error", code, param);
}

/** The value as an object. Throws the error of the interface for a wrong type of `param`. */
export function requireRecord(value: unknown, param: string): JsonRecord {
  if (!isRecord(value)) throw badRequest(param, "an object is expected", "invalid_type");
  return value;
}

/** The value as a string. Throws the error of the interface for a wrong type of `param`. */
export function requireString(value: unknown, param: string): string {
  if (typeof value !== "string") throw badRequest(param, "a string is expected", "invalid_type");
  return value;
}

/** An optional field. Null counts as missing, because clients send it for defaults. */
export function optional<T>(
  value: unknown,
  param: string,
  parse: (value: unknown, param: string) => T,
): T | undefined {
  return value === undefined || value === null ? undefined : parse(value, param);
}

/** The value as a boolean. Throws the error of the interface for a wrong type of `param`. */
export function parseBoolean(value: unknown, param: string): boolean {
  if (typeof value !== "boolean") throw badRequest(param, "true or false is expected", "invalid_type");
  return value;
}

/** The value as an array. Throws the error of the interface for a wrong type of `param`. */
export function parseArray(value: unknown, param: string): readonly unknown[] {
  if (!Array.isArray(value)) throw badRequest(param, "an array is expected", "invalid_type");
  return value;
}

/** A whole number of at least 1. */
export function parseCount(value: unknown, param: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw badRequest(param, "an integer is expected", "invalid_type");
  }
  if (value < 1) throw badRequest(param, "at least 1 is expected", "integer_below_min_value");
  return value;
}

/** The value as tokens per second, 0 for unlimited. Throws the error of the interface for anything else. */
export function parseSpeed(value: unknown, param: string): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw badRequest(param, "a number of at least 0 is expected");
}
