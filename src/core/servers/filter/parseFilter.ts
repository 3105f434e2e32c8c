/** How a value is compared. `has` matches a part of a text or, for numbers, the number itself. */
export type FilterOperator = "has" | "=" | ">" | ">=" | "<" | "<=" | "any";

/** One condition of a filter; a server is shown if all of them hold. */
export interface FilterTerm {
  /** As written, such as `gpu` or `/gpu/model`; undefined for free text. */
  readonly field: string | undefined;
  readonly operator: FilterOperator;
  /** In lower case; one match is enough. */
  readonly values: readonly string[];
  readonly isNegated: boolean;
}

/** A parsed filter: one condition, all of several, or one of several. */
export type FilterExpression =
  | { readonly term: FilterTerm }
  | { readonly all: readonly FilterExpression[] }
  | { readonly any: readonly FilterExpression[] }
  | { readonly not: FilterExpression };

/** A term with its position, for completions. */
interface FilterToken {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Parses a filter such as `status:running gpu:h100,h200 gpus:>4 -region:us "free text"`. Adjacent conditions must all
 * hold; `OR` between them requires one of both, and parentheses group conditions: `status:error OR (gpu:h100
 * -region:us)`. Nothing is an error: anything that isn't a valid condition is searched for as text. Undefined if the
 * filter hides nothing.
 */
export function parseFilterExpression(text: string): FilterExpression | undefined {
  return new FilterReader(splitFilter(text).flatMap(({ text: token }) => splitParentheses(token))).read();
}

/** The conditions of a filter, regardless of how they are combined. */
export function parseFilter(text: string): readonly FilterTerm[] {
  return splitFilter(text).flatMap(({ text: token }) => parseTerm(token) ?? []);
}

/** Parentheses nested more deeply are treated as text. */
const maxDepth = 20;

/** Parses the words of a filter from left to right. */
class FilterReader {
  readonly #words: readonly string[];
  #at = 0;

  constructor(words: readonly string[]) {
    this.#words = isBalanced(words) ? words : words.filter((word) => !/^-?\($|^\)$/.test(word));
  }

  read(): FilterExpression | undefined {
    return this.#readAny(0);
  }

  #readAny(depth: number): FilterExpression | undefined {
    const parts: FilterExpression[] = [];
    do {
      const part = this.#readAll(depth);
      if (part !== undefined) parts.push(part);
    } while (this.#takeOr());
    return parts.length > 1 ? { any: parts } : parts[0];
  }

  #readAll(depth: number): FilterExpression | undefined {
    const parts: FilterExpression[] = [];
    for (; this.#at < this.#words.length; this.#at++) {
      const word = this.#words[this.#at] ?? "";
      if (word === ")" || this.#isOr()) break;
      if (parts.length > 0 && (isAnd(word) || this.#isUnfinished(word))) continue;
      const part = /^-?\($/.test(word) ? this.#readGroup(word, depth) : wordExpression(word);
      if (part !== undefined) parts.push(part);
    }
    return parts.length > 1 ? { all: parts } : parts[0];
  }

  /** Stops at the closing parenthesis. */
  #readGroup(word: string, depth: number): FilterExpression | undefined {
    this.#at++;
    const inner = this.#readAny(depth + 1);
    return inner !== undefined && word.startsWith("-") ? { not: inner } : inner;
  }

  /** Only between two conditions; elsewhere it is a search word. */
  #isOr(): boolean {
    const [before, word, after] = [-1, 0, 1].map((step) => this.#words[this.#at + step]);
    if (word === undefined || !/^(?:or|\|\|?)$/i.test(word)) return false;
    return before !== undefined && before !== "(" && before !== "-(" && after !== undefined && after !== ")";
  }

  /** `gpu:h100 OR` is still being typed and means the same as without `OR`. */
  #isUnfinished(word: string): boolean {
    const after = this.#words[this.#at + 1];
    return /^(?:OR|\|\|?)$/.test(word) && (after === undefined || after === ")");
  }

  #takeOr(): boolean {
    if (!this.#isOr()) return false;
    this.#at++;
    return true;
  }
}

function isAnd(word: string): boolean {
  return word === "AND" || word === "&&";
}

function wordExpression(word: string): FilterExpression | undefined {
  const term = parseTerm(word);
  return term === undefined ? undefined : { term };
}

/** Makes parentheses around words separate words; parentheses inside a word belong to it: `node(1)`. */
function splitParentheses(token: string): readonly string[] {
  const [, opening = "", rest = ""] = /^((?:-?\()*)(.*)$/s.exec(token) ?? [];
  let end = rest.length;
  // Closing parentheses stay with the word if they were opened in it.
  let inside = countOf(rest, "(") - countOf(rest, ")");
  while (end > 0 && inside < 0 && rest.charAt(end - 1) === ")") {
    end--;
    inside++;
  }
  const word = rest.slice(0, end);
  return [...(opening.match(/-?\(/g) ?? []), ...(word === "" ? [] : [word]), ...rest.slice(end)];
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}

function isBalanced(words: readonly string[]): boolean {
  let depth = 0;
  for (const word of words) {
    if (/^-?\($/.test(word)) depth++;
    else if (word === ")") depth--;
    if (depth < 0 || depth > maxDepth) return false;
  }
  return depth === 0;
}

/** The words of a filter; spaces inside quotation marks belong to the word. */
export function splitFilter(text: string): readonly FilterToken[] {
  return [...text.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0],
  }));
}

/** The value as it must be written in a filter. */
export function quoteFilterValue(value: string): string {
  return /[\s,"]/.test(value) ? `"${value.replaceAll('"', "")}"` : value;
}

function parseTerm(token: string): FilterTerm | undefined {
  const isNegated = token.startsWith("-") && token.length > 1;
  const positive = isNegated ? token.slice(1) : token;
  const match = /^("[^"]+"|[^\s:"]+?):(.*)$/s.exec(positive);
  if (match === null) {
    const values = [unquote(positive)].filter((value) => value !== "");
    return values.length === 0 ? undefined : { field: undefined, operator: "has", values, isNegated };
  }
  const [, name = "", rest = ""] = match;
  const field = unquote(name, false);
  const [, sign = "", value = ""] = /^(>=|<=|[>=<]|)(.*)$/s.exec(rest) ?? [];
  const values = splitValues(value);
  // `status:` is still being typed and hides nothing yet.
  if (values.length === 0) return undefined;
  if (sign === "" && values.length === 1 && values[0] === "*" && !value.includes('"')) {
    return { field, operator: "any", values: [], isNegated };
  }
  return { field, operator: isSign(sign) ? sign : "has", values, isNegated };
}

function isSign(sign: string): sign is FilterOperator {
  return /^(?:>=|<=|[>=<])$/.test(sign);
}

/** A comma separates alternative values, unless it is inside quotation marks. */
function splitValues(text: string): readonly string[] {
  return [...text.matchAll(/(?:"[^"]*(?:"|$)|[^,"])+/g)]
    .map(([value]) => unquote(value))
    .filter((value) => value !== "");
}

function unquote(text: string, toLower = true): string {
  const plain = text.replaceAll('"', "").trim();
  return toLower ? plain.toLowerCase() : plain;
}
