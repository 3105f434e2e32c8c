import type { CompletionEvent } from "../completion.ts";
import type { ConnectionFacts, ExchangeOutcome, ResponseHead, SentRequest } from "./exchange.ts";

/**
 * What the wire tells of one completion, in the order in which it happens; each call is made at the moment that it tells
 * of. Nothing that is told carries a credential.
 */
export interface ExchangeObserver {
  /** A request is about to be sent; for each attempt anew. */
  onRequest(request: SentRequest): void;
  onConnection(facts: ConnectionFacts): void;
  /** The socket is open, with its proxy and TLS behind it. Not told of a connection that is reused. */
  onConnected(): void;
  /** The request is being written. */
  onSent(): void;
  onHead(head: ResponseHead): void;
  /** Some bytes of the body have come; the events that follow are made of them. */
  onBytes(count: number): void;
  onEvent(event: CompletionEvent): void;
  /** The attempt has failed. `waitMs` is absent where there is no further one. */
  onFailure(error: unknown, waitMs?: number): void;
  /** Nothing follows. */
  onEnd(outcome: ExchangeOutcome): void;
}
