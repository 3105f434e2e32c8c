import { isRecord } from "../../core/json.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import type { Step } from "./listPath.ts";
import { countOf } from "./scalarText.ts";

const totalNames =
  /^(?:total|totalcount|totalresults|totalitems|totalentries|totalelements|totalsize|totalrecords|totalnum|totalservers|totalinstances|count|numfound|itemcount|recordcount|resultcount)$/;
const pageNames = /^(?:meta|metadata|pagination|paging|page|pageinfo|links?)$/;

/** The total that an object around the list tells, the innermost first; undefined where none does. */
export function readTotal(document: unknown, steps: readonly Step[]): number | undefined {
  const around: unknown[] = [document];
  let value = document;
  for (const step of steps) {
    if (!("field" in step) || !isRecord(value)) break;
    value = value[step.field];
    around.push(value);
  }
  for (const place of around.toReversed()) {
    const total = totalIn(place, 0);
    if (total !== undefined) return total;
  }
  return undefined;
}

function totalIn(value: unknown, depth: number): number | undefined {
  if (!isRecord(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const total = totalNames.test(fieldName(name)) ? countOf(inner) : undefined;
    if (total !== undefined) return total;
  }
  if (depth > 1) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const total = pageNames.test(fieldName(name)) ? totalIn(inner, depth + 1) : undefined;
    if (total !== undefined) return total;
  }
  return undefined;
}
