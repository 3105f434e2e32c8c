import type { ResponsePiece, FinishReason } from "./responseSink.ts";

/** About what a model would call a token: a short word with the space before it, or a single sign. */
const tokenPattern = / ?[\p{L}\p{M}\p{N}]{1,8}|\n+| +|./gsu;

/** Cuts a text into tokens; joined they are the text again. No character is ever cut. */
export function* splitTokens(text: string): Generator<string> {
  for (const [token] of text.matchAll(tokenPattern)) yield token;
}

export function countTokens(text: string): number {
  let count = 0;
  for (const match of text.matchAll(tokenPattern)) if (match[0] !== "") count++;
  return count;
}

/** A response that says this text. */
export function* say(text: string): Generator<ResponsePiece> {
  for (const token of splitTokens(text)) yield { type: "text", text: token };
}

/** A response that thinks this text. */
export function* think(text: string): Generator<ResponsePiece> {
  for (const token of splitTokens(text)) yield { type: "reasoning", text: token };
}

export function finish(reason: FinishReason = "stop"): ResponsePiece {
  return { type: "finish", reason };
}
