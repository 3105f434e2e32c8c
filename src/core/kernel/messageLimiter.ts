import { isRecord } from "./json.ts";

/** Limits for one type of message from a page. */
export interface MessageLimit {
  /** Total size of all its texts, in UTF-16 units or bytes. */
  readonly size: number;
  /** How many may arrive at once. */
  readonly burst: number;
  /** How many may arrive per second in the long run. */
  readonly perSecond: number;
}

/** For errors in the page's own code. */
export const pageErrorLimit: MessageLimit = { size: 100_000, burst: 20, perSecond: 0.2 };

/** The limit for this type of message, which comes from the page; undefined for an unknown type. */
export function limitIn(
  limits: Readonly<Record<string, MessageLimit>>,
  type: string,
): MessageLimit | undefined {
  return Object.hasOwn(limits, type) ? limits[type] : undefined;
}

/** Whether a message is passed on, and why not. */
type Admission = "admitted" | "tooLarge" | "tooMany";

/** Maximum nesting of objects and lists in one message. */
const maxDepth = 64;
/** Maximum entries of one list or object. */
const maxEntries = 20_000;
/** The size of an entry in addition to its text. */
const entrySize = 8;

/**
 * Limits what comes from a page, which may have been compromised by its content: the size of a message before anything
 * reads it, and the number of messages.
 */
export class MessageLimiter {
  readonly #limitOf: (type: string) => MessageLimit | undefined;
  /** Milliseconds since any fixed point in time. */
  readonly #now: () => number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(limitOf: (type: string) => MessageLimit | undefined, now: () => number) {
    this.#limitOf = limitOf;
    this.#now = now;
  }

  /** Counts the message against its limit. A message of unknown type is admitted, because the parser rejects it. */
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

/** Stops as soon as the value is too large, too deep or has too many entries. */
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
