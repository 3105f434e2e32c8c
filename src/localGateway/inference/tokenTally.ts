import type { JsonObject } from "../../core/kernel/json.ts";
import type { AnswerPiece } from "./answerPiece.ts";
import { isToken } from "./answerPiece.ts";

/** Counts the tokens of one answer. */
export class TokenTally {
  readonly #promptTokens: number;
  #completionTokens = 0;
  #reasoningTokens = 0;

  constructor(promptTokens: number) {
    this.#promptTokens = promptTokens;
  }

  get completionTokens(): number {
    return this.#completionTokens;
  }

  count(piece: AnswerPiece): void {
    if (!isToken(piece)) return;
    this.#completionTokens++;
    if (piece.type === "reasoning") this.#reasoningTokens++;
  }

  /** The `usage` of a response; reasoning is contained in completion. */
  usage(): JsonObject {
    return {
      prompt_tokens: this.#promptTokens,
      completion_tokens: this.#completionTokens,
      total_tokens: this.#promptTokens + this.#completionTokens,
      completion_tokens_details: { reasoning_tokens: this.#reasoningTokens },
    };
  }
}
