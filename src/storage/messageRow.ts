import type { ContentPart, Role, ToolCall, Usage } from "../core/completion.ts";
import type { Message, MessageStatus } from "../core/conversation.ts";
import type { ErrorFacts, ErrorReason } from "../core/errors.ts";
import { isRecord, numberField, stringField } from "../core/json.ts";

/** What a message's row keeps as JSON: small, and never searched. */
export function writeDetails(message: Message): string {
  const { toolCalls, model, usage, finishReason, error } = message;
  return JSON.stringify({ toolCalls, model, usage, finishReason, error });
}

type Row = Readonly<Record<string, unknown>>;

/** Reads a row as far as it can be read: a broken column must not hide what the others say. */
export function parseMessageRow(row: Row, attachments: readonly ContentPart[]): Message {
  const details = parseDetails(row["details"]);
  return {
    id: textOf(row["id"]),
    role: parseRole(row["role"]),
    status: parseStatus(row["status"]),
    createdAt: typeof row["created_at"] === "number" ? row["created_at"] : 0,
    text: textOf(row["text"]),
    attachments,
    reasoning: textOf(row["reasoning"]),
    ...details,
  };
}

type Details = Pick<Message, "toolCalls" | "model" | "usage" | "finishReason" | "error">;

function parseDetails(column: unknown): Details {
  const value = parseJson(column);
  if (!isRecord(value)) return { toolCalls: [] };
  const { model, finishReason } = {
    model: stringField(value, "model"),
    finishReason: stringField(value, "finishReason"),
  };
  const usage = parseUsage(value["usage"]);
  const error = parseError(value["error"]);
  return {
    toolCalls: Array.isArray(value["toolCalls"]) ? value["toolCalls"].flatMap(parseToolCall) : [],
    ...(model === undefined ? {} : { model }),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(usage === undefined ? {} : { usage }),
    ...(error === undefined ? {} : { error }),
  };
}

function parseToolCall(value: unknown): readonly ToolCall[] {
  if (!isRecord(value)) return [];
  const { id, name, arguments: argumentText } = value;
  return typeof id === "string" && typeof name === "string" && typeof argumentText === "string"
    ? [{ id, name, arguments: argumentText }]
    : [];
}

const usageFields = [
  "promptTokens",
  "completionTokens",
  "totalTokens",
  "cachedTokens",
  "reasoningTokens",
] as const;

function parseUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(
    usageFields.flatMap((name) => {
      const count = numberField(value, name);
      return count === undefined ? [] : [[name, count]];
    }),
  );
}

function parseError(value: unknown): ErrorFacts | undefined {
  if (!isRecord(value)) return undefined;
  const reason = stringField(value, "reason");
  const message = stringField(value, "message");
  if (reason === undefined || message === undefined) return undefined;
  const texts = ["code", "serverMessage", "requestId", "request"] as const;
  const numbers = ["statusCode", "retryAfterMs"] as const;
  return {
    reason: isErrorReason(reason) ? reason : "service",
    message,
    ...Object.fromEntries(
      texts.flatMap((name) => {
        const text = stringField(value, name);
        return text === undefined ? [] : [[name, text]];
      }),
    ),
    ...Object.fromEntries(
      numbers.flatMap((name) => {
        const count = numberField(value, name);
        return count === undefined ? [] : [[name, count]];
      }),
    ),
  };
}

const errorReasons: Readonly<Record<ErrorReason, true>> = {
  unreachable: true,
  tls: true,
  proxy: true,
  timeout: true,
  insecure: true,
  redirected: true,
  apiKey: true,
  sessionToken: true,
  stsToken: true,
  authenticationType: true,
  signature: true,
  forbidden: true,
  payment: true,
  rateLimit: true,
  notFound: true,
  badRequest: true,
  unavailable: true,
  service: true,
  truncated: true,
  malformed: true,
  missingCredential: true,
  configuration: true,
};

function isErrorReason(text: string): text is ErrorReason {
  return Object.hasOwn(errorReasons, text);
}

/** Reads a stored attachment; undefined when it can't be understood. */
export function parseAttachment(column: unknown): ContentPart | undefined {
  const value = parseJson(column);
  if (!isRecord(value)) return undefined;
  const data = stringField(value, "data");
  const mediaType = stringField(value, "mediaType");
  const format = value["format"];
  if (value["type"] === "image" && data !== undefined && mediaType !== undefined) {
    return { type: "image", mediaType, data };
  }
  if (value["type"] === "audio" && data !== undefined && (format === "wav" || format === "mp3")) {
    return { type: "audio", format, data };
  }
  return undefined;
}

function parseRole(value: unknown): Role {
  return value === "system" || value === "assistant" || value === "tool" ? value : "user";
}

function parseStatus(value: unknown): MessageStatus {
  return value === "streaming" || value === "stopped" || value === "failed" ? value : "complete";
}

function parseJson(value: unknown): unknown {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
