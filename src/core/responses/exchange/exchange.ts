import type {
  ConnectionFacts,
  ExchangeOutcome,
  ResponseHead,
  SentRequest,
  Usage,
} from "../../conversation/completion.ts";
import type { RequestPurpose } from "../../conversation/requestPurpose.ts";
import type { ErrorFacts } from "../../kernel/errors.ts";
/** The amount of a response that was received in one interval. */
interface StreamInterval {
  readonly bytes: number;
  readonly deltas: number;
  /** UTF-16 units of text and reasoning. */
  readonly characters: number;
}

/** A period without data. Milliseconds since the start of the exchange, and the duration. */
interface StreamGap {
  readonly atMs: number;
  readonly lastedMs: number;
}

/** The stream of a response in numbers. Times are in milliseconds since the start of the exchange. */
export interface StreamTally {
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
  /** Intervals starting with the first byte, each `intervalMs` long. */
  readonly intervalMs: number;
  readonly intervals: readonly StreamInterval[];
  /** Gaps of more than a second in chronological order; if there are many, only the longest. */
  readonly gaps: readonly StreamGap[];
}

const firstIntervalMs = 100;
const maxIntervals = 40;
const shortestGapMs = 1_000;
const maxGaps = 50;

interface OpenInterval {
  bytes: number;
  deltas: number;
  characters: number;
}

/**
 * Counts a stream as it arrives, using constant memory: when there are too many intervals, pairs of them are merged.
 */
export class StreamCounter {
  readonly #firstByteMs: number;
  #nowMs: number;
  #firstDeltaMs: number | undefined;
  #firstTextMs: number | undefined;
  #bytes = 0;
  #chunks = 0;
  #textDeltas = 0;
  #reasoningDeltas = 0;
  #toolCallDeltas = 0;
  #intervalMs = firstIntervalMs;
  #intervals: OpenInterval[] = [];
  #gaps: StreamGap[] = [];
  #current: OpenInterval;

  constructor(firstByteMs: number) {
    this.#firstByteMs = firstByteMs;
    this.#nowMs = firstByteMs;
    this.#current = this.#intervalAt(firstByteMs);
  }

  /** Counts a chunk. Times are in milliseconds since the start of the exchange. */
  addBytes(count: number, nowMs: number): void {
    if (nowMs - this.#nowMs > shortestGapMs) this.#addGap(nowMs);
    this.#nowMs = nowMs;
    this.#bytes += count;
    this.#chunks++;
    this.#current = this.#intervalAt(nowMs);
    this.#current.bytes += count;
  }

  /** Counts a delta of the text, whose length is in UTF-16 units. It belongs to the bytes that were counted last. */
  addText(length: number): void {
    this.#firstTextMs ??= this.#nowMs;
    this.#textDeltas++;
    this.#addDelta(length);
  }

  /** Counts a delta of the reasoning, whose length is in UTF-16 units. */
  addReasoning(length: number): void {
    this.#reasoningDeltas++;
    this.#addDelta(length);
  }

  /** Counts a fragment of a tool call. */
  addToolCall(): void {
    this.#toolCallDeltas++;
    this.#addDelta(0);
  }

  /** What has been counted so far. */
  tally(): StreamTally {
    return {
      firstByteMs: this.#firstByteMs,
      lastByteMs: this.#nowMs,
      ...(this.#firstDeltaMs === undefined ? {} : { firstDeltaMs: this.#firstDeltaMs }),
      ...(this.#firstTextMs === undefined ? {} : { firstTextMs: this.#firstTextMs }),
      bytes: this.#bytes,
      chunks: this.#chunks,
      textDeltas: this.#textDeltas,
      reasoningDeltas: this.#reasoningDeltas,
      toolCallDeltas: this.#toolCallDeltas,
      intervalMs: this.#intervalMs,
      intervals: this.#intervals.map((interval) => ({ ...interval })),
      gaps: this.#gaps.toSorted((a, b) => a.atMs - b.atMs),
    };
  }

  #addDelta(length: number): void {
    this.#firstDeltaMs ??= this.#nowMs;
    this.#current.deltas++;
    this.#current.characters += length;
  }

  #intervalAt(nowMs: number): OpenInterval {
    const sinceMs = nowMs - this.#firstByteMs;
    while (Math.floor(sinceMs / this.#intervalMs) >= maxIntervals) this.#halve();
    const index = Math.floor(sinceMs / this.#intervalMs);
    while (this.#intervals.length <= index) this.#intervals.push({ bytes: 0, deltas: 0, characters: 0 });
    return this.#intervals[index] ?? this.#current;
  }

  #halve(): void {
    const halved: OpenInterval[] = [];
    for (const [index, interval] of this.#intervals.entries()) {
      const left = halved[index >> 1];
      if (left === undefined) halved.push(interval);
      else addUp(left, interval);
    }
    this.#intervals = halved;
    this.#intervalMs *= 2;
  }

  #addGap(nowMs: number): void {
    this.#gaps.push({ atMs: this.#nowMs, lastedMs: nowMs - this.#nowMs });
    if (this.#gaps.length <= maxGaps) return;
    this.#gaps = this.#gaps.toSorted((a, b) => b.lastedMs - a.lastedMs).slice(0, maxGaps);
  }
}

function addUp(sum: OpenInterval, more: OpenInterval): void {
  sum.bytes += more.bytes;
  sum.deltas += more.deltas;
  sum.characters += more.characters;
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
