import { isRecord } from "../../kernel/json.ts";
import { fieldName } from "../fieldName.ts";
import { isSecretField, maskRecord } from "../secretMask.ts";

const maxDepth = 6;
const maxValues = 50;

/**
 * The scalar values of the fields that match `field`: a JSON pointer (`/gpu/model`), a dotted path (`gpu.model`) or the
 * name of a field at any depth, in any spelling. Secrets are excluded, so that a filter can't be used to guess them.
 */
export function recordValues(record: unknown, field: string): readonly string[] {
  const values: string[] = [];
  if (field.startsWith("/")) follow(record, pointerSteps(field), values);
  else if (field.includes(".")) follow(record, field.split("."), values);
  if (values.length === 0 && !field.startsWith("/")) search(record, fieldName(field), 0, values);
  return values;
}

/** The names in a JSON pointer (RFC 6901). */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function follow(value: unknown, steps: readonly string[], values: string[]): void {
  const [step, ...rest] = steps;
  if (step === undefined) {
    takeAll(maskRecord(value), 0, values);
    return;
  }
  if (Array.isArray(value)) {
    const items = shownItems(value);
    if (/^\d+$/.test(step)) follow(items[Number(step)], rest, values);
    else for (const item of items.slice(0, maxValues)) follow(item, step === "*" ? rest : steps, values);
    return;
  }
  if (!isRecord(value)) return;
  const wanted = step.toLowerCase();
  for (const [name, inner] of Object.entries(value)) {
    const isMeant = step === "*" || name.toLowerCase() === wanted;
    if (isMeant && !isSecretField(value, name)) follow(inner, rest, values);
  }
}

/** In a list of texts, each one may mark the next as a secret. */
function shownItems(list: readonly unknown[]): readonly unknown[] {
  if (!list.some((item) => typeof item === "string")) return list;
  const shown = maskRecord(list);
  return Array.isArray(shown) ? shown : [];
}

function search(value: unknown, wanted: string, depth: number, values: string[]): void {
  if (typeof value !== "object" || value === null || depth > maxDepth || values.length >= maxValues) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, maxValues)) search(item, wanted, depth + 1, values);
    return;
  }
  if (!isRecord(value)) return;
  for (const name of Object.keys(value)) {
    if (isSecretField(value, name)) continue;
    if (fieldName(name) === wanted) takeAll(maskRecord(value[name]), 0, values);
    else search(value[name], wanted, depth + 1, values);
  }
}

/** A scalar, the scalars of a list, or those of an object; secrets are already masked. */
function takeAll(value: unknown, depth: number, values: string[]): void {
  if (values.length >= maxValues || depth > 3) return;
  if (typeof value === "string") values.push(value);
  else if (typeof value === "number" || typeof value === "boolean") values.push(String(value));
  else if (Array.isArray(value)) for (const item of value) takeAll(item, depth + 1, values);
  else if (isRecord(value)) {
    for (const inner of Object.values(value)) takeAll(inner, depth + 1, values);
  }
}
