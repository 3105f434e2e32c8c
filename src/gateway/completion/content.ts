import { isRecord, parseJsonObject, stringField } from "../../core/kernel/json.ts";
import type { JsonObject, JsonRecord } from "../../core/kernel/json.ts";

/** Text and reasoning of a delta or a message; each is omitted if empty. */
export interface Content {
  readonly text?: string;
  readonly reasoning?: string;
  /** The fields that contained the reasoning as text. */
  readonly reasoningNames?: readonly string[];
  /** Pieces of reasoning with their signatures. */
  readonly reasoningDetails?: readonly unknown[];
  /** The field that contained them. */
  readonly detailsName?: "reasoning_details" | "thinking_blocks";
  /** Parts of the content that are reasoning, as received. */
  readonly reasoningParts?: readonly unknown[];
}

/** Every token is a delta, so each is parsed by plain assignments. */
type OpenContent = { -readonly [Name in keyof Content]: Content[Name] };

/** Field names for a model's reasoning before its response; the same text may appear under several. */
const reasoningNames = ["reasoning_content", "reasoning", "thinking"];

/**
 * Parses a delta or a message: a string, a list of parts, and separate reasoning. A refusal counts as text for the
 * user.
 */
export function parseContent(body: JsonRecord): OpenContent {
  const parsed: OpenContent = {};
  const { content, refusal, thinking_blocks: blocks, reasoning_details: details = blocks } = body;
  if (typeof content === "string") addText(parsed, content);
  else if (Array.isArray(content)) addParts(parsed, content);
  if (parsed.text === undefined && typeof refusal === "string") addText(parsed, refusal);
  addReasoning(parsed, body);
  if (details === undefined || details === null) return parsed;
  addDetails(parsed, details);
  parsed.detailsName = details === blocks ? "thinking_blocks" : "reasoning_details";
  return parsed;
}

function addText(parsed: OpenContent, text: string): void {
  if (text !== "") parsed.text = text;
}

function addParts(parsed: OpenContent, parts: readonly unknown[]): void {
  const others = parts.filter((part) => !isReasoningPart(part));
  addText(parsed, others.map(textOf).join(""));
  if (others.length === parts.length) return;
  parsed.reasoningParts = parts.filter(isReasoningPart);
  const reasoning = parsed.reasoningParts.map(textOf).join("");
  if (reasoning !== "") parsed.reasoning = reasoning;
}

/** The first of the fields takes precedence over parts of the content. */
function addReasoning(parsed: OpenContent, body: JsonRecord): void {
  const { reasoning_content: deepSeek, reasoning, thinking } = body;
  if (deepSeek === undefined && reasoning === undefined && thinking === undefined) return;
  const names = reasoningNames.filter((name) => textOf(body[name]) !== "");
  const [first] = names;
  if (first === undefined) return;
  parsed.reasoning = textOf(body[first]);
  parsed.reasoningNames = names;
}

/** They usually repeat the text of a field. */
function addDetails(parsed: OpenContent, details: unknown): void {
  if (Array.isArray(details) && details.length > 0) parsed.reasoningDetails = details;
  const text = parsed.reasoningNames === undefined ? textOf(details) : "";
  if (text !== "") parsed.reasoning = text;
}

function isReasoningPart(part: unknown): boolean {
  return isRecord(part) && /^(?:thinking|reasoning)/.test(stringField(part, "type") ?? "");
}

/** The text of a string, of a part, or of a list of parts. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("");
  if (!isRecord(value)) return "";
  const text = value["text"] ?? value["thinking"] ?? value["summary"] ?? value["refusal"] ?? value["content"];
  return typeof text === "string" || Array.isArray(text) ? textOf(text) : "";
}

/** Fields of a message or a tool call that a provider expects back: signatures of the model's reasoning. */
const extraNames = ["extra_content", "thought_signature", "provider_specific_fields"];

/** What a provider expects back besides the fields in the interface; undefined if there is nothing. */
export function parseExtra(record: JsonRecord): JsonObject | undefined {
  const { extra_content: content, thought_signature: signature, provider_specific_fields: fields } = record;
  if (content === undefined && signature === undefined && fields === undefined) return undefined;
  const members = extraNames.flatMap((name) => {
    const value = record[name];
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  return members.length === 0 ? undefined : parseJsonObject(Object.fromEntries(members));
}
