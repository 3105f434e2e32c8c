import type { ModelOptions, SystemRole } from "../../core/account/modelOptions.ts";
import type {
  CompletionMessage,
  CompletionRequest,
  ContentPart,
  ProviderFields,
  ToolCall,
} from "../../core/conversation/completion.ts";
import type { JsonObject, JsonValue } from "../../core/kernel/json.ts";

/**
 * The order of messages that a chat template requires: `alternate` accepts only alternating user and assistant
 * messages, with one system message at the beginning; `noSystem` doesn't support system messages at all.
 */
export type MessageOrder = "alternate" | "noSystem";

const noSystemWords =
  /system (?:role|prompt|message|instruction)s?\b[^.\n]{0,30}\b(?:not|n't|un)\s?(?:be )?(?:supported|allowed|enabled|accepted)|(?:does not|doesn't|not) support (?:the )?(?:a )?["'`]?system|developer instruction is not enabled|only (?:the )?["'`]?user["'`]?,? (?:and|or) ["'`]?(?:assistant|model)["'`]? roles/i;
const alternateWords =
  /\balternat(?:e|es|ing|ion)\b|consecutive\b[^.\n]{0,40}\b(?:role|message|user|assistant)|unexpected role|(?:same|repeated) role|roles? order|order of (?:the )?(?:roles|messages)|(?:system|first|last) message (?:must|should|has to|role)|(?:after|before|followed by)\b[^.\n]{0,30}\b(?:role|["'`](?:user|assistant|tool|system)["'`])/i;

/** The order that a rejection message requires; undefined if it is about something else. */
export function demandedOrder(statusCode: number, words: string): MessageOrder | undefined {
  // Templates raise their exceptions with 400 and 422, and with 500 if a server doesn't expect them.
  if (statusCode !== 400 && statusCode !== 422 && statusCode !== 500) return undefined;
  const start = words.slice(0, 4_000);
  if (noSystemWords.test(start)) return "noSystem";
  return alternateWords.test(start) ? "alternate" : undefined;
}

/** The messages in the required order; none of their content is lost. */
export function orderMessages(
  messages: readonly CompletionMessage[],
  order: MessageOrder,
): readonly CompletionMessage[] {
  const system = messages.filter(({ role }) => role === "system");
  const rest = messages.filter(({ role }) => role !== "system");
  const said = system.reduce<Content>((content, message) => joinContent(content, message.content), "");
  const isSilent = said.length === 0;
  if (order === "noSystem" && !isSilent) return merge([{ role: "user", content: said }, ...rest]);
  return [...(isSilent ? [] : [{ role: "system", content: said } as const]), ...merge(startWithUser(rest))];
}

type Content = CompletionMessage["content"];

/** Inserted where a template requires a message and there is none. */
const placeholder = "…";

function startWithUser(messages: readonly CompletionMessage[]): readonly CompletionMessage[] {
  const isOther = messages[0] !== undefined && messages[0].role !== "user";
  return isOther ? [{ role: "user", content: placeholder }, ...messages] : messages;
}

function merge(messages: readonly CompletionMessage[]): readonly CompletionMessage[] {
  const merged: CompletionMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const isSame = last?.role === message.role && message.role !== "tool";
    if (last !== undefined && isSame && !last.toolCalls?.length) merged.splice(-1, 1, join(last, message));
    else {
      // Tool results belong to the assistant, which must respond before the next user message.
      if (last?.role === "tool" && message.role === "user")
        merged.push({ role: "assistant", content: placeholder });
      merged.push(message);
    }
  }
  return merged;
}

/** The later message, preceded by the content of the earlier one. */
function join(first: CompletionMessage, second: CompletionMessage): CompletionMessage {
  return { ...first, ...second, content: joinContent(first.content, second.content) };
}

function joinContent(first: Content, second: Content): Content {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: Content): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

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
