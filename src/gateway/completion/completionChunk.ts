import type { Usage } from "../../core/conversation/completion.ts";
import { parseStoredUsage } from "../../core/conversation/messageDetails.ts";
import { isRecord, parseJson } from "../../core/kernel/json.ts";
import type { JsonObject, JsonRecord } from "../../core/kernel/json.ts";
import { plainName } from "../errors/errorMarkup.ts";
import { parseContent, parseExtra } from "./content.ts";
import type { Content } from "./content.ts";
import { parseToolCallPieces } from "./toolCallPieces.ts";
import type { ToolCallPiece } from "./toolCallPieces.ts";

/** The content of one piece of a response: a chunk of a stream, or a whole response. Absent fields are omitted. */
export interface CompletionChunk extends Content {
  /** Other fields that the provider expects back with the message. */
  readonly extra?: JsonObject;
  readonly toolCalls?: readonly ToolCallPiece[];
  readonly usage?: Usage;
  readonly finishReason?: string;
  /** The server's error, as received. */
  readonly error?: unknown;
  /** Whether it contains a response at all, even an empty one. */
  readonly hasChoice?: true;
  /** Whether its content is a message, not a delta. */
  readonly isMessage?: true;
}

/** Every token is a chunk, so each is assembled by plain assignments: spreading costs more than JSON.parse. */
type OpenChunk = { -readonly [Name in keyof CompletionChunk]: CompletionChunk[Name] };

const doneMark = "[DONE]";

/** Whether this is the mark at the end of a stream. */
export function isDoneMark(data: string): boolean {
  return data === doneMark || data.trim() === doneMark;
}

/** Strings, and the numbers that servers write in Python's form, which isn't JSON: log probabilities of 0 %. */
const pythonNumbers = /"(?:[^"\\]|\\[^])*"?|-?\b(?:Infinity|NaN)\b/g;

/** Parses the data of an event; undefined if it isn't JSON. */
export function parseEvent(data: string): unknown {
  const value = parseJson(data);
  if (value !== undefined || !/Infinity|NaN/.test(data)) return value;
  return parseJson(data.replace(pythonNumbers, (part) => (part.startsWith('"') ? part : "null")));
}

/** Parses a JSON value (interface section 2.3); undefined if it isn't an object. */
export function parseChunk(value: unknown): CompletionChunk | undefined {
  if (!isRecord(value)) return undefined;
  const choice = firstChoice(value["choices"]);
  const chunk: OpenChunk = choice === undefined ? {} : parseChoice(choice);
  const usage = parseUsage(value["usage"] ?? nestedUsage(value, choice));
  if (usage !== undefined) chunk.usage = usage;
  const error = findError(value, choice);
  if (error !== undefined) chunk.error = error;
  return chunk;
}

/** If there are several responses, only the one with index 0 is read; without an index, the first. */
function firstChoice(choices: unknown): JsonRecord | undefined {
  if (!Array.isArray(choices)) return undefined;
  const list: readonly unknown[] = choices;
  const [first] = list;
  if (isRecord(first) && first["index"] === 0) return first;
  const choice = list.find((item, position) => isRecord(item) && Number(item["index"] ?? position) === 0);
  return isRecord(choice) ? choice : undefined;
}

function parseChoice(choice: JsonRecord): OpenChunk {
  const { delta, message } = choice;
  let chunk: OpenChunk = isRecord(delta) ? parseBody(delta) : {};
  if (isRecord(message) && Object.keys(chunk).length === 0) {
    chunk = parseBody(message);
    chunk.isMessage = true;
  } else if (!isRecord(delta)) chunk = parseContent({ content: choice["text"] });
  chunk.hasChoice = true;
  const finishReason = parseFinishReason(choice["finish_reason"]);
  if (finishReason !== undefined) chunk.finishReason = finishReason;
  return chunk;
}

function parseBody(body: JsonRecord): OpenChunk {
  const chunk: OpenChunk = parseContent(body);
  const toolCalls = parseToolCallPieces(body);
  if (toolCalls !== undefined) chunk.toolCalls = toolCalls;
  const extra = parseExtra(body);
  if (extra !== undefined) chunk.extra = extra;
  return chunk;
}

/** Some servers write a missing reason as a word such as "null". */
function parseFinishReason(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const reason = value.trim();
  return /^(?:null|none|undefined)?$/i.test(reason) ? undefined : reason;
}

/** Where some servers put the token counts instead. */
function nestedUsage(value: JsonRecord, choice: JsonRecord | undefined): unknown {
  const extension = value["x_groq"];
  return choice?.["usage"] ?? (isRecord(extension) ? extension["usage"] : undefined);
}

/** `{"error": …}`, an error inside the choice, or an error object in place of a chunk. */
function findError(value: JsonRecord, choice: JsonRecord | undefined): unknown {
  const extension = value["x_groq"];
  const error = value["error"] ?? choice?.["error"] ?? (isRecord(extension) ? extension["error"] : undefined);
  // Some servers add an empty one to every chunk.
  const isFilled = isRecord(error) && (choice === undefined || Object.values(error).some(Boolean));
  if (isFilled || (Array.isArray(error) && error.length > 0)) return error;
  // The words may be beside it.
  if (typeof error === "string" && error !== "") return choice === undefined ? value : error;
  return error === true || (choice === undefined && isFlatError(value)) ? value : undefined;
}

const messageNames =
  /^(?:message|msg|detail|errormsg|errmsg|errormessage|errordescription|errors|statusmsg)$/;
const codeNames =
  /^(?:code|status|error|(?:err|error|status|ret|result|http)code|errno|success|detail|errors)$/;
/** A number of success, or a word for a state that isn't a failure. */
const fine =
  /^(?:0+|[123]\d\d|true|ok|success\w*|succe\w+|normal|running|processing|queued|pending|in_?progress|complete\w*|started|connected|loading)$/i;

/** Whether a record without a response has the fields of an error, none of which says that all is well. */
function isFlatError(value: JsonRecord): boolean {
  if (value["object"] === "error" || value["type"] === "error") return true;
  if (value["choices"] !== undefined || value["usage"] !== undefined) return false;
  const reply = value["base_resp"];
  if (isRecord(reply)) return reply["status_code"] !== 0 && reply["status_code"] !== undefined;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== "");
  const codes = fields.flatMap(([name, field]) => (codeNames.test(plainName(name)) ? [String(field)] : []));
  const hasMessage = fields.some(([name]) => messageNames.test(plainName(name)));
  return hasMessage && codes.length > 0 && !codes.some((code) => fine.test(code.trim()));
}

/** Where each count may be, by its names: a dot leads into an object. Split once, as some servers count in every chunk. */
const usagePaths = {
  prompt: paths("prompt_tokens input_tokens"),
  completion: paths("completion_tokens output_tokens"),
  total: paths("total_tokens"),
  cached: paths(`prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens
    input_token_details.cache_read cached_tokens num_cached_tokens prompt_cache_hit_tokens cached_input_tokens
    cached_prompt_text_tokens cache_read_tokens cache_read_input_tokens cacheReadInputTokens`),
  cacheWrite: paths(`prompt_tokens_details.cache_write_tokens prompt_tokens_details.cache_creation_tokens
    prompt_tokens_details.cache_creation_input_tokens cache_write_tokens cache_creation_tokens
    cache_creation_input_tokens cacheWriteInputTokens`),
  reasoning: paths(`completion_tokens_details.reasoning_tokens output_tokens_details.reasoning_tokens
    reasoning_tokens`),
  cost: paths("cost cost.total_cost cost.total total_cost estimated_cost"),
  upstreamCost: paths("cost_details.upstream_inference_cost"),
  costTicks: paths("cost_in_usd_ticks"),
};
type CountKind = keyof typeof usagePaths;
/** xAI reports what it charges in 10,000,000,000ths of a dollar. */
const dollarsPerTick = 1e-10;

function paths(names: string): readonly (readonly string[])[] {
  return names.split(/\s+/).map((name) => name.split("."));
}

/**
 * Parses token counts in the formats that servers use; undefined if there are none. Some servers count cached tokens
 * besides the input, or reasoning besides the output: the total shows it, or a part that is larger than the whole.
 */
export function parseUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const read = (kind: CountKind): number | undefined => countsIn(value, kind)[0];
  // Under its other names, a part may be zero.
  const readPart = (kind: CountKind): number | undefined =>
    countsIn(value, kind).reduce<number | undefined>((most, count) => Math.max(most ?? 0, count), undefined);
  const [prompt, completion, total] = [read("prompt"), read("completion"), read("total")];
  const [cached, cacheWrite, reasoning] = [readPart("cached"), readPart("cacheWrite"), readPart("reasoning")];
  const stored = (cached ?? 0) + (cacheWrite ?? 0);
  const isAnthropic = value["input_tokens"] !== undefined && value["cache_read_input_tokens"] !== undefined;
  const isSum = (input: number): boolean =>
    total === input + (completion ?? 0) || total === input + (completion ?? 0) + (reasoning ?? 0);
  const isBeside =
    prompt !== undefined &&
    (stored > prompt || (total === undefined ? isAnthropic : !isSum(prompt) && isSum(prompt + stored)));
  const promptTokens = isBeside ? prompt + stored : prompt;
  const usage = parseStoredUsage({
    promptTokens,
    completionTokens: outputOf({ input: promptTokens, completion, total, reasoning }),
    totalTokens: total,
    cachedTokens: cached,
    cacheWriteTokens: cacheWrite,
    reasoningTokens: reasoning,
    cost: costOf(value, read("cost")),
  });
  return usage === undefined || Object.keys(usage).length === 0 ? undefined : usage;
}

interface Counts {
  readonly input: number | undefined;
  readonly completion: number | undefined;
  readonly total: number | undefined;
  readonly reasoning: number | undefined;
}

/** What the total contains besides the input is output, even if the server counts only the visible part as such. */
function outputOf({ input, completion, total, reasoning = 0 }: Counts): number | undefined {
  if (completion === undefined) return undefined;
  if (total !== undefined && input !== undefined) return Math.max(completion, total - input);
  return reasoning > completion ? completion + reasoning : completion;
}

/** With a key of the user's own, OpenRouter reports its fee, and what the model's provider charges for that key. */
function costOf(value: JsonRecord, cost: number | undefined): number | undefined {
  const [ticks] = countsIn(value, "costTicks");
  if (cost === undefined) return ticks === undefined ? undefined : ticks * dollarsPerTick;
  return value["is_byok"] === true ? cost + (countsIn(value, "upstreamCost")[0] ?? 0) : cost;
}

/** The counts at those of its paths where there is one. */
function countsIn(value: JsonRecord, kind: CountKind): readonly number[] {
  const counts: number[] = [];
  for (const path of usagePaths[kind]) {
    let found: unknown = value;
    for (const step of path) found = isRecord(found) ? found[step] : undefined;
    // Some gateways write amounts of money as text.
    if (typeof found === "string" && /^\d+(?:\.\d+)?(?:e-?\d+)?$/i.test(found)) found = Number(found);
    if (typeof found === "number" && Number.isFinite(found) && found >= 0) counts.push(found);
  }
  return counts;
}
