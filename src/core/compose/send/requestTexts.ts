import { t } from "@vscode/l10n";
import type { CompletionMessage, CompletionRequest } from "../../conversation/completion.ts";
import { isRecord } from "../../kernel/json.ts";

/** One text of a request, and where the user finds it. */
interface RequestText {
  readonly location: string;
  readonly text: string;
}

/** Fields that contain no text: kinds, IDs, media, and data that only the provider can read. */
const nonTextFields =
  /^(?:role|type|id|toolCallId|mediaType|format|data|title|index|signature|thought_?signature|encrypted_?content)$/i;

/** Deeper than any schema is nested. */
const maxDepth = 60;

/**
 * Every text that is sent with a request: messages with their parts and tool calls, the system prompt, parameters and
 * schemas.
 */
export function requestTexts(
  { messages, parameters }: CompletionRequest,
  messagePlace = t("an earlier message"),
): readonly RequestText[] {
  const texts: RequestText[] = [];
  const read = (value: unknown, location: string): void => {
    mapTexts(value, (text) => {
      if (text !== "") texts.push({ location, text });
      return text;
    });
  };
  for (const message of messages) read(message, placeOf(message, messagePlace));
  read(parameters, t("the request parameters"));
  return texts;
}

/** The request with each of these texts replaced by the result of `change`. */
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

function placeOf({ role }: CompletionMessage, messagePlace: string): string {
  if (role === "system") return t("the system prompt");
  return role === "tool" ? t("a tool result") : messagePlace;
}

/** A copy of the value with its texts changed; its structure and type stay the same. */
function mapTexts<Value>(value: Value, change: (text: string) => string, depth?: number): Value;
function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return change(value);
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === "string" && nonTextFields.test(name) ? inner : mapTexts(inner, change, depth + 1),
    ]),
  );
}
