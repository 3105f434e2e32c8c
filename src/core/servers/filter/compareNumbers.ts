import type { FilterOperator } from "./parseFilter.ts";

const leadingNumber = /^[$€£¥]?\s*(-?\d{1,1000}(?:\.\d{1,1000})?)/;
const isoDate = /^\d{4}-\d\d/;

/**
 * Compares as the operator says: numbers by their value (`80 GB` is 80, integers of any length exactly), dates written
 * year first by their text. Undefined where the two can't be compared.
 */
export function compares(actual: string, operator: FilterOperator, wanted: string): boolean | undefined {
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
