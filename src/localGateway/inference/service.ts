import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { HttpFailure, inferenceError, readBody, sendJson } from "../http/reply.ts";
import { findModelEntry, findModel, modelList } from "./catalog.ts";
import type { DemoModel } from "./catalog.ts";
import type { ChatMessage, ChatRequest, OfferedTool, RequestedFormat, ToolChoice } from "./chatRequest.ts";
import { complete } from "./complete.ts";
import type { CompletionContext } from "./complete.ts";
import {
  badRequest,
  optional,
  parseArray,
  parseBoolean,
  parseCount,
  parseMessages,
  parseSpeed,
  requireRecord,
  requireString,
} from "./parseContent.ts";

interface InferenceOptions {
  readonly apiKey: string;
  readonly seed: number;
  readonly tokensPerSecond: number;
  /** Milliseconds since 1970 by the gateway's own clock. */
  now(): number;
}

type InferenceHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  signal: AbortSignal,
) => Promise<void>;

/** The inference service (interface sections 4.1 and 5.1): everything below `/v1`. */
export function createInferenceService(options: InferenceOptions): InferenceHandler {
  const { tokensPerSecond, now } = options;
  const context: CompletionContext = { state: { seed: options.seed, refusals: 0 }, tokensPerSecond, now };
  return async (request, response, url, signal) => {
    checkKey(request.headers.authorization, options.apiKey);
    const path = url.pathname.slice("/v1".length);
    requireMethod(request.method, path);
    if (!isListing(path)) requireJson(request.headers["content-type"]);
    if (path === "/models") return sendJson(response, 200, modelList());
    if (path.startsWith(modelPath)) return sendJson(response, 200, entryOf(path.slice(modelPath.length)));
    await complete(parseChatRequest(parseJsonBody(await readBody(request))), response, context, signal);
  };
}

const modelPath = "/models/";

function isListing(path: string): boolean {
  return path === "/models" || path.startsWith(modelPath);
}

function requireMethod(method: string | undefined, path: string): void {
  const isModels = isListing(path);
  if (!isModels && path !== "/chat/completions") {
    throw inferenceError(404, `There is no /v1${path} here.`, "invalid_request_error", "not_found");
  }
  const allowed = isModels ? "GET" : "POST";
  if (method === allowed) return;
  const { statusCode, body } = inferenceError(
    405,
    `Use ${allowed} for /v1${path}.`,
    "invalid_request_error",
    "method_not_allowed",
  );
  throw new HttpFailure(statusCode, body, { allow: allowed });
}

/**
 * Interface section 4.1. It also keeps web pages out, which can't send this content type without a preflight request.
 */
function requireJson(contentType: string | undefined): void {
  if (/^application\/json\s*(?:;|$)/i.test(contentType ?? "")) return;
  const message = "The header Content-Type must be application/json.";
  throw inferenceError(415, message, "invalid_request_error", "unsupported_media_type");
}

/** The ID contains a slash, which clients send either as it is or encoded. */
function entryOf(name: string): unknown {
  const entry = findModelEntry(name.replaceAll(/%2f/gi, "/"));
  if (entry !== undefined) return entry;
  throw inferenceError(404, "This model does not exist.", "invalid_request_error", "model_not_found");
}

/** `Authorization: Bearer <API_KEY>`, compared in constant time regardless of its length. */
function checkKey(header: string | undefined, apiKey: string): void {
  const key = /^Bearer\s+(\S.*)$/i.exec(header ?? "")?.[1] ?? "";
  if (timingSafeEqual(digest(key), digest(apiKey))) return;
  throw inferenceError(401, "The API key is missing or wrong.", "authentication_error", "invalid_api_key");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The body as a JSON object. Anything else is rejected. */
function parseJsonBody(text: string): JsonRecord {
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

/** Not every model supports images or audio (interface section 1). */
function checkModalities(model: DemoModel, messages: readonly ChatMessage[]): void {
  const parts = messages.flatMap((message) => message.parts);
  if (!model.supportsImages && parts.some(({ type }) => type === "image")) {
    throw badRequest("messages", `the model ${model.id} does not see pictures`, "unsupported_content");
  }
  if (!model.supportsAudio && parts.some(({ type }) => type === "recording")) {
    throw badRequest("messages", `the model ${model.id} does not hear recordings`, "unsupported_content");
  }
}

/** Validates a chat completion request. Throws an error that names the problem. */
function parseChatRequest(body: JsonRecord): ChatRequest {
  const model = parseModel(body["model"]);
  const messages = parseMessages(body["messages"]);
  checkModalities(model, messages);
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

/**
 * The functions that a request offers. The interface mentions function calling without showing it, so this is the usual
 * format.
 */
function parseTools(value: unknown): readonly OfferedTool[] {
  const tools = optional(value, "tools", parseArray) ?? [];
  return tools.map((entry, index) => {
    const param = `tools[${index}]`;
    const tool = requireRecord(entry, param);
    if (tool["type"] !== "function") throw badRequest(`${param}.type`, "function is expected");
    const offered = requireRecord(tool["function"], `${param}.function`);
    const name = requireString(offered["name"], `${param}.function.name`);
    if (!/^[\w-]{1,64}$/.test(name)) {
      throw badRequest(`${param}.function.name`, "1 to 64 letters, digits, _ or - are expected");
    }
    const parameters = optional(offered["parameters"], `${param}.function.parameters`, requireRecord);
    return { name, parameters: parameters ?? { type: "object", properties: {} } };
  });
}

function parseToolChoice(value: unknown, tools: readonly OfferedTool[]): ToolChoice {
  if (value === undefined || value === null) return "auto";
  if (tools.length === 0 && value !== "none") {
    throw badRequest("tool_choice", "it is allowed only where tools are offered");
  }
  if (value === "auto" || value === "none" || value === "required") return value;
  const chosen = isRecord(value) && isRecord(value["function"]) ? value["function"]["name"] : undefined;
  const tool = tools.find(({ name }) => name === chosen);
  if (tool === undefined) throw badRequest("tool_choice", "no such tool is offered");
  return { name: tool.name };
}

/** The required response format. The interface mentions structured outputs without showing them. */
function parseResponseFormat(value: unknown): RequestedFormat {
  const format = optional(value, "response_format", requireRecord);
  switch (format?.["type"]) {
    case undefined:
    case "text":
      return { type: "text" };
    case "json_object":
      return { type: "json_object" };
    case "json_schema": {
      const named = requireRecord(format?.["json_schema"], "response_format.json_schema");
      requireString(named["name"], "response_format.json_schema.name");
      const schema = requireRecord(named["schema"], "response_format.json_schema.schema");
      return { type: "json_schema", schema };
    }
    default:
      throw badRequest("response_format.type", "one of text, json_object, json_schema is expected");
  }
}
