import { SpokenText } from "../../core/panel/speech/spokenText.ts";
import type { LiveRegion } from "../kit/liveRegion.ts";
import { describeBlock, describeCode } from "../kit/liveRegion.ts";

/** Hands one live answer to the screen reader, at the moments that the user has chosen. */
export class AnswerSpeech {
  readonly #liveRegion: LiveRegion;
  readonly #spoken = new SpokenText(describeCode);
  #hasSpoken = false;
  #isOver = false;

  constructor(liveRegion: LiveRegion) {
    this.#liveRegion = liveRegion;
  }

  append(text: string): void {
    this.#hasSpoken = true;
    if (this.#liveRegion.mode !== "sentences") return;
    for (const sentence of this.#spoken.append(text)) this.#liveRegion.announce(sentence);
  }

  blockFinished(block: Node): void {
    if (this.#liveRegion.mode === "blocks") this.#liveRegion.announce(describeBlock(block));
  }

  /** No more text comes; an answer that didn't come live is not said. */
  end(text: string): void {
    if (!this.#hasSpoken || this.#isOver) return;
    this.#isOver = true;
    if (this.#liveRegion.mode === "sentences") this.#say(this.#spoken);
    if (this.#liveRegion.mode !== "end") return;
    const whole = new SpokenText(describeCode);
    for (const sentence of whole.append(text)) this.#liveRegion.announce(sentence);
    this.#say(whole);
  }

  #say(spoken: SpokenText): void {
    for (const sentence of spoken.finish()) this.#liveRegion.announce(sentence);
  }
}
