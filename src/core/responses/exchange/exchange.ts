import type { Usage } from "../../conversation/completion.ts";
import type { RequestPurpose } from "../../conversation/requestPurpose.ts";
import type { ErrorFacts } from "../../kernel/errors.ts";
import type { StreamTally } from "./streamTally.ts";
import type {
  ConnectionFacts,
  ExchangeOutcome,
  ResponseHead,
  SentRequest,
} from "../../conversation/wireFacts.ts";

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
