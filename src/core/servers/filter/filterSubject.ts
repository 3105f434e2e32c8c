import { propertyOf, serverProperties } from "../serverProperties.ts";
import type { FilterSubject } from "../serverProperties.ts";
import { parseFilter } from "./parseFilter.ts";
import type { FilterOperator, FilterTerm } from "./parseFilter.ts";
import { recordValues } from "./recordValues.ts";

const leadingNumber = /^[$€£¥]?\s*(-?\d{1,1000}(?:\.\d{1,1000})?)/;
const isoDate = /^\d{4}-\d\d/;

/**
 * Applies a comparison operator: numbers are compared by value (`80 GB` is 80, integers of any length exactly),
 * year-first dates as text. Undefined if the two can't be compared.
 */
function compares(actual: string, operator: FilterOperator, wanted: string): boolean | undefined {
  const order =
    isoDate.test(wanted) && isoDate.test(actual) ? orderOf(actual, wanted) : orderNumbers(actual, wanted);
  if (order === undefined) return undefined;
  switch (operator) {
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    default:
      return order === 0;
  }
}

function orderNumbers(actual: string, wanted: string): number | undefined {
  const first = leadingNumber.exec(actual.trimStart())?.[1];
  const second = leadingNumber.exec(wanted.trimStart())?.[1];
  if (first === undefined || second === undefined) return undefined;
  const areWhole = !first.includes(".") && !second.includes(".");
  return areWhole ? orderOf(BigInt(first), BigInt(second)) : orderOf(Number(first), Number(second));
}

function orderOf<T extends string | bigint | number>(first: T, second: T): number {
  return first === second ? 0 : first < second ? -1 : 1;
}

/** Whether a server is shown. */
export type Filter = (subject: FilterSubject) => boolean;

/** Creates the filter for a text; undefined if it hides nothing. */
export function createFilter(text: string): Filter | undefined {
  const alternatives = parseFilter(text);
  if (alternatives.length === 0) return undefined;
  return (subject) =>
    alternatives.some((terms) => terms.every((term) => holds(term, subject) !== term.isNegated));
}

function holds(term: FilterTerm, subject: FilterSubject): boolean {
  const { field, operator, values } = term;
  if (field === undefined) {
    const text = freeTextOf(subject);
    return values.some((value) => text.includes(value));
  }
  const actual = filterValues(subject, field);
  if (operator === "any") return actual.length > 0;
  return actual.some((value) => values.some((wanted) => matches(value, term, wanted)));
}

function matches(actual: string, { operator }: FilterTerm, wanted: string): boolean {
  const text = actual.toLowerCase();
  if (operator === "has") {
    const range = readRange(wanted);
    if (range === undefined)
      return isNumber(text) && isNumber(wanted) ? text === wanted : text.includes(wanted);
    const [from, to] = range;
    return compares(text, ">=", from) === true && compares(text, "<=", to) === true;
  }
  if (operator === "=" && text === wanted) return true;
  if (operator === "=" && !(isNumber(text) && isNumber(wanted))) return false;
  return compares(text, operator, wanted) === true;
}

/** `4..8`: both ends contain a number. */
function readRange(wanted: string): readonly [from: string, to: string] | undefined {
  const firstDigit = wanted.search(/\d/);
  const dots = firstDigit === -1 ? -1 : wanted.indexOf("..", firstDigit);
  const to = dots === -1 ? "" : wanted.slice(dots + 2);
  return /\d/.test(to) ? [wanted.slice(0, dots), to] : undefined;
}

/** `gpus:1` must not match servers with 16. */
function isNumber(text: string): boolean {
  return /^-?\d{1,15}(?:\.\d+)?$/.test(text);
}

/** The words for properties that every server has, for completions. */
export const knownFields: readonly string[] = [...serverProperties.keys(), "is"];

/** The values that `is:` supports. */
export const traitNames: readonly string[] = ["pinned", "watched", "muted", "stale", "private", "public"];

function traits({ server, mark, isStale }: FilterSubject): readonly string[] {
  const isPrivate = server.isPrivateAddress === true;
  const holding: Readonly<Record<string, boolean | undefined>> = {
    pinned: mark?.isPinned,
    watched: mark?.isWatched,
    muted: mark?.isMuted,
    stale: isStale,
    private: server.address !== undefined && isPrivate,
    public: server.address !== undefined && !isPrivate,
  };
  return traitNames.filter((name) => holding[name] === true);
}

/**
 * The values of a field. A known property has the value that the tree shows; if it has none, the record is searched for
 * a field of that name.
 */
export function filterValues(subject: FilterSubject, field: string): readonly string[] {
  if (field.toLowerCase() === "is") return traits(subject);
  const values = (propertyOf(field)?.values(subject) ?? []).filter((value) => value !== "");
  return values.length > 0 ? values : recordValues(subject.server.record, field);
}

/** The text that free-text terms are searched in: everything that a row shows or a screen reader reads. */
export function freeTextOf(subject: FilterSubject): string {
  const searched = [...serverProperties.values()].filter(({ isSearched }) => isSearched);
  return searched
    .flatMap((property) => property.values(subject))
    .join("\n")
    .toLowerCase();
}
