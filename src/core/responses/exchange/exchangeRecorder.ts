import type {
  CompletionEvent,
  ExchangeObserver,
  Usage,
  ConnectionFacts,
  ExchangeOutcome,
  ResponseHead,
  SentRequest,
} from "../../conversation/completion.ts";
import type { RequestPurpose } from "../../conversation/requestPurpose.ts";
import type { ErrorFacts } from "../../kernel/errors.ts";
import { ServiceError } from "../../kernel/errors.ts";
import type { Attempt, AttemptFailure, Exchange } from "./exchange.ts";
import { StreamCounter } from "./exchange.ts";
import { filledFields } from "../../kernel/filledFields.ts";

interface RecorderContext {
  readonly model: string;
  readonly purpose: RequestPurpose;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Monotonic milliseconds with fractions. */
  monotonic(): number;
  /** Called once, with the first event to report. */
  onBegun(): void;
  /** Called once, at the end of an exchange that had started. */
  onRecorded(exchange: Exchange): void;
}

interface OpenAttempt {
  readonly request: SentRequest;
  readonly startMs: number;
  connection?: ConnectionFacts;
  connectedMs?: number;
  sentMs?: number;
  headMs?: number;
  response?: ResponseHead;
  stream?: StreamCounter;
  failure?: AttemptFailure;
}

/** Records one exchange while it happens. */
export class ExchangeRecorder implements ExchangeObserver {
  readonly #context: RecorderContext;
  readonly #beganAt: number;
  readonly #attempts: OpenAttempt[] = [];
  #open: OpenAttempt | undefined;
  #stream: StreamCounter | undefined;
  #usage: Usage | undefined;
  #finishReason: string | undefined;
  #error: ErrorFacts | undefined;
  #hasBegun = false;
  #isOver = false;

  constructor(context: RecorderContext) {
    this.#context = context;
    this.#beganAt = context.monotonic();
  }

  /** What is known so far, because an exchange may be read while it is in progress. */
  get exchange(): Exchange {
    return this.#freeze("streaming");
  }

  onRequest(request: SentRequest): void {
    this.#begin();
    // Attempts nearly always send the same body, so one text in memory is enough for all.
    const body = this.#attempts.find((attempt) => attempt.request.body === request.body)?.request.body;
    this.#open = { request: { ...request, body: body ?? request.body }, startMs: this.#now() };
    this.#stream = undefined;
    this.#attempts.push(this.#open);
  }

  onConnection(facts: ConnectionFacts): void {
    if (this.#open !== undefined) this.#open.connection = facts;
  }

  onConnected(): void {
    if (this.#open === undefined) return;
    this.#open.connectedMs = this.#now();
    // A reused connection may have been closed by the server in the meantime.
    this.#open.connection = { ...this.#open.connection, isReused: false };
  }

  onSent(): void {
    if (this.#open !== undefined) this.#open.sentMs = this.#now();
  }

  onHead(head: ResponseHead): void {
    if (this.#open === undefined) return;
    this.#open.headMs = this.#now();
    this.#open.response = head;
  }

  onBytes(count: number): void {
    if (this.#open === undefined || this.#isOver) return;
    const now = this.#now();
    this.#stream ??= this.#open.stream = new StreamCounter(now);
    this.#stream.addBytes(count, now);
  }

  onEvent(event: CompletionEvent): void {
    switch (event.type) {
      case "text":
      case "reasoning":
      case "toolCall":
        return this.#stream?.addDelta(event.type);
      case "reasoningEnd":
      case "providerFields":
      case "sources":
      case "settling":
        return;
      case "usage":
        this.#usage = event.usage;
        return;
      case "finish":
        this.#finishReason = event.reason ?? undefined;
        return;
    }
  }

  onFailure(error: unknown, waitMs?: number): void {
    if (this.#isOver) return;
    this.#begin();
    const facts = factsOf(error);
    if (this.#open === undefined) this.#error = facts;
    else this.#open.failure = filledFields({ atMs: this.#now(), error: facts, waitMs });
  }

  onEnd(outcome: ExchangeOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#hasBegun) this.#context.onRecorded(this.#freeze(outcome));
  }

  #freeze(outcome: ExchangeOutcome): Exchange {
    const { startedAt, model, purpose } = this.#context;
    return filledFields({
      ...{ outcome, startedAt, model, purpose },
      attempts: this.#attempts.map(closeAttempt),
      endMs: this.#now(),
      ...{ finishReason: this.#finishReason, usage: this.#usage, error: this.#error },
    });
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#context.onBegun();
  }

  #now(): number {
    return this.#context.monotonic() - this.#beganAt;
  }
}

function closeAttempt({ stream, ...attempt }: OpenAttempt): Attempt {
  return filledFields({ ...attempt, stream: stream?.tally() });
}

/** No part of an unknown error is kept, because it may contain anything. */
function factsOf(error: unknown): ErrorFacts {
  return error instanceof ServiceError
    ? error.facts
    : { reason: "malformed", message: "An error in the extension; see the log." };
}
