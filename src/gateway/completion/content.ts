import { isRecord, parseJsonObject, stringField } from "../../core/kernel/json.ts";
import type { JsonObject, JsonRecord } from "../../core/kernel/json.ts";

/** Text and reasoning of a delta or a message; each is omitted if empty. */
interface Content {
  readonly text?: string;
  readonly reasoning?: string;
  /** The fields that contained the reasoning as text. */
  readonly reasoningNames?: readonly string[];
  /** `reasoning_details`: pieces of reasoning with their signatures. */
  readonly reasoningDetails?: readonly unknown[];
  /** Parts of the content that are reasoning, as received. */
  readonly reasoningParts?: readonly unknown[];
}

/** Field names for a model's reasoning before its response; the same text may appear under several. */
const reasoningNames = ["reasoning_content", "reasoning", "thinking"];

/**
 * Parses a delta or a message: a string, a list of parts, and separate reasoning. A refusal counts as text for the
 * user.
 */
export function parseContent(body: JsonRecord): Content {
  const content = parseParts(body["content"]);
  const names = reasoningNamesOf(body);
  const details = body["reasoning_details"];
  const reasoning = readReasoning(body, names) ?? content.reasoning;
  const text = content.text ?? stringField(body, "refusal");
  return {
    ...(text ? { text } : {}),
    ...(reasoning ? { reasoning } : {}),
    ...(names.length === 0 ? {} : { reasoningNames: names }),
    ...(Array.isArray(details) && details.length > 0 ? { reasoningDetails: details } : {}),
    ...(content.reasoningParts === undefined ? {} : { reasoningParts: content.reasoningParts }),
  };
}

function reasoningNamesOf(body: JsonRecord): readonly string[] {
  return reasoningNames.filter((name) => body[name] !== undefined && textOf(body[name]) !== "");
}

function readReasoning(body: JsonRecord, [name]: readonly string[]): string | undefined {
  return (name === undefined ? textOf(body["reasoning_details"]) : textOf(body[name])) || undefined;
}

function parseParts(content: unknown): Content {
  if (typeof content === "string") return content === "" ? {} : { text: content };
  if (!Array.isArray(content)) return {};
  const parts: readonly unknown[] = content;
  const text = parts
    .filter((part) => !isReasoningPart(part))
    .map(textOf)
    .join("");
  const reasoningParts = parts.filter(isReasoningPart);
  const reasoning = reasoningParts.map(textOf).join("");
  return {
    ...(text ? { text } : {}),
    ...(reasoning ? { reasoning } : {}),
    ...(reasoningParts.length === 0 ? {} : { reasoningParts }),
  };
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
  const members = extraNames.flatMap((name) => {
    const value = record[name];
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  return members.length === 0 ? undefined : parseJsonObject(Object.fromEntries(members));
}
