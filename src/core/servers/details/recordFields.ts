import { isRecord } from "../../kernel/json.ts";
import { maskRecord } from "../secretMask.ts";
import type { Server } from "../server.ts";
import { factNames } from "../serverFacts.ts";

/** A scalar of a record with its JSON pointer (RFC 6901). */
export interface RecordField {
  readonly pointer: string;
  readonly value: string;
}

const maxFields = 2_000;
const maxDepth = 12;

/** Every scalar of the record in displayable form: secrets are masked. */
export function recordFields(record: unknown): readonly RecordField[] {
  const fields: RecordField[] = [];
  const masked = maskRecord(record);
  walk(masked, masked, "", 0, (pointer, value) => fields.push({ pointer, value }) < maxFields);
  return fields;
}

/** The scalars of the record that aren't the source of a known fact, in displayable form. */
export function otherFields(server: Server): readonly RecordField[] {
  const known = new Set(factNames.map((name) => pointerOf(server[name]?.source ?? "")));
  return recordFields(server.record).filter(({ pointer }) => !known.has(pointer));
}

/** `gpu.items[0].model` as a JSON Pointer. */
function pointerOf(source: string): string {
  return `/${source.replace(/\[(\d+)\]/g, ".$1").replaceAll(".", "/")}`;
}

/** The scalars of the record that are masked wherever it is shown, with their real values. */
export function maskedFields(record: unknown): readonly RecordField[] {
  const fields: RecordField[] = [];
  walk(record, maskRecord(record), "", 0, (pointer, value, shown) => {
    if (value !== shown) fields.push({ pointer, value });
    return fields.length < maxFields;
  });
  return fields;
}

/** A name as a step of a JSON pointer. */
function pointerStep(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Walks through a value and its masked copy, which has the same structure, until `take` returns false. */
function walk(
  value: unknown,
  shown: unknown,
  pointer: string,
  depth: number,
  take: (pointer: string, value: string, shown: string) => boolean,
): boolean {
  if (depth > maxDepth) return true;
  if (Array.isArray(value)) {
    const copies: readonly unknown[] = Array.isArray(shown) ? shown : [];
    return value.every((item: unknown, index) =>
      walk(item, copies[index], `${pointer}/${index}`, depth + 1, take),
    );
  }
  if (isRecord(value)) {
    // Matched by position, because a name that is itself a secret differs in the copy.
    const copies = isRecord(shown) ? Object.entries(shown) : [];
    return Object.values(value).every((inner, index) => {
      const [name, copy] = copies[index] ?? ["", undefined];
      return walk(inner, copy, pointer + pointerStep(name), depth + 1, take);
    });
  }
  if (value === null || value === undefined || value === "") return true;
  return take(pointer, String(value), shown === undefined ? String(value) : String(shown));
}
