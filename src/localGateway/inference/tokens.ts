import type { ResponsePiece, FinishReason } from "./responseSink.ts";

/** Roughly what a model would treat as a token: a short word with its leading space, or a single character. */
const tokenPattern = / ?[\p{L}\p{M}\p{N}]{1,8}|\n+| +|./gsu;

/** Splits a text into tokens; joining them restores the text. Never splits a character. */
export function* splitTokens(text: string): Generator<string> {
  for (const [token] of text.matchAll(tokenPattern)) yield token;
}

/** The number of tokens in the text, as the demo models count them. */
export function countTokens(text: string): number {
  let count = 0;
  for (const match of text.matchAll(tokenPattern)) if (match[0] !== "") count++;
  return count;
}

/** This text as text pieces, one for each token. */
export function* say(text: string): Generator<ResponsePiece> {
  for (const token of splitTokens(text)) yield { type: "text", text: token };
}

/** This text as reasoning pieces, one for each token. */
export function* think(text: string): Generator<ResponsePiece> {
  for (const token of splitTokens(text)) yield { type: "reasoning", text: token };
}

/** The last piece of a response. */
export function finish(reason: FinishReason = "stop"): ResponsePiece {
  return { type: "finish", reason };
}
