import type { Token } from "markdown-it";

/** A parsed text with its emphasis and links. The same object as long as the text and its references don't change. */
export interface InlinePart {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** The parsed texts of the open tail: anything unchanged since the last frame isn't parsed again. */
export class InlineParts {
  #last = new Map<string, InlinePart>();
  #current = new Map<string, InlinePart>();

  /** Starts a new parse. Entries that it doesn't use are dropped by the next one. */
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

  /** Only call this for parts that don't look up references, because another definition would change them. */
  keep(part: InlinePart): void {
    this.#current.set(part.text, part);
  }
}

/** The content of an inline token. */
export interface InlineContent {
  readonly parts: readonly InlinePart[];
  /** Whether each part is shown as a separate run (see `runs.ts`). */
  readonly isInRuns: boolean;
}

const contents = new WeakMap<Token, InlineContent>();
const noContent: InlineContent = { parts: [], isInRuns: false };

/** The content that was stored for the token; empty if there is none. */
export function inlineContentOf(token: Token): InlineContent {
  return contents.get(token) ?? noContent;
}

/** Stores the content of the token for `inlineContentOf`. */
export function setInlineContent(token: Token, content: InlineContent): void {
  contents.set(token, content);
}
