import { t } from "@vscode/l10n";
import { defaultPurpose, purposeLabel } from "../../conversation/requestPurpose.ts";
import { tokensPerSecond } from "../usage/responseFacts.ts";
import type { Attempt, Exchange } from "./exchange.ts";
import { elideMedia, jsonText, oneLine } from "./jsonText.ts";
import { formatDate, formatNumber } from "../../kernel/formatTime.ts";

/**
 * The exchanges of one response (several if it was continued, the latest last) as a document of JSON with comments: the
 * latest first, each with a summary in words.
 */
export function exchangeDocument(exchanges: readonly Exchange[]): string {
  const parts = exchanges.toReversed().map((exchange) => exchangeText(exchange));
  if (parts.length === 1) return `${parts[0] ?? ""}\n`;
  return `[\n${parts.join(",\n")}\n]\n`;
}

function exchangeText(exchange: Exchange): string {
  const head = summary(exchange).map((line) => `// ${oneLine(line)}`);
  return [...head, jsonText(exchangeValue(exchange))].join("\n");
}

/** The most important facts, in words. */
function summary(exchange: Exchange): readonly string[] {
  const { model, purpose, startedAt, attempts, error } = exchange;
  const last = attempts.at(-1);
  const when = formatDate(startedAt);
  return [
    t("Request to {0}, {1}", model, when),
    ...(purpose === defaultPurpose ? [] : [t("Purpose: {0}", purposeLabel(purpose))]),
    last === undefined
      ? t("Nothing was sent: {0}", error?.message ?? "")
      : `${last.request.method} ${last.request.url}`,
    outcomeLine(exchange),
    t(
      "Credentials are replaced with [redacted], and images and audio with their size. Times are in milliseconds.",
    ),
  ];
}

function outcomeLine({ attempts, outcome, endMs, usage }: Exchange): string {
  const { response, stream } = attempts.at(-1) ?? {};
  const rate = tokensPerSecond(usage?.completionTokens, stream?.firstDeltaMs, stream?.lastByteMs);
  const ms = (value: number): string => formatNumber(Math.round(value));
  const parts = [
    response === undefined ? undefined : t("status {0}", String(response.statusCode)),
    response?.requestId === undefined ? undefined : t("request ID {0}", response.requestId),
    attempts.length > 1 ? t("{0} attempts", String(attempts.length)) : undefined,
    stream?.firstDeltaMs === undefined ? undefined : t("first token after {0} ms", ms(stream.firstDeltaMs)),
    rate === undefined ? undefined : t("{0} tokens per second", formatNumber(rounded(rate))),
    outcomeLabel(outcome, ms(endMs)),
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

function outcomeLabel(outcome: Exchange["outcome"], ms: string): string {
  switch (outcome) {
    case "streaming":
      return t("running for {0} ms", ms);
    case "complete":
      return t("complete after {0} ms", ms);
    case "stopped":
      return t("stopped after {0} ms", ms);
    case "failed":
      return t("failed after {0} ms", ms);
  }
}

function exchangeValue(exchange: Exchange): unknown {
  const { attempts, usage, finishReason, error } = exchange;
  const last = attempts.at(-1);
  const earlier = attempts.slice(0, -1);
  return {
    request: last === undefined ? undefined : requestValue(last, undefined),
    connection: last?.connection,
    response: last?.response,
    failure: last?.failure === undefined ? error : last.failure.error,
    finishReason,
    usage,
    timeline: timelineOf(exchange).map(({ ms, ...entry }) => ({ ms: rounded(ms), ...entry })),
    stream: last === undefined ? undefined : streamValue(last),
    earlierAttempts: earlier.length === 0 ? undefined : earlier.map((attempt) => attemptValue(attempt, last)),
  };
}

/** A body that is identical to that of `other` is not shown again. */
function requestValue({ request }: Attempt, other: Attempt | undefined): unknown {
  const { method, url, headers, body } = request;
  return { method, url, headers, body: body === other?.request.body ? undefined : bodyValue(body) };
}

function bodyValue(body: string): unknown {
  try {
    return elideMedia(JSON.parse(body)).value;
  } catch {
    return body;
  }
}

function attemptValue(attempt: Attempt, last: Attempt | undefined): unknown {
  const { connection, response, failure } = attempt;
  return {
    request: requestValue(attempt, last),
    connection,
    response,
    failure: failure?.error,
    waitMs: failure?.waitMs,
    stream: streamValue(attempt),
  };
}

function streamValue({ stream }: Attempt): unknown {
  if (stream === undefined) return undefined;
  const { bytes, chunks, textDeltas, reasoningDeltas, toolCallDeltas } = stream;
  return {
    bytes,
    chunks,
    textDeltas,
    reasoningDeltas: reasoningDeltas === 0 ? undefined : reasoningDeltas,
    toolCallDeltas: toolCallDeltas === 0 ? undefined : toolCallDeltas,
  };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** One event of an exchange. */
interface TimelineEntry {
  /** Milliseconds since the start. */
  readonly ms: number;
  readonly event: string;
  /** The attempt that it belongs to, counted from 1, if there are several. */
  readonly attempt?: number;
  /** A number, such as a status or a wait, or a word with more information. */
  readonly detail?: string | number;
}

/** Everything that happened, in chronological order. */
function timelineOf(exchange: Exchange): readonly TimelineEntry[] {
  const { attempts, endMs, outcome } = exchange;
  const entries = attempts.flatMap((attempt, index) => {
    const own = attemptEntries(attempt);
    return attempts.length === 1 ? own : own.map((entry) => ({ ...entry, attempt: index + 1 }));
  });
  return [...entries, { ms: endMs, event: "end", detail: outcome }];
}

function attemptEntries(attempt: Attempt): readonly TimelineEntry[] {
  const { startMs, connection, connectedMs, sentMs, headMs, response, stream, failure } = attempt;
  const entries: readonly (TimelineEntry | undefined)[] = [
    { ms: startMs, event: "begin" },
    connection?.isReused === true ? { ms: startMs, event: "connectionReused" } : undefined,
    moment("connected", connectedMs, connection?.proxy === undefined ? undefined : `via ${connection.proxy}`),
    moment("sent", sentMs),
    moment("head", headMs, response?.statusCode),
    moment("firstByte", stream?.firstByteMs),
    moment("firstDelta", stream?.firstDeltaMs),
    moment("firstText", stream?.firstTextMs),
    ...(stream?.gaps ?? []).map(({ atMs, lastedMs }) => ({
      ms: atMs,
      event: "silence",
      detail: `${Math.round(lastedMs)} ms`,
    })),
    moment("lastByte", stream?.lastByteMs),
    moment("failure", failure?.atMs, failure?.error.reason),
    failure?.waitMs === undefined || failure.waitMs === 0
      ? undefined
      : { ms: failure.atMs, event: "wait", detail: `${failure.waitMs} ms` },
  ];
  // Stable: entries with the same time keep their order.
  return entries.filter((entry) => entry !== undefined).toSorted((a, b) => a.ms - b.ms);
}

function moment(event: string, ms: number | undefined, detail?: string | number): TimelineEntry | undefined {
  if (ms === undefined) return undefined;
  return detail === undefined ? { ms, event } : { ms, event, detail };
}
