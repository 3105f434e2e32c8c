import * as v from "valibot";
import type { Exchange } from "./exchange.ts";
import { parsePurpose } from "../../conversation/requestPurpose.ts";
import { parseError, parseStoredUsage } from "../../conversation/messageDetails.ts";

const { array, boolean, exactOptional, nonOptional, number, object, picklist, pipe, record, string } = v;
const { transform, unknown } = v;

function readBy<Value>(parse: (value: unknown) => Value | undefined) {
  return nonOptional(pipe(unknown(), transform(parse)));
}

const ms = exactOptional(number());
const headers = record(string(), string());
const error = readBy(parseError);

const attempt = object({
  request: object({ method: string(), url: string(), headers, body: string() }),
  ...{ startMs: number(), connectedMs: ms, sentMs: ms, headMs: ms },
  connection: exactOptional(object({ isReused: boolean(), proxy: exactOptional(string()) })),
  response: exactOptional(object({ statusCode: number(), headers, requestId: exactOptional(string()) })),
  stream: exactOptional(
    object({
      ...{ firstByteMs: number(), lastByteMs: number(), firstDeltaMs: ms, firstTextMs: ms },
      ...{ bytes: number(), chunks: number() },
      ...{ textDeltas: number(), reasoningDeltas: number(), toolCallDeltas: number() },
      gaps: array(object({ atMs: number(), lastedMs: number() })),
    }),
  ),
  failure: exactOptional(object({ atMs: number(), error, waitMs: ms })),
});

const exchange = object({
  ...{ startedAt: number(), endMs: number(), model: string() },
  purpose: readBy(parsePurpose),
  outcome: picklist(["streaming", "complete", "stopped", "failed"]),
  attempts: array(attempt),
  finishReason: exactOptional(string()),
  usage: exactOptional(readBy(parseStoredUsage)),
  error: exactOptional(error),
});

/** Parses a stored exchange. Empty if it is damaged. */
export function parseExchange(value: unknown): readonly Exchange[] {
  const parsed = v.safeParse(exchange, value);
  return parsed.success ? [parsed.output] : [];
}
