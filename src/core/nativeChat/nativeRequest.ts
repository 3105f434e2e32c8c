import type {
  CompletionMessage,
  CompletionRequest,
  ContentPart,
  ImagePart,
  Role,
  ToolCall,
} from "../conversation/completion.ts";
import { parseDetailsValue } from "../conversation/messageDetails.ts";
import { toolParameters } from "../conversation/toolPort.ts";
import type { ToolDefinition } from "../conversation/toolPort.ts";
import { isRecord, parseJson, parseJsonObject } from "../kernel/json.ts";
import type { JsonObject } from "../kernel/json.ts";

/** A part of a message as VS Code's language model API represents it, as plain data. */
export type NativePart =
  | { readonly type: "text"; readonly text: string }
  /** `metadata` is what our provider attached to it, handed back. */
  | { readonly type: "reasoning"; readonly text: string; readonly metadata?: unknown }
  | {
      readonly type: "data";
      readonly mimeType: string;
      /** The bytes as base64, or decoded as UTF-8. */
      base64(this: void): string;
      utf8(this: void): string;
    }
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "toolResult"; readonly id: string; readonly parts: readonly NativePart[] };

/** A message of VS Code's own chat, without the types of its API. */
export interface NativeMessage {
  readonly role: Exclude<Role, "tool">;
  readonly parts: readonly NativePart[];
}

/** What VS Code's own chat passes along with the messages. */
export interface NativeOptions {
  readonly tools: readonly ToolDefinition[];
  /** Whether the model has to call a tool. */
  readonly mustCallTool: boolean;
  /** What the caller passes for the model; VS Code adds private members. */
  readonly modelOptions: unknown;
  /** What the user selected for the model in VS Code's chat. */
  readonly configuration: unknown;
}

/** The request for our service. Parts that it can't contain, such as cache marks, are left out. */
export function nativeRequest(
  model: string,
  messages: readonly NativeMessage[],
  options: NativeOptions,
): CompletionRequest {
  const { maxTokens, ...parameters } = readParameters(options.modelOptions, options.configuration);
  const tools = toolParameters(options.tools);
  const choice = options.tools.length === 0 ? {} : toolChoice(options);
  return {
    model,
    stream: true,
    messages: messages.flatMap((message) => convertMessage(message, model)),
    parameters: { ...parameters, ...tools, ...choice },
    ...(typeof maxTokens === "number" ? { maxTokens } : {}),
  };
}

/** Passed as a model option by callers that keep their tools declared but want text, which VS Code has no mode for. */
export const noToolCalls = { tool_choice: "none" } as const;

function toolChoice({ mustCallTool, modelOptions }: NativeOptions): JsonObject {
  if (mustCallTool) return { tool_choice: "required" };
  return isRecord(modelOptions) && modelOptions["tool_choice"] === "none" ? noToolCalls : {};
}

const numberOptions: ReadonlyMap<string, string> = new Map([
  ["temperature", "temperature"],
  ["top_p", "top_p"],
  ["topP", "top_p"],
  ["seed", "seed"],
  ["frequency_penalty", "frequency_penalty"],
  ["presence_penalty", "presence_penalty"],
  ["max_tokens", "maxTokens"],
  ["max_completion_tokens", "maxTokens"],
  ["maxOutputTokens", "maxTokens"],
]);

/** The name under which VS Code returns the effort that the user selected for a model. */
export const reasoningOption = "reasoningEffort";

/** Only known options are passed on: the others are private to VS Code, and servers would reject them. */
function readParameters(modelOptions: unknown, configuration: unknown): JsonObject {
  const options = isRecord(modelOptions) ? modelOptions : {};
  const parameters: Record<string, JsonObject[string]> = {};
  for (const [name, value] of Object.entries(options)) {
    const known = numberOptions.get(name);
    if (known !== undefined && typeof value === "number" && Number.isFinite(value)) parameters[known] = value;
    if (name === "stop" && isStop(value)) parameters["stop"] = value;
  }
  const effort = isRecord(configuration) ? configuration[reasoningOption] : undefined;
  if (typeof effort === "string" && effort !== "") parameters["reasoning_effort"] = effort;
  return parameters;
}

function isStop(value: unknown): value is string | readonly string[] {
  return (
    typeof value === "string" || (Array.isArray(value) && value.every((item) => typeof item === "string"))
  );
}

/** The results of tools come first, because they belong to the calls in the message before. */
function convertMessage({ role, parts }: NativeMessage, model: string): readonly CompletionMessage[] {
  if (role === "assistant") return assistantMessage(parts, model);
  const results = parts.flatMap((part) => (part.type === "toolResult" ? [part] : []));
  const images = results.flatMap(({ parts: inner }) => inner.flatMap(imageOf));
  const content = [...images, ...parts.flatMap(contentOf)];
  return [
    ...results.map(({ id, parts: inner }): CompletionMessage => ({
      role: "tool",
      toolCallId: id,
      content: inner.map(textOf).join(""),
    })),
    ...(content.length === 0 ? [] : [{ role, content: simplify(content) }]),
  ];
}

function assistantMessage(parts: readonly NativePart[], model: string): readonly CompletionMessage[] {
  const content = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const reasoning = parts.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  const returned = parts.flatMap((part) =>
    part.type === "reasoning" ? [parseDetailsValue(part.metadata)] : [],
  );
  const extras = new Map(returned.flatMap(({ toolCalls }) => toolCalls.map(({ id, extra }) => [id, extra])));
  const toolCalls = parts.flatMap((part): readonly ToolCall[] => {
    if (part.type !== "toolCall") return [];
    const extra = extras.get(part.id);
    const call = { id: part.id, name: part.name, arguments: JSON.stringify(part.input ?? {}) };
    return [{ ...call, ...(extra === undefined ? {} : { extra }) }];
  });
  if (content === "" && toolCalls.length === 0) return [];
  const providerFields = returned.findLast(
    (details) => details.providerFields?.model === model,
  )?.providerFields;
  const isReturned = toolCalls.length > 0 && providerFields !== undefined;
  return [
    {
      role: "assistant",
      content,
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(isReturned ? { providerFields, ...(reasoning === "" ? {} : { reasoning }) } : {}),
    },
  ];
}

/** A message of text alone is sent as a string, which every server accepts. */
function simplify(content: readonly ContentPart[]): string | readonly ContentPart[] {
  return content.every((part) => part.type === "text") ? content.map(({ text }) => text).join("") : content;
}

const audioFormats: ReadonlyMap<string, "wav" | "mp3"> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
]);

function contentOf(part: NativePart): readonly ContentPart[] {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  if (part.type !== "data") return [];
  const format = audioFormats.get(part.mimeType);
  if (format !== undefined) return [{ type: "audio", format, data: part.base64() }];
  const text = dataText(part);
  return text === "" ? imageOf(part) : [{ type: "text", text }];
}

function imageOf(part: NativePart): readonly ImagePart[] {
  return part.type === "data" && part.mimeType.startsWith("image/")
    ? [{ type: "image", mediaType: part.mimeType, data: part.base64() }]
    : [];
}

function textOf(part: NativePart): string {
  if (part.type === "text") return part.text;
  return part.type === "data" ? dataText(part) : "";
}

/** Text and JSON are the only data besides media that models read; VS Code's own marks have other types. */
function dataText({ mimeType, utf8 }: NativePart & { readonly type: "data" }): string {
  const isText = /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?json)(?:;|$)/.test(mimeType);
  return isText ? utf8() : "";
}

/** The arguments of a call as VS Code expects them; undefined if the model wrote something else. */
export function parseInput(text: string): JsonObject | undefined {
  return text.trim() === "" ? {} : parseJsonObject(parseJson(text));
}
