import type { Usage } from "../completion.ts";
import type { ErrorFacts } from "../errors.ts";
import type { StreamTally } from "./streamTally.ts";

/** Header names in lower case with their values; what carries a credential is redacted. */
export type Headers = Readonly<Record<string, string>>;

/** A request as it was put on the wire, without what must stay secret. */
export interface SentRequest {
  readonly method: string;
  /** Without user info; query values that carry credentials are replaced. */
  readonly url: string;
  readonly headers: Headers;
  /** The JSON text exactly as sent. */
  readonly body: string;
}

/** The head of an answer. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Headers;
  readonly requestId?: string;
}

/** Over which connection a request went. */
export interface ConnectionFacts {
  /** Whether the connection was there already, from an earlier request. */
  readonly isReused: boolean;
  /** Origin of the proxy, where there is one. */
  readonly proxy?: string;
}

/** One request with what came back. Times are in milliseconds since the begin of the exchange. */
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

export interface AttemptFailure {
  readonly atMs: number;
  readonly error: ErrorFacts;
  /** How long the next attempt was to wait, where there was one. */
  readonly waitMs?: number;
}

/** `streaming`: it was looked at while it went on. */
export type ExchangeOutcome = "streaming" | "complete" | "stopped" | "failed";

/** How an answer came about: every request for it, and how it ended. Plain data without secrets. */
export interface Exchange {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly model: string;
  readonly attempts: readonly Attempt[];
  readonly outcome: ExchangeOutcome;
  /** Milliseconds since the begin. */
  readonly endMs: number;
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** Why nothing could be sent at all. */
  readonly error?: ErrorFacts;
}
