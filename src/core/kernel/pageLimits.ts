import { isRecord } from "./json.ts";

/** What a page may send of one type of message. */
export interface MessageLimit {
  /** Of all its texts together, in UTF-16 units or bytes. */
  readonly size: number;
  /** How many may come at once. */
  readonly burst: number;
  /** How many may come in the long run. */
  readonly perSecond: number;
}

export type Admission = "admitted" | "tooLarge" | "tooMany";

/** Levels of objects and lists in one message. */
const maxDepth = 64;
/** Entries of one list or object. */
const maxEntries = 20_000;
/** What an entry counts beside its text. */
const entrySize = 8;

/**
 * Bounds what comes from a page, which may have been taken over by what it shows: the size of a message before anything
 * reads it, and how many come.
 */
export class PageLimits {
  readonly #limitOf: (type: string) => MessageLimit | undefined;
  /** Milliseconds since any fixed moment. */
  readonly #now: () => number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(limitOf: (type: string) => MessageLimit | undefined, now: () => number) {
    this.#limitOf = limitOf;
    this.#now = now;
  }

  /** What is of no known type counts as admitted: the parser refuses it. Takes one from what may still come. */
  admit(message: unknown): Admission {
    const type = isRecord(message) ? message["type"] : undefined;
    const limit = typeof type === "string" ? this.#limitOf(type) : undefined;
    if (typeof type !== "string" || limit === undefined) return "admitted";
    if (!this.#take(type, limit)) return "tooMany";
    return isLarger(message, limit.size) ? "tooLarge" : "admitted";
  }

  #take(type: string, { burst, perSecond }: MessageLimit): boolean {
    const now = this.#now();
    const { left, at } = this.#buckets.get(type) ?? { left: burst, at: now };
    const filled = Math.min(burst, left + ((now - at) / 1000) * perSecond);
    this.#buckets.set(type, { left: filled < 1 ? filled : filled - 1, at: now });
    return filled >= 1;
  }
}

/** Stops looking as soon as the value is too large, too deep or has too many entries. */
function isLarger(value: unknown, size: number): boolean {
  let left = size;
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    left -= entrySize;
    if (typeof next.value === "string") left -= next.value.length;
    else if (ArrayBuffer.isView(next.value)) left -= next.value.byteLength;
    else if (typeof next.value === "object" && next.value !== null) {
      const entries = Object.entries(next.value);
      if (next.depth >= maxDepth || entries.length > maxEntries) return true;
      for (const [key, inner] of entries) {
        left -= key.length;
        open.push({ value: inner, depth: next.depth + 1 });
      }
    }
    if (left < 0) return true;
  }
  return false;
}
