import { escapeInvisible } from "../../kernel/foreignText.ts";
import { isRecord } from "../../kernel/json.ts";

/** A body without the bytes of its images and audio. */
interface ElidedBody {
  readonly value: unknown;
  /** Number of parts that were left out. */
  readonly elided: number;
}

/** Base64 shorter than this doesn't disturb a reader. */
const shortestElided = 200;

const leftOut = /\[\d+ bytes left out\]/;

/** The parsed body of a request, with a note of its size in place of each image or audio file. */
export function elideMedia(body: unknown): ElidedBody {
  let elided = 0;
  function elide(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(elide);
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([name, field]): readonly [string, unknown] => {
      const note = typeof field === "string" ? noteInstead(name, field) : undefined;
      if (note === undefined) return [name, elide(field)];
      elided++;
      return [name, note];
    });
    return Object.fromEntries(entries);
  }
  const value = elide(body);
  return { value, elided };
}

/** Number of images and audio files that are already notes because the body was read from disk. */
export function countElided(text: string): number {
  return [...text.matchAll(new RegExp(leftOut, "g"))].length;
}

function noteInstead(name: string, text: string): string | undefined {
  if (text.length < shortestElided) return undefined;
  if (name === "data" && isBase64(text)) return note("", text.length);
  const head = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w=.+-]+)*;base64,/.exec(text)?.[0];
  return head === undefined ? undefined : note(head, text.length - head.length);
}

function note(head: string, length: number): string {
  return `${head}[${Math.floor((length * 3) / 4)} bytes left out]`;
}

/** Only the start and the end are checked, because the text may be many megabytes. */
function isBase64(text: string): boolean {
  return /^[\w+/-]+$/.test(text.slice(0, shortestElided)) && /^[\w+/-]*={0,2}$/.test(text.slice(-50));
}

/** A string in JSON notation in which nothing is hidden. Its escapes are the same in JSON, JavaScript and Python. */
export function quote(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}

/** Readable multi-line JSON: anything small and flat is on one line, so that a list of events looks like a table. */
export function jsonText(value: unknown, indent = "", width = 100): string {
  if (typeof value === "string") return quote(value);
  if (!Array.isArray(value) && !isRecord(value)) return JSON.stringify(value) ?? "null";
  const flat = isFlat(value) ? flatText(value) : undefined;
  if (flat !== undefined && indent.length + flat.length <= width) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item: unknown) => `${inner}${jsonText(item, inner, width)}`)
    : fieldsOf(value).map(([name, field]) => `${inner}${quote(name)}: ${jsonText(field, inner, width)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

function flatText(value: readonly unknown[] | Readonly<Record<string, unknown>>): string {
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item)).join(", ")}]`;
  const fields = fieldsOf(value).map(([name, field]) => `${quote(name)}: ${jsonText(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function isFlat(value: readonly unknown[] | Readonly<Record<string, unknown>>): boolean {
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.every(
    (item) => !Array.isArray(item) && !isRecord(item) && !(typeof item === "string" && item.length > 80),
  );
}

/** Fields without a value are omitted, as in JSON. */
export function fieldsOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}

/** A comment must stay on one line, whatever the name of a server, a model or an extension contains. */
export function oneLine(text: string): string {
  return quote(text).slice(1, -1).replaceAll('\\"', '"');
}
