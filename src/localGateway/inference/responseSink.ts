import type { ResponsePiece } from "./responsePiece.ts";

/** Where an answer goes while it is made: into a stream of events, or into one JSON reply. */
export interface ResponseSink {
  write(piece: ResponsePiece): void;
  /** A sign of life while the next token takes long. */
  keepAlive(): void;
  /** Whether enough is pending for a `flush` before the next piece. */
  readonly isFull: boolean;
  /** Hands over what is pending; resolves when there is room for more, rejects when the client is gone. */
  flush(): Promise<void>;
  /** Ends the reply. */
  end(): void;
}
