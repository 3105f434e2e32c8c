import type {
  ConnectionFacts,
  ExchangeOutcome,
  ResponseHead,
  SentRequest,
  Usage,
} from "../../conversation/completion.ts";
import type { RequestPurpose } from "../../conversation/requestPurpose.ts";
import type { ErrorFacts } from "../../kernel/errors.ts";

/** A period without data. Milliseconds since the start of the exchange, and the duration. */
interface StreamGap {
  readonly atMs: number;
  readonly lastedMs: number;
}

/** The stream of a response in numbers. Times are in milliseconds since the start of the exchange. */
interface StreamTally {
  readonly firstByteMs: number;
  readonly lastByteMs: number;
  /** The first text, reasoning or tool call. */
  readonly firstDeltaMs?: number;
  readonly firstTextMs?: number;
  readonly bytes: number;
  /** Chunks in which the bytes arrived. */
  readonly chunks: number;
  readonly textDeltas: number;
  readonly reasoningDeltas: number;
  readonly toolCallDeltas: number;
  /** Gaps of more than a second in chronological order; if there are many, only the longest. */
  readonly gaps: readonly StreamGap[];
}

const shortestGapMs = 1_000;
const maxGaps = 50;

/** Counts a stream as it arrives, using constant memory. */
export class StreamCounter {
  readonly #tally: { -readonly [Name in keyof StreamTally]: StreamTally[Name] };

  constructor(firstByteMs: number) {
    this.#tally = {
      ...{ firstByteMs, lastByteMs: firstByteMs, bytes: 0, chunks: 0 },
      ...{ textDeltas: 0, reasoningDeltas: 0, toolCallDeltas: 0, gaps: [] },
    };
  }

  /** Counts a chunk. Times are in milliseconds since the start of the exchange. */
  addBytes(count: number, nowMs: number): void {
    const tally = this.#tally;
    if (nowMs - tally.lastByteMs > shortestGapMs) this.#addGap(nowMs);
    tally.lastByteMs = nowMs;
    tally.bytes += count;
    tally.chunks++;
  }

  /** Counts a delta, which belongs to the bytes that were counted last. */
  addDelta(type: "text" | "reasoning" | "toolCall"): void {
    const tally = this.#tally;
    tally.firstDeltaMs ??= tally.lastByteMs;
    if (type === "text") tally.firstTextMs ??= tally.lastByteMs;
    tally[`${type}Deltas`]++;
  }

  /** What has been counted so far. */
  tally(): StreamTally {
    return { ...this.#tally, gaps: this.#tally.gaps.toSorted((a, b) => a.atMs - b.atMs) };
  }

  #addGap(nowMs: number): void {
    const { lastByteMs, gaps } = this.#tally;
    const all = [...gaps, { atMs: lastByteMs, lastedMs: nowMs - lastByteMs }];
    this.#tally.gaps =
      all.length <= maxGaps ? all : all.toSorted((a, b) => b.lastedMs - a.lastedMs).slice(0, maxGaps);
  }
}

/** One request with its response. Times are in milliseconds since the start of the exchange. */
export interface Attempt {
  readonly request: SentRequest;
  readonly startMs: number;
  readonly connection?: ConnectionFacts;
  readonly connectedMs?: number;
  readonly sentMs?: number;
  readonly headMs?: number;
  readonly response?: ResponseHead;
  readonly stream?: StreamTally;
  readonly failure?: AttemptFailure;
}

/** How an attempt failed, in milliseconds since the start of the exchange. */
export interface AttemptFailure {
  readonly atMs: number;
  readonly error: ErrorFacts;
  /** How long to wait before the next attempt, if there was one. */
  readonly waitMs?: number;
}

/** The history of a response: every request for it, and how it ended. Plain data without secrets. */
export interface Exchange {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly model: string;
  readonly purpose: RequestPurpose;
  readonly attempts: readonly Attempt[];
  readonly outcome: ExchangeOutcome;
  /** Milliseconds since the start. */
  readonly endMs: number;
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** Why nothing could be sent at all. */
  readonly error?: ErrorFacts;
}
