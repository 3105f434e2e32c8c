import type { CompletionChunk } from "./completionChunk.ts";
import type { DeltaTemplate } from "./deltaTemplate.ts";
import { learnDeltaTemplate, matchDelta } from "./deltaTemplate.ts";

/** A template that is never used costs three parses: a server that changes every chunk gets no more of them. */
const maxIdleTemplates = 8;

/** Reads the chunks that differ from the last parsed one by their delta only, without parsing them. */
export class DeltaShortcut {
  #template: DeltaTemplate | undefined;
  #isUsed = true;
  #idleTemplates = 0;

  /** What a delta that matches is. */
  get kind(): DeltaTemplate["kind"] {
    return this.#template?.kind ?? "text";
  }

  /** The delta of the chunk; undefined where it has to be parsed. */
  match(data: string): string | undefined {
    if (this.#template === undefined) return undefined;
    const delta = matchDelta(this.#template, data);
    if (delta !== undefined) this.#isUsed = true;
    return delta;
  }

  /** To be called with every chunk that was parsed. */
  learn(data: string, chunk: CompletionChunk): void {
    if (this.#idleTemplates >= maxIdleTemplates) return;
    const template = learnDeltaTemplate(data, chunk);
    if (template === undefined) return;
    this.#idleTemplates = this.#isUsed ? 0 : this.#idleTemplates + 1;
    this.#isUsed = false;
    this.#template = template;
  }
}
