import { isRecord } from "../../kernel/json.ts";

/** A body without the bytes of its images and audio. */
export interface ElidedBody {
  readonly value: unknown;
  /** How many pieces were left out. */
  readonly elided: number;
}

/** Base64 that is shorter than this doesn't disturb a reader. */
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

/** The first and the last of it decide: it may be many megabytes. */
function isBase64(text: string): boolean {
  return /^[\w+/-]+$/.test(text.slice(0, shortestElided)) && /^[\w+/-]*={0,2}$/.test(text.slice(-50));
}
