import * as v from "valibot";
import { isRecord } from "./json.ts";

/** How much a page may send of one type of message. */
export interface MessageLimit {
  /** Total size of all its texts, in UTF-16 units or bytes. */
  readonly size: number;
  /** How many may arrive at once. */
  readonly burst: number;
  /** How many may arrive per second in the long run. */
  readonly perSecond: number;
}

/** The rule for one type of message from a page: what it contains, and how much of it is accepted. */
export interface MessageRule<Message> extends MessageLimit {
  readonly type: string;
  /** Drops members that it doesn't name. */
  readonly schema: v.GenericSchema<unknown, Message>;
}

/** The messages that are accepted according to the rules of a page. */
export type MessageOf<Rules extends readonly { readonly schema: v.GenericSchema }[]> = v.InferOutput<
  Rules[number]["schema"]
>;

/** What the host does with the messages of a page. */
export type MessageHandlers<Message extends { readonly type: string }> = {
  readonly [T in Message["type"]]: (message: Extract<Message, { readonly type: T }>) => unknown;
};

/** The rule for a message with these members in addition to its type. */
export function rule<const T extends string, Members extends v.ObjectEntries>(
  type: T,
  limit: MessageLimit,
  members: Members,
) {
  return { type, ...limit, schema: v.object({ type: v.literal(type), ...members }) };
}

/** For values that the disk contains as well, so that there is a parser for them already. */
export function parsedBy<T>(parse: (value: unknown) => T) {
  return v.pipe(v.unknown(), v.transform(parse));
}

/** For an error in the page's own code, to be logged. */
export const pageError = rule(
  "pageError",
  { size: 100_000, burst: 20, perSecond: 0.2 },
  { message: v.pipe(v.string(), v.maxLength(4_000)) },
);

/** Parses a message from a page; undefined for anything that has no rule or doesn't match it. */
export function parseMessage<Message>(
  rules: readonly MessageRule<Message>[],
  raw: unknown,
): Message | undefined {
  const schema = ruleFor(rules, raw)?.schema;
  const parsed = schema && v.safeParse(schema, raw, { abortEarly: true });
  return parsed?.success === true ? parsed.output : undefined;
}

interface AnyHandler<Message> {
  handle(message: Message): unknown;
}

function ruleFor<Message>(
  rules: readonly MessageRule<Message>[],
  raw: unknown,
): MessageRule<Message> | undefined {
  return isRecord(raw) ? rules.find(({ type }) => type === raw["type"]) : undefined;
}

/** Why a message isn't passed on. */
export type Refusal = "tooLarge" | "tooMany" | "unknown";

/** Maximum nesting of objects and lists in one message. */
const maxDepth = 64;
/** Maximum entries of one list or object. */
const maxEntries = 20_000;
/** The size of an entry in addition to its text. */
const entrySize = 8;

interface PageMessagesContext<Message extends { readonly type: string }> {
  readonly rules: readonly MessageRule<Message>[];
  readonly handlers: MessageHandlers<Message>;
  /** Milliseconds since any fixed point in time. */
  now(): number;
  onRefused?(refusal: Refusal, raw: unknown): void;
  /** Called when a handler fails. */
  onError(error: unknown): void;
}

/**
 * The messages from one page, which may have been compromised by its content: limits their number, and the size of each
 * before anything else looks at it, parses them, and calls their handlers.
 */
export class PageMessages<Message extends { readonly type: string }> {
  readonly #context: PageMessagesContext<Message>;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(context: PageMessagesContext<Message>) {
    this.#context = context;
  }

  /** Handles the message unless its rule refuses it. */
  receive(raw: unknown): void {
    const { rules, handlers, onRefused, onError } = this.#context;
    const message = this.#admit(ruleFor(rules, raw), raw);
    if (typeof message === "string") return onRefused?.(message, raw);
    // A handler accepts only messages of the type that it is filed under, which the compiler can't follow here.
    const byType: Readonly<Record<string, AnyHandler<Message>["handle"]>> = handlers;
    const handle = async (): Promise<unknown> => byType[message.type]?.(message);
    handle().catch(onError);
  }

  #admit(rule: MessageRule<Message> | undefined, raw: unknown): Message | Refusal {
    if (rule === undefined) return "unknown";
    if (!this.#take(rule)) return "tooMany";
    if (isLarger(raw, rule.size)) return "tooLarge";
    return parseMessage([rule], raw) ?? "unknown";
  }

  #take({ type, burst, perSecond }: MessageRule<Message>): boolean {
    const now = this.#context.now();
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
