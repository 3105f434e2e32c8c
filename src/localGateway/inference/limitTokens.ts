import type { AnswerPiece } from "./answerPiece.ts";
import { isToken } from "./answerPiece.ts";

/** Ends an answer after `maxTokens` tokens with the finish reason `length` (interface section 2.1: max_tokens). */
export function* limitTokens(pieces: Iterable<AnswerPiece>, maxTokens: number): Generator<AnswerPiece> {
  let left = maxTokens;
  for (const piece of pieces) {
    if (isToken(piece) && left-- === 0) {
      yield { type: "finish", reason: "length" };
      return;
    }
    yield piece;
  }
}
