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

/** A term with its position, for completions. */
interface FilterToken {
  readonly end: number;
  readonly text: string;
}

/**
 * Parses a filter such as `status:running gpu:h100,h200 gpus:>4 -region:us "free text"`. Adjacent conditions must all
 * hold, and `OR` separates alternatives. Nothing is an error: anything that isn't a valid condition is searched for as
 * text.
 */
export function parseFilter(text: string): readonly (readonly FilterTerm[])[] {
  const alternatives: FilterTerm[][] = [[]];
  for (const { text: token } of splitFilter(text)) {
    if (/^(?:or|\|\|?)$/i.test(token)) alternatives.push([]);
    else {
      const term = parseTerm(token);
      if (term !== undefined) alternatives.at(-1)?.push(term);
    }
  }
  // One that is still being typed hides nothing.
  return alternatives.filter((terms) => terms.length > 0);
}

/** The words of a filter; spaces inside quotation marks belong to the word. */
export function splitFilter(text: string): readonly FilterToken[] {
  return [...text.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/g)].map((match) => ({
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
