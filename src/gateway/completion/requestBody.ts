import type { ModelOptions, SystemRole } from "../../core/account/modelOptions.ts";
import type { Adaptation } from "../../core/conversation/adaptations.ts";
import { lawfulMessages } from "../../core/conversation/lawfulMessages.ts";
import type {
  CompletionMessage,
  CompletionRequest,
  ContentPart,
  ProviderFields,
  ToolCall,
} from "../../core/conversation/completion.ts";
import { wellFormedJson } from "../../core/kernel/json.ts";
import { PhraseTable, readWords } from "../errors/phrases.ts";
import type { JsonObject, JsonValue } from "../../core/kernel/json.ts";

/** How chat templates and services refuse system messages. */
const noSystemWords = new PhraseTable(`
  Gemma, Mistral, Google: system role|prompt|message|instruction … not supported|allowed|enabled|accepted; not support system; developer instruction is not enabled
  Mistral, Llama: only user and|or assistant|model role
`);
/** How they require that roles alternate after one system message. */
const alternateWords = new PhraseTable(`
  Mistral, Gemma, Llama: alternat*; consecutive … role|message|user|assistant; unexpected role; same|repeated role; role order; order of role|message
  Qwen, Mistral: system|first|last message must|should|has|role; after|before|followed … role
`);

type MessageOrder = "alternate" | "noSystem";

/** The order that a rejection message requires; undefined if it is about something else. */
export function demandedOrder(statusCode: number, words: string): MessageOrder | undefined {
  // Templates raise their exceptions with 400 and 422, and with 500 if a server doesn't expect them.
  if (statusCode !== 400 && statusCode !== 422 && statusCode !== 500) return undefined;
  const read = readWords(words);
  if (noSystemWords.isIn(read)) return "noSystem";
  return alternateWords.isIn(read) ? "alternate" : undefined;
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

/** A request as it is sent. */
interface RequestBody {
  /** JSON. */
  readonly body: string;
  /** The adaptations that have changed it. */
  readonly used: readonly Adaptation[];
}

interface RequestForm {
  /** The destination: fields that a message got from another provider are not sent there. */
  readonly baseUrl: string;
  readonly systemRole?: SystemRole | undefined;
  readonly adaptations?: readonly Adaptation[];
}

/** The body of a chat completion request as JSON text (interface section 2.1). */
export function createRequestBody(
  request: CompletionRequest,
  { baseUrl, systemRole = "system", adaptations = [] }: RequestForm,
): RequestBody {
  const { model, stream, maxTokens, parameters } = request;
  const used = new Set<Adaptation>();
  const applies = (adaptation: Adaptation): boolean => {
    if (adaptations.includes(adaptation)) used.add(adaptation);
    return used.has(adaptation);
  };
  const lawful = lawfulMessages(request.messages, (modality) => !applies(`input:${modality}`));
  const messages = ordered(lawful, applies).map((message) => {
    const json = messageJson(message, { baseUrl, model });
    const kept = Object.entries(json).filter(
      ([name]) => standard.has(name) || !applies(`messageField:${name}`),
    );
    return { ...Object.fromEntries(kept), ...(message.role === "system" ? { role: systemRole } : {}) };
  });
  const isStreamed = stream && !applies("field:stream");
  const fields = {
    ...(isStreamed ? { stream_options: { include_usage: true } } : {}),
    ...parameters,
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
  };
  const nameFor = (name: string): string =>
    name === "max_tokens" && applies("rename:max_tokens") ? renamedLimit : name;
  const offersTools = !("tools" in fields && applies("field:tools"));
  const kept = Object.entries(fields)
    .filter(([name]) => (offersTools || !toolFields.has(name)) && !applies(`field:${name}`))
    .map(([name, value]) => [nameFor(name), value] as const);
  const body = { ...Object.fromEntries(kept), model, messages, stream: isStreamed };
  return { body: wellFormedJson(body), used: [...used] };
}

/** Fields of messages that no server can do without. */
const standard: ReadonlySet<string> = new Set(["role", "content", "tool_calls", "tool_call_id"]);
/** None of these fields has a meaning without the first. */
const toolFields: ReadonlySet<string> = new Set(["tools", "tool_choice", "parallel_tool_calls"]);

function ordered(
  messages: readonly CompletionMessage[],
  applies: (adaptation: Adaptation) => boolean,
): readonly CompletionMessage[] {
  if (messages.some(({ role }) => role === "system") && applies("order:noSystem"))
    return orderMessages(messages, "noSystem");
  return applies("order:alternate") ? orderMessages(messages, "alternate") : messages;
}

/** The name that `max_tokens` has for reasoning models. */
export const renamedLimit = "max_completion_tokens";

/** The names of the field that limits the tokens of a response. */
const tokenLimits: readonly string[] = ["max_tokens", renamedLimit, "max_output_tokens"];

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

type Receiver = Pick<ProviderFields, "baseUrl" | "model">;

function messageJson(message: CompletionMessage, receiver: Receiver): JsonObject {
  const { role, content, name, toolCalls, toolCallId, providerFields } = message;
  const isOwn = providerFields?.baseUrl === receiver.baseUrl && providerFields.model === receiver.model;
  return {
    ...(isOwn ? returnedJson(message, providerFields) : {}),
    role,
    content: isOwn
      ? withReasoningParts(contentJson(tagged(message, providerFields)), providerFields)
      : contentJson(content),
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

/** Models that reason between tags in the content expect it there, too. */
function tagged({ content, reasoning = "" }: CompletionMessage, fields: ProviderFields): Content {
  const isTagged = fields.reasoningNames?.includes("content") === true && typeof content === "string";
  return isTagged && reasoning !== "" ? `<think>\n${reasoning.trim()}\n</think>\n\n${content}` : content;
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
