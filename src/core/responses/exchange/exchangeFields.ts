import type { Attempt, Exchange, StreamTally } from "./exchange.ts";
import type { ExchangeOutcome, Headers, ResponseHead, SentRequest } from "../../conversation/completion.ts";
import { isRecord, numberField, recordsIn, stringField } from "../../kernel/json.ts";
import { parsePurpose } from "../../conversation/requestPurpose.ts";
import { parseError, parseStoredUsage, pickFields } from "../../conversation/messageDetails.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Parses a stored exchange as far as it is readable. Empty if it is damaged. */
export function parseExchange(value: unknown): readonly Exchange[] {
  if (!isRecord(value)) return [];
  const startedAt = numberField(value, "startedAt");
  const endMs = numberField(value, "endMs");
  const model = stringField(value, "model");
  const outcome = outcomes.find((known) => known === value["outcome"]);
  const purpose = parsePurpose(value["purpose"]);
  const { attempts } = value;
  if (startedAt === undefined || endMs === undefined || model === undefined) return [];
  if (outcome === undefined || purpose === undefined) return [];
  const finishReason = stringField(value, "finishReason");
  const usage = parseStoredUsage(value["usage"]);
  const error = parseError(value["error"]);
  return [
    {
      startedAt,
      model,
      purpose,
      outcome,
      endMs,
      attempts: Array.isArray(attempts) ? attempts.flatMap(parseAttempt) : [],
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(usage === undefined ? {} : { usage }),
      ...(error === undefined ? {} : { error }),
    },
  ];
}

const outcomes: readonly ExchangeOutcome[] = ["streaming", "complete", "stopped", "failed"];

function parseAttempt(value: unknown): readonly Attempt[] {
  if (!isRecord(value)) return [];
  const request = parseRequest(value["request"]);
  const startMs = numberField(value, "startMs");
  if (request === undefined || startMs === undefined) return [];
  const { connection, failure } = value;
  const response = parseHead(value["response"]);
  const stream = parseStream(value["stream"]);
  const error = isRecord(failure) ? parseError(failure["error"]) : undefined;
  return [
    {
      request,
      startMs,
      ...numbers(value, ["connectedMs", "sentMs", "headMs"]),
      ...(isRecord(connection)
        ? { connection: { isReused: connection["isReused"] === true, ...strings(connection, ["proxy"]) } }
        : {}),
      ...(response === undefined ? {} : { response }),
      ...(stream === undefined ? {} : { stream }),
      ...(error === undefined || !isRecord(failure)
        ? {}
        : {
            failure: {
              atMs: numberField(failure, "atMs") ?? startMs,
              error,
              ...numbers(failure, ["waitMs"]),
            },
          }),
    },
  ];
}

function parseRequest(value: unknown): SentRequest | undefined {
  if (!isRecord(value)) return undefined;
  const method = stringField(value, "method");
  const url = stringField(value, "url");
  const body = stringField(value, "body");
  if (method === undefined || url === undefined || body === undefined) return undefined;
  return { method, url, body, headers: parseHeaders(value["headers"]) };
}

function parseHead(value: unknown): ResponseHead | undefined {
  const statusCode = isRecord(value) ? numberField(value, "statusCode") : undefined;
  if (!isRecord(value) || statusCode === undefined) return undefined;
  return { statusCode, headers: parseHeaders(value["headers"]), ...strings(value, ["requestId"]) };
}

function parseHeaders(value: unknown): Headers {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]) =>
      typeof text === "string" ? [[name, text] as const] : [],
    ),
  );
}

function parseStream(value: unknown): StreamTally | undefined {
  if (!isRecord(value)) return undefined;
  const count = (name: string): number => numberField(value, name) ?? 0;
  return {
    firstByteMs: count("firstByteMs"),
    lastByteMs: count("lastByteMs"),
    ...numbers(value, ["firstDeltaMs", "firstTextMs"]),
    bytes: count("bytes"),
    chunks: count("chunks"),
    textDeltas: count("textDeltas"),
    reasoningDeltas: count("reasoningDeltas"),
    toolCallDeltas: count("toolCallDeltas"),
    gaps: recordsIn(value["gaps"]).map((gap) => ({
      atMs: numberField(gap, "atMs") ?? 0,
      lastedMs: numberField(gap, "lastedMs") ?? 0,
    })),
  };
}

function numbers<Name extends string>(record: Fields, names: readonly Name[]): { [name in Name]?: number } {
  return pickFields(record, names, numberField);
}

function strings<Name extends string>(record: Fields, names: readonly Name[]): { [name in Name]?: string } {
  return pickFields(record, names, stringField);
}
