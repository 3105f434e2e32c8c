import type { Token } from "markdown-it";

/** A text with its emphasis and links, parsed. One object for as long as the text and its references stay the same. */
export interface InlinePart {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** Parsed texts of the open tail: what didn't change since the last frame isn't parsed again. */
export class InlineParts {
  #last = new Map<string, InlinePart>();
  #current = new Map<string, InlinePart>();

  /** Starts a new parse. What it doesn't use is dropped at the next one. */
  begin(): void {
    this.#last = this.#current;
    this.#current = new Map();
  }

  /** Undefined if the text has to be parsed. */
  find(text: string): InlinePart | undefined {
    const part = this.#current.get(text) ?? this.#last.get(text);
    if (part !== undefined) this.#current.set(text, part);
    return part;
  }

  /** To be called only for what looks up no reference: another definition would make it another part. */
  keep(part: InlinePart): void {
    this.#current.set(part.text, part);
  }
}

/** What an inline token is made of. */
export interface InlineContent {
  readonly parts: readonly InlinePart[];
  /** Whether each part is shown as a run of its own (see `runs.ts`). */
  readonly isInRuns: boolean;
}

const contents = new WeakMap<Token, InlineContent>();
const noContent: InlineContent = { parts: [], isInRuns: false };

export function inlineContentOf(token: Token): InlineContent {
  return contents.get(token) ?? noContent;
}

export function setInlineContent(token: Token, content: InlineContent): void {
  contents.set(token, content);
}
