import { t } from "@vscode/l10n";
import type {
  CompletionMessage,
  CompletionRequest,
  ContentPart,
  Role,
  ToolCall,
} from "../conversation/completion.ts";
import { lawfulMessages } from "../conversation/lawfulMessages.ts";
import { parseDetailsValue } from "../conversation/messageDetails.ts";
import { toolParameters } from "../conversation/toolPort.ts";
import type { ToolDefinition } from "../conversation/toolPort.ts";
import { ServiceError } from "../kernel/errors.ts";
import { isRecord, parseJson, parseJsonObject } from "../kernel/json.ts";
import type { JsonObject } from "../kernel/json.ts";
import { dataPart, isPrivateMark, toolResultContent } from "../responses/tools/toolResultContent.ts";
import type { DataPart } from "../responses/tools/toolResultContent.ts";

/** A part of a message as VS Code's language model API represents it, as plain data. */
export type NativePart =
  | { readonly type: "text"; readonly text: string }
  /** `metadata` is what our provider attached to it, handed back. */
  | { readonly type: "reasoning"; readonly text: string; readonly metadata?: unknown }
  | ({ readonly type: "data" } & DataPart)
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly input: unknown }
  /** Its parts are as VS Code passes them. */
  | { readonly type: "toolResult"; readonly id: string; readonly content: readonly unknown[] };

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
  encodeBase64(data: Uint8Array): string;
}

/** The request for our service. What it can't contain is named in it, except for VS Code's own marks. Throws if nothing is left. */
export function nativeRequest(
  model: string,
  messages: readonly NativeMessage[],
  options: NativeOptions,
): CompletionRequest {
  const { maxTokens, ...parameters } = readParameters(options.modelOptions, options.configuration);
  const tools = toolParameters(options.tools);
  const choice = options.tools.length === 0 ? {} : toolChoice(options);
  const lawful = lawfulMessages(messages.flatMap((message) => convertMessage(message, model, options)));
  if (lawful.length === 0)
    throw new ServiceError({
      reason: "badRequest",
      message: t("The request has no content, so nothing was sent. Write a message."),
    });
  return {
    model,
    stream: true,
    messages: lawful,
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

/** A message as it is before the request is complete. The results of tools come first. */
export function convertMessage(
  { role, parts }: NativeMessage,
  model: string,
  { encodeBase64 }: Pick<NativeOptions, "encodeBase64">,
): readonly CompletionMessage[] {
  if (role === "assistant") return assistantMessage(parts, model);
  const results = parts.flatMap((part): readonly CompletionMessage[] => {
    if (part.type !== "toolResult") return [];
    const { text, images } = toolResultContent(part.content, encodeBase64);
    const content = images.length === 0 ? text : [{ type: "text", text } as const, ...images];
    return [{ role: "tool", toolCallId: part.id, content }];
  });
  const content = parts.flatMap((part): readonly ContentPart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    return part.type === "data" && !isPrivateMark(part) ? [dataPart(part, encodeBase64)] : [];
  });
  return content.length === 0 ? results : [...results, { role, content: simplify(content) }];
}

function assistantMessage(parts: readonly NativePart[], model: string): readonly CompletionMessage[] {
  const content = assistantText(parts);
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

/** Consecutive parts are pieces of one text, as they were streamed; what follows a call is another one. */
function assistantText(parts: readonly NativePart[]): string {
  const texts = [""];
  for (const part of parts)
    if (part.type === "text") texts.push((texts.pop() ?? "") + part.text);
    else if (part.type === "toolCall") texts.push("");
  return texts.reduce(joinTexts);
}

/** A message of text alone is sent as a string, which every server accepts. */
function simplify(content: readonly ContentPart[]): string | readonly ContentPart[] {
  return content.every((part) => part.type === "text")
    ? content.map(({ text }) => text).reduce(joinTexts)
    : content;
}

/** Words of different texts don't become one. */
function joinTexts(first: string, second: string): string {
  const isApart = first === "" || second === "" || /\s$/.test(first) || /^\s/.test(second);
  return isApart ? first + second : `${first}\n${second}`;
}

/** The arguments of a call as VS Code expects them; undefined if the model wrote something else. */
export function parseInput(text: string): JsonObject | undefined {
  return text.trim() === "" ? {} : parseJsonObject(parseJson(text));
}
