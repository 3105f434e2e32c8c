import { parseJson } from "../../core/kernel/json.ts";

/**
 * Parses JSON text whose end is missing: open brackets are closed, an incomplete value is left out, and a string ends
 * where it was cut. Undefined if even that can't be parsed. Takes time linear in the length of the text.
 */
export function parseCutJson(text: string): unknown {
  return parseJson(new CutScan(text).close());
}

const scalar = /[^\s,:[\]{}"]+/y;

/** Scans the text once and remembers the last position at which it can be closed. */
class CutScan {
  readonly #text: string;
  readonly #closers: string[] = [];
  #at = 0;
  /** Index after the last complete value or opening bracket. */
  #safeEnd = 0;
  /** Whether the next string is a value rather than a field name. */
  #isValue = true;
  /** Index of the next escape, unless it has been passed; -1 if no more follow. */
  #escape: number;

  constructor(text: string) {
    this.#text = text;
    this.#escape = text.indexOf("\\");
  }

  close(): string {
    while (this.#at < this.#text.length) {
      const openString = this.#step();
      if (openString !== undefined) return openString + this.#closing();
    }
    return this.#text.slice(0, this.#safeEnd) + this.#closing();
  }

  #closing(): string {
    return this.#closers.toReversed().join("");
  }

  /** Returns the text with its last string closed if that string is a truncated value. */
  #step(): string | undefined {
    const character = this.#text.charAt(this.#at);
    if (character === '"') return this.#string();
    if (character === "{" || character === "[") this.#open(character);
    else if (character === "}" || character === "]") this.#leave();
    else if (character === ",") this.#isValue = this.#closers.at(-1) === "]";
    else if (character === ":") this.#isValue = true;
    else return void this.#scalar();
    this.#at++;
    return undefined;
  }

  #open(bracket: "{" | "["): void {
    this.#closers.push(bracket === "{" ? "}" : "]");
    this.#isValue = bracket === "[";
    this.#safeEnd = this.#at + 1;
  }

  #leave(): void {
    this.#closers.pop();
    this.#safeEnd = this.#at + 1;
  }

  /** A number or a word counts only if something follows it, because it may be truncated at the end. */
  #scalar(): void {
    scalar.lastIndex = this.#at;
    const length = scalar.exec(this.#text)?.[0].length ?? 0;
    this.#at += Math.max(1, length);
    if (length > 0 && this.#at < this.#text.length) this.#safeEnd = this.#at;
  }

  #string(): string | undefined {
    let at = this.#at + 1;
    let quote = this.#text.indexOf('"', at);
    let escape = this.#escapeFrom(at);
    while (escape !== -1 && (quote === -1 || escape < quote)) {
      const length = this.#text.charAt(escape + 1) === "u" ? 6 : 2;
      if (escape + length > this.#text.length) return this.#cutString(escape);
      at = escape + length;
      if (quote !== -1 && quote < at) quote = this.#text.indexOf('"', at);
      escape = this.#escapeFrom(at);
    }
    if (quote === -1) return this.#cutString(this.#text.length);
    this.#at = quote + 1;
    if (this.#isValue) this.#safeEnd = this.#at;
    return undefined;
  }

  /** Index of the first escape from this position on; -1 if there is none. Each is searched for only once. */
  #escapeFrom(at: number): number {
    if (this.#escape !== -1 && this.#escape < at) this.#escape = this.#text.indexOf("\\", at);
    return this.#escape;
  }

  #cutString(end: number): string | undefined {
    this.#at = this.#text.length;
    return this.#isValue ? `${this.#text.slice(0, end)}"` : undefined;
  }
}
