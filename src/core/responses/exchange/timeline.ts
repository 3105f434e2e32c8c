import type { Attempt, Exchange } from "./exchange.ts";

/** One moment of an exchange. */
export interface TimelineEntry {
  /** Milliseconds since the begin. */
  readonly ms: number;
  readonly event: string;
  /** The attempt that it belongs to, from 1 on, where there are several. */
  readonly attempt?: number;
  /** A number, such as a status or a wait, or a word that tells more. */
  readonly detail?: string | number;
}

/** Everything that happened, in the order of time. */
export function timelineOf(exchange: Exchange): readonly TimelineEntry[] {
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
  // Stable: what has the same time stays in the order above.
  return entries.filter((entry) => entry !== undefined).toSorted((a, b) => a.ms - b.ms);
}

function moment(event: string, ms: number | undefined, detail?: string | number): TimelineEntry | undefined {
  if (ms === undefined) return undefined;
  return detail === undefined ? { ms, event } : { ms, event, detail };
}
