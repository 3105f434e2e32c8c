import { isRecord, stringField } from "../../core/json.ts";
import { inferenceError } from "../http/reply.ts";
import { findModel } from "./catalogue.ts";
import type { DemoModel } from "./catalogue.ts";

export interface PicturePart {
  readonly type: "picture";
  readonly bytes: Buffer;
}

export interface RecordingPart {
  readonly type: "recording";
  readonly format: string;
  readonly bytes: Buffer;
}

export type MessagePart = { readonly type: "text"; readonly text: string } | PicturePart | RecordingPart;

export interface ChatMessage {
  readonly role: string;
  readonly parts: readonly MessagePart[];
}

/** A request that the demo models understand (interface sections 2.1 and 2.2). */
export interface ChatRequest {
  readonly model: DemoModel;
  readonly messages: readonly ChatMessage[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly maxTokens: number | undefined;
  readonly toolNames: readonly string[];
  readonly responseFormat: Readonly<Record<string, unknown>> | undefined;
  /** Names of all further parameters. */
  readonly parameterNames: readonly string[];
}

const named = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "tools",
  "response_format",
]);

/** Reads the body of a chat completion; throws the refusal that a server would answer. */
export function parseChatRequest(text: string): ChatRequest {
  const body = parseJson(text);
  if (!isRecord(body)) throw refuse("The body is not a JSON object.", "invalid_json");
  const id = stringField(body, "model");
  if (id === undefined) throw refuse("The parameter `model` is missing.", "missing_parameter");
  const model = findModel(id);
  if (model === undefined) throw refuse(`The model ${id} does not exist.`, "model_not_found");
  const { messages, stream_options: streamOptions, tools, response_format: responseFormat } = body;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw refuse("The parameter `messages` must be a list with at least one message.", "missing_parameter");
  }
  return {
    model,
    messages: messages.map((message, index) => parseMessage(message, index, model)),
    stream: body["stream"] === true,
    includeUsage: isRecord(streamOptions) && streamOptions["include_usage"] === true,
    maxTokens: parseMaxTokens(body["max_tokens"] ?? body["max_completion_tokens"]),
    toolNames: Array.isArray(tools) ? tools.flatMap(parseToolName) : [],
    responseFormat: isRecord(responseFormat) ? responseFormat : undefined,
    parameterNames: Object.keys(body).filter((name) => !named.has(name)),
  };
}

function parseMaxTokens(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw refuse("The parameter `max_tokens` must be a positive integer.", "invalid_parameter");
}

function parseMessage(value: unknown, index: number, model: DemoModel): ChatMessage {
  if (!isRecord(value)) throw refuse(`messages[${index}] is not an object.`, "invalid_parameter");
  const role = stringField(value, "role");
  if (role === undefined) throw refuse(`messages[${index}].role is missing.`, "missing_parameter");
  const { content } = value;
  if (typeof content === "string") return { role, parts: [{ type: "text", text: content }] };
  if (content === null || content === undefined) return { role, parts: [] };
  if (!Array.isArray(content))
    throw refuse(`messages[${index}].content is not text or parts.`, "invalid_parameter");
  return { role, parts: content.map((part) => parsePart(part, `messages[${index}].content`, model)) };
}

function parsePart(value: unknown, place: string, model: DemoModel): MessagePart {
  if (!isRecord(value)) throw refuse(`${place} has a part that is not an object.`, "invalid_parameter");
  switch (value["type"]) {
    case "text":
      return { type: "text", text: stringField(value, "text") ?? "" };
    case "image_url":
      if (!model.seesPictures)
        throw refuse(`The model ${model.id} does not see pictures.`, "unsupported_content");
      return { type: "picture", bytes: parsePicture(value["image_url"], place) };
    case "input_audio":
      if (!model.hearsAudio)
        throw refuse(`The model ${model.id} does not hear recordings.`, "unsupported_content");
      return parseRecording(value["input_audio"], place);
    default:
      throw refuse(`${place} has a part of an unknown type.`, "invalid_parameter");
  }
}

function parsePicture(value: unknown, place: string): Buffer {
  const url = typeof value === "string" ? value : isRecord(value) ? stringField(value, "url") : undefined;
  const data = /^data:image\/[\w.+-]+;base64,(.*)$/su.exec(url ?? "")?.[1];
  if (data === undefined) throw refuse(`${place} needs a picture as a base64 data URL.`, "invalid_parameter");
  return Buffer.from(data, "base64");
}

function parseRecording(value: unknown, place: string): RecordingPart {
  const data = isRecord(value) ? stringField(value, "data") : undefined;
  const format = isRecord(value) ? stringField(value, "format") : undefined;
  if (data === undefined || (format !== "wav" && format !== "mp3")) {
    throw refuse(`${place} needs input_audio with data and the format wav or mp3.`, "invalid_parameter");
  }
  return { type: "recording", format, bytes: Buffer.from(data, "base64") };
}

function parseToolName(value: unknown): readonly string[] {
  const definition = isRecord(value) ? value["function"] : undefined;
  const name = isRecord(definition) ? stringField(definition, "name") : undefined;
  return name === undefined ? [] : [name];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(message: string, code: string): Error {
  return inferenceError(400, message, "invalid_request_error", code);
}
