import { setTimeout as wait } from "node:timers/promises";
import type { AnswerPiece } from "./answerPiece.ts";
import { isToken } from "./answerPiece.ts";
import type { AnswerSink } from "./answerSink.ts";
import type { Pace } from "./pace.ts";
import { waitTicking } from "./pace.ts";

export interface Generation {
  /** Pulled one by one: nothing is made that nobody waits for. */
  readonly pieces: Iterable<AnswerPiece>;
  readonly sink: AnswerSink;
  readonly pace: Pace;
  /** Milliseconds without a token after which a comment keeps the connection alive. */
  readonly keepAliveMs: number;
  readonly signal: AbortSignal;
  readonly onPiece: (piece: AnswerPiece) => void;
}

/** Makes an answer at its pace. Rejects as soon as the signal aborts: no further piece is made then. */
export async function generate({
  pieces,
  sink,
  pace,
  keepAliveMs,
  signal,
  onPiece,
}: Generation): Promise<void> {
  for (const piece of pieces) {
    if (piece.type === "silence") {
      await sink.flush();
      await wait(piece.ms, undefined, { signal });
      pace.restart();
      continue;
    }
    if (isToken(piece)) {
      const waitMs = pace.waitMs();
      if (waitMs > 0) {
        await sink.flush();
        await waitTicking(waitMs, keepAliveMs, () => sink.keepAlive(), signal);
      }
      pace.countToken();
    }
    onPiece(piece);
    sink.write(piece);
    if (sink.isFull) {
      await sink.flush();
      signal.throwIfAborted();
    }
  }
  await sink.flush();
  sink.end();
}
