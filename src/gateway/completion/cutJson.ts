import { parseJson } from "../../core/kernel/json.ts";
/**
 * Reads JSON text whose end is missing: what was open is closed, a value that had only begun is left out, a string ends
 * where it was cut. Undefined where even that can't be read. Takes time linear in the text.
 */
export function parseCutJson(text: string): unknown {
  return parseJson(new CutScan(text).close());
}

const scalar = /[^\s,:[\]{}"]+/y;

/** Walks over the text once and remembers the last place behind which it can be closed. */
class CutScan {
  readonly #text: string;
  readonly #closers: string[] = [];
  #at = 0;
  /** Index behind the last whole value or opening bracket. */
  #safeEnd = 0;
  /** Whether a string that comes now is a value, and not the name of a member. */
  #isValue = true;

  constructor(text: string) {
    this.#text = text;
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

  /** Returns the text with its last string closed where that string is a value that was cut. */
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

  /** A number or a word counts where something follows it: at the end it may have been cut. */
  #scalar(): void {
    scalar.lastIndex = this.#at;
    const length = scalar.exec(this.#text)?.[0].length ?? 0;
    this.#at += Math.max(1, length);
    if (length > 0 && this.#at < this.#text.length) this.#safeEnd = this.#at;
  }

  #string(): string | undefined {
    let at = this.#at + 1;
    let quote = this.#text.indexOf('"', at);
    let escape = this.#text.indexOf("\\", at);
    while (escape !== -1 && (quote === -1 || escape < quote)) {
      const length = this.#text.charAt(escape + 1) === "u" ? 6 : 2;
      if (escape + length > this.#text.length) return this.#cutString(escape);
      at = escape + length;
      if (quote !== -1 && quote < at) quote = this.#text.indexOf('"', at);
      escape = this.#text.indexOf("\\", at);
    }
    if (quote === -1) return this.#cutString(this.#text.length);
    this.#at = quote + 1;
    if (this.#isValue) this.#safeEnd = this.#at;
    return undefined;
  }

  #cutString(end: number): string | undefined {
    this.#at = this.#text.length;
    return this.#isValue ? `${this.#text.slice(0, end)}"` : undefined;
  }
}
