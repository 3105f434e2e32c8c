import type {
  CompletionMessage,
  CompletionRequest,
  ContentPart,
  ProviderFields,
  ToolCall,
} from "../../core/conversation/completion.ts";
import type { ModelOptions, SystemRole } from "../../core/account/modelOptions.ts";
import type { JsonObject, JsonValue } from "../../core/kernel/json.ts";

/**
 * The body of a chat completion request as JSON text (interface section 2.1).
 * @param baseUrl The destination: fields that a message got from another provider are not sent there.
 */
export function createRequestBody(
  request: CompletionRequest,
  baseUrl: string,
  withUsage: boolean,
  systemRole: SystemRole = "system",
): string {
  const body: JsonObject = {
    ...(request.stream && withUsage ? { stream_options: { include_usage: true } } : {}),
    ...request.parameters,
    model: request.model,
    messages: request.messages.map((message) => ({
      ...messageJson(message, { baseUrl, model: request.model }),
      ...(message.role === "system" ? { role: systemRole } : {}),
    })),
    ...(request.maxTokens === undefined ? {} : { max_tokens: request.maxTokens }),
    stream: request.stream,
  };
  return JSON.stringify(request.without === undefined ? body : leaveOut(body, request.without));
}

/** The names of the field that limits the tokens of a response. */
const tokenLimits: readonly string[] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/** The request with what the user has set for the model. A limit in the request itself comes first. */
export function withModelOptions(
  request: CompletionRequest,
  { stream = true, maxOutputTokens }: ModelOptions,
): CompletionRequest {
  const isLimited =
    request.maxTokens !== undefined ||
    tokenLimits.some((name) => Object.hasOwn(request.parameters ?? {}, name));
  return {
    ...request,
    stream: request.stream && stream,
    ...(isLimited || maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
  };
}

/** Fields that the server needs are kept even if it rejects them. */
const needed: ReadonlySet<string> = new Set(["model", "messages", "stream"]);

function leaveOut(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => needed.has(name) || !names.includes(name)),
  );
}

type Receiver = Pick<ProviderFields, "baseUrl" | "model">;

function messageJson(message: CompletionMessage, receiver: Receiver): JsonObject {
  const { role, content, name, toolCalls, toolCallId, providerFields } = message;
  const isOwn = providerFields?.baseUrl === receiver.baseUrl && providerFields.model === receiver.model;
  return {
    ...(isOwn ? returnedJson(message, providerFields) : {}),
    role,
    content: isOwn ? withReasoningParts(contentJson(content), providerFields) : contentJson(content),
    ...(name === undefined ? {} : { name }),
    ...(toolCalls === undefined || toolCalls.length === 0
      ? {}
      : { tool_calls: toolCalls.map((call) => toolCallJson(call, isOwn)) }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
  };
}

function contentJson(content: CompletionMessage["content"]): JsonValue {
  return typeof content === "string" ? content : content.map(partJson);
}

/** Some providers send reasoning as parts of the content and expect it back in front of the text. */
function withReasoningParts(content: JsonValue, { members }: ProviderFields): JsonValue {
  const parts = members?.["content"];
  if (!Array.isArray(parts)) return content;
  if (typeof content !== "string") return Array.isArray(content) ? [...parts, ...content] : content;
  return content === "" ? parts : [...parts, { type: "text", text: content }];
}

/** What the provider sent with the message, unchanged. */
function returnedJson({ reasoning }: CompletionMessage, fields: ProviderFields): JsonObject {
  const names = reasoning === undefined ? [] : (fields.reasoningNames ?? []);
  return { ...fields.members, ...Object.fromEntries(names.map((name) => [name, reasoning ?? ""])) };
}

/** Interface section 2.2 names the parts but leaves their format open; this is the usual one. */
function partJson(part: ContentPart): JsonValue {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
    case "audio":
      return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
  }
}

function toolCallJson(call: ToolCall, isOwn: boolean): JsonValue {
  return {
    ...(isOwn ? call.extra : {}),
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  };
}
