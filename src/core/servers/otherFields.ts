import { isRecord } from "../kernel/json.ts";
import { sanitizeLabel } from "../kernel/foreignText.ts";
import type { Server, ServerFact } from "./server.ts";
import { maskRecord } from "./secretMask.ts";

const maxDepth = 3;
const maxListItems = 5;

/**
 * At most `limit` short scalar fields of the record that aren't the source of a known fact, with secrets masked.
 * Computed when a tooltip needs it, never for a whole list.
 */
export function otherFields(server: Server, limit = 25): readonly ServerFact[] {
  const known = new Set(knownFacts(server).map((fact) => fact.source));
  const fields: ServerFact[] = [];
  collect(maskRecord(server.record), "", 0, (fact) => {
    if (!known.has(fact.source)) fields.push(fact);
    return fields.length < limit;
  });
  return fields;
}

/** The facts of a server that were read from one of its fields. */
export function knownFacts(server: Server): readonly ServerFact[] {
  const { id, name, statusText, gpu, gpuModel, gpuCount, region, address } = server;
  return [id, name, statusText, gpu, gpuModel, gpuCount, region, address].filter(
    (fact) => fact !== undefined,
  );
}

/** Calls `take` for each short scalar until it returns false; a record's own scalars come before nested ones. */
function collect(value: unknown, path: string, depth: number, take: (fact: ServerFact) => boolean): boolean {
  if (!isRecord(value) && !Array.isArray(value)) return true;
  const entries = Array.isArray(value)
    ? value.slice(0, maxListItems).map((item: unknown, index) => [`[${index}]`, item] as const)
    : Object.entries(value).map(([name, inner]) => [path === "" ? name : `.${name}`, inner] as const);
  for (const [step, inner] of entries) {
    const text = scalarText(inner);
    if (text !== undefined && !take({ value: text, source: sanitizeLabel(path + step) })) return false;
  }
  return depth >= maxDepth || entries.every(([step, inner]) => collect(inner, path + step, depth + 1, take));
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || value === "" || value.length > 300) return undefined;
  return sanitizeLabel(value, 120);
}
