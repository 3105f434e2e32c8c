import { pick } from "../kernel/seededRandom.ts";

/**
 * Creates a text that matches a regular expression: literals, classes, groups, alternatives and quantifiers. Callers
 * check the text against the pattern, because not all of the syntax is supported (look-around, references).
 */
export function createPatternText(pattern: string, random: () => number): string {
  return new PatternReader(pattern, random).readAlternatives();
}

const digits = "0123456789";
const letters = "abcdefghijklmnopqrstuvwxyz";
const wordCharacters = `${letters}${letters.toUpperCase()}${digits}_`;
const shorthands: Readonly<Record<string, string>> = {
  d: digits,
  w: wordCharacters,
  s: " ",
  D: letters,
  W: "-",
  S: letters,
};

/** Maximum number of repetitions, regardless of the pattern. */
const mostRepetitions = 1_000;

class PatternReader {
  readonly #pattern: string;
  readonly #random: () => number;
  #position = 0;

  constructor(pattern: string, random: () => number) {
    this.#pattern = pattern;
    this.#random = random;
  }

  /** Reads up to the end of the pattern or group. */
  readAlternatives(): string {
    const alternatives = [this.#readSequence()];
    while (this.#take("|")) alternatives.push(this.#readSequence());
    return pick(this.#random, alternatives);
  }

  #readSequence(): string {
    let text = "";
    while (!this.#isAtEnd() && !"|)".includes(this.#peek())) text += this.#readRepeated();
    return text;
  }

  #readRepeated(): string {
    const start = this.#position;
    const first = this.#readAtom();
    const count = this.#readCount();
    const end = this.#position;
    let text = count === 0 ? "" : first;
    for (let made = 1; made < count; made++) {
      this.#position = start;
      text += this.#readAtom();
    }
    this.#position = end;
    return text;
  }

  #readCount(): number {
    const rest = this.#pattern.slice(this.#position);
    const [all = "", sign, from, comma, to] = /^(?:([?*+])|\{(\d+)(?:(,)(\d+)?)?\})\??/.exec(rest) ?? [];
    this.#position += all.length;
    if (sign === "?" || all === "") return 1;
    const least = Number(from ?? 1);
    const most = sign === undefined ? Number(comma === undefined ? least : (to ?? least + 2)) : 3;
    return Math.min(least + Math.floor(this.#random() * (most - least + 1)), mostRepetitions);
  }

  #readAtom(): string {
    const character = this.#next();
    if (character === "^" || character === "$") return "";
    if (character === ".") return pick(this.#random, [...letters]);
    if (character === "\\") return this.#pickFrom(this.#readEscape());
    if (character === "[") return this.#pickFrom(this.#readClass());
    if (character !== "(") return character;
    this.#position += /^\?(?::|<\w+>)/.exec(this.#pattern.slice(this.#position))?.[0].length ?? 0;
    const text = this.readAlternatives();
    this.#take(")");
    return text;
  }

  #readEscape(): readonly string[] {
    const name = this.#next();
    return /^[bB]$/.test(name) ? [] : [...(shorthands[name] ?? name)];
  }

  #readClass(): readonly string[] {
    const isNegated = this.#take("^");
    const members: string[] = [];
    while (!this.#isAtEnd() && !this.#take("]")) members.push(...this.#readMember());
    return isNegated ? [...wordCharacters].filter((character) => !members.includes(character)) : members;
  }

  #readMember(): readonly string[] {
    const first = this.#next();
    if (first === "\\") return this.#readEscape();
    if (this.#peek() !== "-" || this.#pattern[this.#position + 1] === "]") return [first];
    this.#position++;
    const from = first.charCodeAt(0);
    const length = Math.min(Math.max(this.#next().charCodeAt(0) - from + 1, 1), 200);
    return Array.from({ length }, (_, index) => String.fromCharCode(from + index));
  }

  #pickFrom(characters: readonly string[]): string {
    return characters.length === 0 ? "" : pick(this.#random, characters);
  }

  #peek(): string {
    return this.#pattern[this.#position] ?? "";
  }

  #next(): string {
    const character = this.#peek();
    this.#position++;
    return character;
  }

  #take(character: string): boolean {
    const isThere = this.#peek() === character;
    if (isThere) this.#position++;
    return isThere;
  }

  #isAtEnd(): boolean {
    return this.#position >= this.#pattern.length;
  }
}
