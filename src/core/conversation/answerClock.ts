import type { CompletionEvent } from "./completion.ts";
import type { Timing } from "./conversation.ts";

/** Takes the times of one answer; all in milliseconds since 1970. */
export class AnswerClock {
  readonly #askedAt: number;
  #firstDeltaAt: number | undefined;
  #reasoningAt: number | undefined;
  #textAt: number | undefined;

  constructor(askedAt: number) {
    this.#askedAt = askedAt;
  }

  hear({ type }: CompletionEvent, now: () => number): void {
    if (this.#textAt !== undefined) return;
    if (type === "text") this.#textAt = now();
    else if (type === "reasoning") this.#reasoningAt ??= now();
    else if (type !== "toolCall") return;
    this.#firstDeltaAt ??= this.#textAt ?? this.#reasoningAt ?? now();
  }

  /** As known so far; with `endedAt` of the whole answer. */
  timing(endedAt: number): Timing {
    const reasonedUntil = this.#textAt ?? endedAt;
    return {
      ...(this.#firstDeltaAt === undefined ? {} : { firstDeltaMs: this.#firstDeltaAt - this.#askedAt }),
      ...(this.#reasoningAt === undefined ? {} : { reasoningMs: reasonedUntil - this.#reasoningAt }),
      totalMs: endedAt - this.#askedAt,
    };
  }
}
