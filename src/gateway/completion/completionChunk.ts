import type { Usage } from "../../core/conversation/completion.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import type { JsonObject, JsonRecord } from "../../core/kernel/json.ts";
import { parseContent, parseExtra } from "./content.ts";
import { parseToolCallPieces } from "./toolCallPieces.ts";
import type { ToolCallPiece } from "./toolCallPieces.ts";

/** The content of one piece of a response: a chunk of a stream, or a whole response. Absent fields are omitted. */
export interface CompletionChunk {
  readonly text?: string;
  readonly reasoning?: string;
  /** The fields that contained the reasoning as text. */
  readonly reasoningNames?: readonly string[];
  /** `reasoning_details`: pieces of reasoning with their signatures. */
  readonly reasoningDetails?: readonly unknown[];
  /** Parts of the content that are reasoning, as received. */
  readonly reasoningParts?: readonly unknown[];
  /** Other fields that the provider expects back with the message. */
  readonly extra?: JsonObject;
  readonly toolCalls?: readonly ToolCallPiece[];
  readonly usage?: Usage;
  readonly finishReason?: string;
  /** The server's error, as received. */
  readonly error?: unknown;
  /** Whether it contains a response at all, even an empty one. */
  readonly hasChoice?: true;
}

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
  const usage = parseUsage(value["usage"] ?? nestedUsage(value, choice));
  const error = findError(value, choice);
  return {
    ...(choice === undefined ? {} : parseChoice(choice)),
    ...(usage === undefined ? {} : { usage }),
    ...(error === undefined ? {} : { error }),
  };
}

/** If there are several responses, only the one with index 0 is read; without an index, the first. */
function firstChoice(choices: unknown): JsonRecord | undefined {
  if (!Array.isArray(choices)) return undefined;
  const list: readonly unknown[] = choices;
  const choice = list.find((item, position) => isRecord(item) && Number(item["index"] ?? position) === 0);
  return isRecord(choice) ? choice : undefined;
}

function parseChoice(choice: JsonRecord): CompletionChunk {
  const body = [choice["delta"], choice["message"]].find(isRecord);
  const toolCalls = body === undefined ? [] : parseToolCallPieces(body);
  const content = body === undefined ? parseContent({ content: choice["text"] }) : parseContent(body);
  const finishReason = parseFinishReason(choice);
  const extra = body === undefined ? undefined : parseExtra(body);
  return {
    hasChoice: true,
    ...content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(extra === undefined ? {} : { extra }),
    ...(finishReason === undefined ? {} : { finishReason }),
  };
}

/** Some servers write a missing reason as a word such as "null". */
function parseFinishReason(choice: JsonRecord): string | undefined {
  const reason = stringField(choice, "finish_reason")?.trim();
  return reason === undefined || /^(?:null|none|undefined)?$/i.test(reason) ? undefined : reason;
}

/** Where some servers put the token counts instead. */
function nestedUsage(value: JsonRecord, choice: JsonRecord | undefined): unknown {
  const extension = value["x_groq"];
  return choice?.["usage"] ?? (isRecord(extension) ? extension["usage"] : undefined);
}

/** `{"error": …}`, an error inside the choice, or an error object in place of a chunk. */
function findError(value: JsonRecord, choice: JsonRecord | undefined): unknown {
  const error = value["error"] ?? choice?.["error"];
  if (typeof error === "string" ? error !== "" : isRecord(error) || Array.isArray(error))
    return value["error"] ?? error;
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
  const usage: Usage = {
    ...count("promptTokens", value["prompt_tokens"], value["input_tokens"]),
    ...count("completionTokens", value["completion_tokens"], value["output_tokens"]),
    ...count("totalTokens", value["total_tokens"]),
    ...count(
      "cachedTokens",
      field(value["prompt_tokens_details"], "cached_tokens"),
      field(value["input_tokens_details"], "cached_tokens"),
      value["cached_tokens"],
      value["prompt_cache_hit_tokens"],
    ),
    ...count(
      "reasoningTokens",
      field(value["completion_tokens_details"], "reasoning_tokens"),
      field(value["output_tokens_details"], "reasoning_tokens"),
      value["reasoning_tokens"],
    ),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** The first value that is a count. */
function count(name: keyof Usage, ...values: readonly unknown[]): Usage {
  const found = values.find((value) => typeof value === "number" && Number.isFinite(value) && value >= 0);
  return typeof found === "number" ? { [name]: found } : {};
}
