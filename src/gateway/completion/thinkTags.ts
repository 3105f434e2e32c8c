const openTag = "<think>";
const closeTag = "</think>";

/** A piece of the content: what the user is told, or what the model thought before. */
export interface ContentPiece {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

/**
 * Takes `<think>…</think>` out of the content, however it is split over deltas: only at the very start (after white
 * space), because anywhere else a tag is what the answer is about. A block that never closes stays reasoning.
 */
export class ThinkTagSplitter {
  #phase: "start" | "reasoning" | "text" = "start";
  /** Deltas at the start that may still become a tag; they keep their borders if they don't. */
  #heldDeltas: readonly string[] = [];
  /** End of the reasoning that may be the beginning of the closing tag. */
  #heldEnd = "";

  /** True once everything that follows is text. */
  get isPassing(): boolean {
    return this.#phase === "text";
  }

  split(delta: string): readonly ContentPiece[] {
    if (this.#phase === "start") return this.#splitStart(delta);
    if (this.#phase === "reasoning") return this.#splitReasoning(delta);
    return [{ kind: "text", text: delta }];
  }

  /** No text follows, or no tag may: what was held back. */
  end(): readonly ContentPiece[] {
    if (this.#phase === "start") return this.#releaseStart();
    const rest = this.#heldEnd;
    this.#heldEnd = "";
    return pieces("reasoning", rest);
  }

  #splitStart(delta: string): readonly ContentPiece[] {
    this.#heldDeltas = [...this.#heldDeltas, delta];
    const start = this.#heldDeltas.join("").trimStart();
    if (!start.startsWith(openTag)) return openTag.startsWith(start) ? [] : this.#releaseStart();
    this.#heldDeltas = [];
    this.#phase = "reasoning";
    return this.#splitReasoning(start.slice(openTag.length));
  }

  #releaseStart(): readonly ContentPiece[] {
    this.#phase = "text";
    const released = this.#heldDeltas.flatMap((text) => pieces("text", text));
    this.#heldDeltas = [];
    return released;
  }

  #splitReasoning(delta: string): readonly ContentPiece[] {
    const all = this.#heldEnd + delta;
    const close = all.indexOf(closeTag);
    if (close === -1) {
      const end = all.length - heldLength(all);
      this.#heldEnd = all.slice(end);
      return pieces("reasoning", all.slice(0, end));
    }
    this.#heldEnd = "";
    this.#phase = "text";
    return [
      ...pieces("reasoning", all.slice(0, close)),
      ...pieces("text", all.slice(close + closeTag.length)),
    ];
  }
}

function pieces(kind: ContentPiece["kind"], text: string): readonly ContentPiece[] {
  return text === "" ? [] : [{ kind, text }];
}

/** Length of the longest end of the text that the closing tag may begin with. */
function heldLength(text: string): number {
  for (let length = Math.min(closeTag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(closeTag.slice(0, length))) return length;
  }
  return 0;
}
