import { compares } from "./compareNumbers.ts";
import type { FilterSubject } from "./filterSubject.ts";
import { filterValues, freeTextOf } from "./filterSubject.ts";
import type { FilterTerm } from "./parseFilter.ts";
import { parseFilter } from "./parseFilter.ts";

/** Whether a server is shown. */
export type Filter = (subject: FilterSubject) => boolean;

/** The filter that a text means; undefined where it hides nothing. */
export function createFilter(text: string): Filter | undefined {
  const terms = parseFilter(text);
  if (terms.length === 0) return undefined;
  return (subject) => terms.every((term) => holds(term, subject) !== term.isNegated);
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
    const range = /^(.*?\d.*?)\.\.(.*?\d.*)$/.exec(wanted);
    if (range === null) return isNumber(text) && isNumber(wanted) ? text === wanted : text.includes(wanted);
    const [, from = "", to = ""] = range;
    return compares(text, ">=", from) === true && compares(text, "<=", to) === true;
  }
  if (operator === "=" && text === wanted) return true;
  if (operator === "=" && !(isNumber(text) && isNumber(wanted))) return false;
  return compares(text, operator, wanted) === true;
}

/** `gpus:1` must not show those with 16. */
function isNumber(text: string): boolean {
  return /^-?\d{1,15}(?:\.\d+)?$/.test(text);
}
