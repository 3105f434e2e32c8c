import * as v from "valibot";
import type { JsonRecord } from "../../core/kernel/json.ts";
import { inferenceError } from "../http/reply.ts";
import type { HttpFailure } from "../http/reply.ts";
import type { DemoModel } from "./catalog.ts";
import type { ResponsePiece } from "./responseSink.ts";

/** The usual roles, in addition to those of the interface (section 2.2: "the full set of roles is not shown"). */
const chatRoles = ["system", "developer", "user", "assistant", "tool"] as const;

/** The interface doesn't show the fields of content parts (section 2.2), so these are the usual ones. */
const contentPart = v.variant("type", [
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.literal("image_url"), image_url: v.object({ url: v.string() }) }),
  v.object({
    type: v.literal("input_audio"),
    input_audio: v.object({ format: v.picklist(["wav", "mp3"]), data: v.string() }),
  }),
]);

/** A part of a message's content. */
export type ChatPart = v.InferOutput<typeof contentPart>;

const chatMessage = v.pipe(
  v.object({
    role: v.picklist(chatRoles),
    name: v.nullish(v.string()),
    content: v.pipe(
      v.nullish(v.unknown(), []),
      v.transform((value) => (typeof value === "string" ? [{ type: "text", text: value }] : value)),
      v.array(contentPart),
    ),
    tool_calls: v.nullish(
      v.array(v.object({ id: v.string(), function: v.object({ name: v.string(), arguments: v.string() }) })),
      [],
    ),
    tool_call_id: v.nullish(v.string()),
  }),
  v.check(({ content, tool_calls }) => content.length > 0 || tool_calls.length > 0, "It has no content"),
);

/** A message of a request (interface section 2.2). */
export type ChatMessage = v.InferOutput<typeof chatMessage>;

const functionTool = v.object({
  name: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  /** JSON Schema of the arguments. */
  parameters: v.nullish(v.record(v.string(), v.unknown()), { type: "object", properties: {} }),
});

/** A function that a demo model may call. */
export type OfferedTool = v.InferOutput<typeof functionTool>;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/**
 * Interface section 2.1, and in their usual form the topics that it only mentions: function calling and structured
 * outputs. Null counts as missing, because clients send it for defaults.
 */
const chatRequest = v.object({
  model: v.string(),
  messages: v.pipe(v.array(chatMessage), v.minLength(1)),
  stream: v.nullish(v.boolean(), false),
  stream_options: v.nullish(v.object({ include_usage: v.nullish(v.boolean(), false) })),
  n: v.nullish(v.literal(1)),
  max_completion_tokens: v.nullish(count),
  max_tokens: v.nullish(count),
  /** Our own parameter: overrides the speed for this request; 0 means as fast as possible. */
  tokens_per_second: v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0))),
  tools: v.nullish(v.array(v.object({ type: v.literal("function"), function: functionTool })), []),
  tool_choice: v.nullish(
    v.union([
      v.picklist(["auto", "none", "required"]),
      v.object({ function: v.object({ name: v.string() }) }),
    ]),
    "auto",
  ),
  parallel_tool_calls: v.nullish(v.boolean(), true),
  response_format: v.nullish(
    v.variant("type", [
      v.object({ type: v.literal("text") }),
      v.object({ type: v.literal("json_object") }),
      v.object({
        type: v.literal("json_schema"),
        json_schema: v.object({ name: v.string(), schema: v.record(v.string(), v.unknown()) }),
      }),
    ]),
    { type: "text" },
  ),
});

/** A validated chat completion request. */
export type ChatRequest = Omit<v.InferOutput<typeof chatRequest>, "model"> & {
  readonly model: DemoModel;
  /** Everything in the body except the model, messages and tools. An echo reports these. */
  readonly parameters: JsonRecord;
};

/** A model besides those of the product, with its own responses. */
export interface ExtraModel {
  readonly model: DemoModel;
  readonly respond: (request: ChatRequest) => Iterable<ResponsePiece>;
}

/** Validates a chat completion request. Throws an error that names the problem. */
export function parseChatRequest(body: JsonRecord, models: readonly DemoModel[]): ChatRequest {
  const parsed = v.safeParse(chatRequest, body, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw badRequest(v.getDotPath(issue) ?? "body", issue.message);
  }
  const { model: id, messages, stream, stream_options, tools, tool_choice } = parsed.output;
  const model = models.find((candidate) => candidate.id === id);
  if (model === undefined) throw badRequest("model", `The model ${id} does not exist`, "model_not_found");
  checkModalities(model, messages);
  if (!hasResultsOnlyOfCalls(messages))
    throw badRequest("messages", "A tool message has no tool call of this ID before it");
  if (stream_options && !stream)
    throw badRequest("stream_options", "It is allowed only where stream is true");
  const chosen = typeof tool_choice === "object" ? tool_choice.function.name : undefined;
  const isOffered = chosen === undefined || tools.some(({ function: { name } }) => name === chosen);
  if (!isOffered || (tool_choice === "required" && tools.length === 0))
    throw badRequest("tool_choice", "No such tool is offered");
  const known = new Set(["model", "messages", "tools"]);
  const parameters = Object.fromEntries(Object.entries(body).filter(([name]) => !known.has(name)));
  return { ...parsed.output, model, parameters };
}

function hasResultsOnlyOfCalls(messages: readonly ChatMessage[]): boolean {
  const called = new Set<string>();
  return messages.every(({ role, tool_calls, tool_call_id }) => {
    for (const { id } of tool_calls) called.add(id);
    return role !== "tool" || called.has(tool_call_id ?? "");
  });
}

/** Not every model supports images or audio (interface section 1). */
function checkModalities(model: DemoModel, messages: readonly ChatMessage[]): void {
  const types = new Set(messages.flatMap(({ content }) => content.map(({ type }) => type)));
  if (!model.supportsImages && types.has("image_url"))
    throw badRequest("messages", `The model ${model.id} does not support images`, "unsupported_content");
  if (!model.supportsAudio && types.has("input_audio"))
    throw badRequest("messages", `The model ${model.id} does not support audio`, "unsupported_content");
}

/** A field of the request is missing or wrong. `param` is its path, such as `messages.0.role`. */
function badRequest(param: string, problem: string, code = "invalid_value"): HttpFailure {
  return inferenceError(400, `Invalid “${param}”: ${problem}.`, "invalid_request_error", code, param);
}

/** The text of a message, its parts joined by line breaks. */
export function textOf({ content }: ChatMessage): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** The text of the last user message, or an empty string. */
export function lastUserText({ messages }: Pick<ChatRequest, "messages">): string {
  const message = messages.findLast(({ role }) => role === "user");
  return message === undefined ? "" : textOf(message);
}
