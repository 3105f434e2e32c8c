import { t } from "@vscode/l10n";
import type { CompletionMessage, CompletionRequest } from "../../conversation/completion.ts";
import { isRecord } from "../../kernel/json.ts";

/** One text of a request, and where it stands for the user. */
export interface RequestText {
  readonly place: string;
  readonly text: string;
}

/** Members that hold no text: kinds, ids, media, and what only its provider can read. */
const notTexts =
  /^(?:role|type|id|toolCallId|mediaType|format|data|title|index|signature|thought_?signature|encrypted_?content)$/i;

/** Deeper than any schema. */
const maxDepth = 60;

/** Every text that goes out with a request: messages with their parts and tool calls, the system prompt, parameters and schemas. */
export function requestTexts({ messages, parameters }: CompletionRequest): readonly RequestText[] {
  const texts: RequestText[] = [];
  const read = (value: unknown, place: string): void => {
    mapTexts(value, (text) => {
      if (text !== "") texts.push({ place, text });
      return text;
    });
  };
  for (const message of messages) read(message, placeOf(message));
  read(parameters, t("the request parameters"));
  return texts;
}

/** The request with each of these texts as `change` gives it back. */
export function changeRequestTexts(
  request: CompletionRequest,
  change: (text: string) => string,
): CompletionRequest {
  const { messages, parameters } = request;
  return {
    ...request,
    messages: messages.map((message) => mapTexts(message, change)),
    ...(parameters === undefined ? {} : { parameters: mapTexts(parameters, change) }),
  };
}

function placeOf({ role }: CompletionMessage): string {
  if (role === "system") return t("the system prompt");
  return role === "tool" ? t("the result of a tool") : t("an earlier message");
}

/** A copy of the value with its texts changed, its structure and its type the same. */
function mapTexts<Value>(value: Value, change: (text: string) => string, depth?: number): Value;
function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return change(value);
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === "string" && notTexts.test(name) ? inner : mapTexts(inner, change, depth + 1),
    ]),
  );
}
