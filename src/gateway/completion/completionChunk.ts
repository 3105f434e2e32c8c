import type { Usage } from "../../core/conversation/completion.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { JsonObject, JsonRecord } from "../../core/kernel/json.ts";
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

/**
 * Whether this is the mark at the end of a stream. Whitespace around it is only tolerated after a finish reason;
 * otherwise, it must match exactly.
 */
export function isDoneMark(data: string, isForgiving: boolean): boolean {
  return data === doneMark || (isForgiving && data.trim() === doneMark);
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
  const body = isRecord(delta) ? delta : message;
  const chunk: OpenChunk = isRecord(body) ? parseBody(body) : parseContent({ content: choice["text"] });
  chunk.hasChoice = true;
  if (body === message && isRecord(message)) chunk.isMessage = true;
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
  const error = value["error"] ?? choice?.["error"];
  if (typeof error === "string" ? error !== "" : isRecord(error) || Array.isArray(error)) return error;
  return choice === undefined && isFlatError(value) ? value : undefined;
}

function isFlatError(value: JsonRecord): boolean {
  if (value["object"] === "error" || value["type"] === "error") return true;
  if (value["choices"] !== undefined || value["usage"] !== undefined) return false;
  const reply = value["base_resp"];
  if (isRecord(reply)) return reply["status_code"] !== 0 && reply["status_code"] !== undefined;
  const hasText = ["message", "msg", "detail", "error_msg", "errmsg", "errMsg"].some(
    (name) => typeof value[name] === "string",
  );
  return (
    hasText &&
    ["code", "status", "error_code", "errcode", "errCode", "detail", "success"].some(
      (name) => value[name] !== undefined,
    )
  );
}

/** Parses token counts in the formats that servers use; undefined if there are none. */
export function parseUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const usage: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  const promptTokens = firstCount(value["prompt_tokens"], value["input_tokens"]);
  if (promptTokens !== undefined) usage.promptTokens = promptTokens;
  const completionTokens = firstCount(value["completion_tokens"], value["output_tokens"]);
  if (completionTokens !== undefined) usage.completionTokens = completionTokens;
  const totalTokens = firstCount(value["total_tokens"]);
  if (totalTokens !== undefined) usage.totalTokens = totalTokens;
  const cachedTokens = firstCount(
    field(value["prompt_tokens_details"], "cached_tokens"),
    field(value["input_tokens_details"], "cached_tokens"),
    value["cached_tokens"],
    value["prompt_cache_hit_tokens"],
  );
  if (cachedTokens !== undefined) usage.cachedTokens = cachedTokens;
  const reasoningTokens = firstCount(
    field(value["completion_tokens_details"], "reasoning_tokens"),
    field(value["output_tokens_details"], "reasoning_tokens"),
    value["reasoning_tokens"],
  );
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
  return Object.keys(usage).length === 0 ? undefined : usage;
}

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function firstCount(...values: readonly unknown[]): number | undefined {
  for (const value of values)
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  return undefined;
}
