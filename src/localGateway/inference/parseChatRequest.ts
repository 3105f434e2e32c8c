import { isRecord } from "../../core/kernel/json.ts";
import { inferenceError } from "../http/reply.ts";
import type { HttpFailure } from "../http/reply.ts";
import { findModel } from "./catalogue.ts";
import type { DemoModel } from "./catalogue.ts";
import type { ChatMessage, ChatRequest } from "./chatRequest.ts";
import { parseMessages } from "./parseMessages.ts";
import { parseResponseFormat, parseToolChoice, parseTools } from "./parseTools.ts";
import {
  badRequest,
  optional,
  parseBoolean,
  parseCount,
  parseSpeed,
  requireRecord,
  requireString,
} from "./requestFields.ts";
import type { JsonRecord } from "./requestFields.ts";

/** The body as a JSON object; refuses everything else. */
export function parseJsonBody(text: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson("The body of the request is not JSON.");
  }
  if (!isRecord(value)) throw invalidJson("The body of the request is not a JSON object.");
  return value;
}

function invalidJson(message: string): HttpFailure {
  return inferenceError(400, message, "invalid_request_error", "invalid_json");
}

function parseModel(value: unknown): DemoModel {
  if (value === undefined) throw badRequest("model", "it is required", "missing_required_parameter");
  const id = requireString(value, "model");
  const model = findModel(id);
  if (model === undefined) throw badRequest("model", `the model ${id} does not exist`, "model_not_found");
  return model;
}

/** Not every model sees or hears (interface section 1). */
function checkSenses(model: DemoModel, messages: readonly ChatMessage[]): void {
  const parts = messages.flatMap((message) => message.parts);
  if (!model.seesPictures && parts.some(({ type }) => type === "picture")) {
    throw badRequest("messages", `the model ${model.id} does not see pictures`, "unsupported_content");
  }
  if (!model.hearsAudio && parts.some(({ type }) => type === "recording")) {
    throw badRequest("messages", `the model ${model.id} does not hear recordings`, "unsupported_content");
  }
}

/** Checks a chat completion request; throws the refusal that names what is wrong. */
export function parseChatRequest(body: JsonRecord): ChatRequest {
  const model = parseModel(body["model"]);
  const messages = parseMessages(body["messages"]);
  checkSenses(model, messages);
  const stream = optional(body["stream"], "stream", parseBoolean) ?? false;
  const maxTokens =
    optional(body["max_completion_tokens"], "max_completion_tokens", parseCount) ??
    optional(body["max_tokens"], "max_tokens", parseCount);
  const tokensPerSecond = optional(body["tokens_per_second"], "tokens_per_second", parseSpeed);
  const tools = parseTools(body["tools"]);
  checkChoices(body["n"]);
  return {
    model,
    messages,
    stream,
    includesUsage: parseIncludesUsage(body["stream_options"], stream),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(tokensPerSecond === undefined ? {} : { tokensPerSecond }),
    tools,
    toolChoice: parseToolChoice(body["tool_choice"], tools),
    hasParallelToolCalls: optional(body["parallel_tool_calls"], "parallel_tool_calls", parseBoolean) ?? true,
    responseFormat: parseResponseFormat(body["response_format"]),
    parameters: otherParameters(body),
  };
}

function checkChoices(value: unknown): void {
  if ((optional(value, "n", parseCount) ?? 1) !== 1) throw badRequest("n", "only one choice is made");
}

function parseIncludesUsage(value: unknown, isStream: boolean): boolean {
  const options = optional(value, "stream_options", requireRecord);
  if (options === undefined) return false;
  if (!isStream) throw badRequest("stream_options", "it is allowed only where stream is true");
  return optional(options["include_usage"], "stream_options.include_usage", parseBoolean) ?? false;
}

function otherParameters(body: JsonRecord): JsonRecord {
  const known = new Set(["model", "messages", "tools"]);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !known.has(name)));
}
