import { deflateSync, inflateSync } from "node:zlib";
import { isRecord, numberField, parseJson, stringField } from "../../core/kernel/json.ts";
import type { StreamLease } from "../database/streamLease.ts";

/** Identifies a message within its conversation. */
export interface MessagePlace {
  readonly conversationId: string;
  readonly messageId: string;
}

/** The IDs come from the caller and can't contain the separator by accident. */
export function messageKey({ conversationId, messageId }: MessagePlace): string {
  return `${conversationId}\n${messageId}`;
}

/** A piece of a streaming message, and where it begins. */
export interface JournaledGrowth extends MessagePlace {
  /** Number of UTF-8 bytes of the message's text and reasoning that precede the piece. */
  readonly at: { readonly text: number; readonly reasoning: number };
  readonly text: string;
  readonly reasoning: string;
}

/** A window writes its journal to the database before it reaches this many bytes. */
export const largestJournal = 16_000_000;
/** A piece of this length in UTF-16 units or more is compressed, to less than half. */
const longestPlain = 500;
/** As many bytes as the compression can look back. */
const longestContext = 32_768;

/** A message in the file. */
interface WrittenMessage {
  /** None is used twice: what can't be cut off must not seem to be another's. */
  readonly number: number;
  /** The end of what was compressed so far. */
  context: Buffer;
}

const noBytes = Buffer.alloc(0);

function contextAfter(context: Buffer, content: Buffer): Buffer {
  return Buffer.concat([context, content]).subarray(-longestContext);
}

function lookingBack(context: Buffer): { readonly dictionary?: Buffer } {
  return context.length === 0 ? {} : { dictionary: context };
}

/**
 * The content of a journal. Each line is JSON: first its owner, then in order the messages and their pieces, which
 * begin with the number of the message. The bytes of a compressed piece follow its line; what also occurs in the
 * message's earlier compressed pieces is only referred to.
 */
export class GrowthFormat {
  readonly #messages = new Map<string, WrittenMessage>();
  #nextNumber = 0;

  /** What follows is read without what was formatted so far. */
  restart(): void {
    this.#messages.clear();
  }

  /** The bytes of a piece, which follow those of the pieces before it. */
  format({ conversationId, messageId, at, text, reasoning }: JournaledGrowth): Buffer {
    const key = messageKey({ conversationId, messageId });
    const known = this.#messages.get(key);
    const written = known ?? { number: this.#nextNumber++, context: noBytes };
    this.#messages.set(key, written);
    const { number } = written;
    const message = known === undefined ? line({ number, conversationId, messageId }) : "";
    const start = [number, at.text, at.reasoning];
    if (text.length + reasoning.length < longestPlain)
      return Buffer.from(message + line([...start, text, reasoning]));
    const content = Buffer.from(JSON.stringify([text, reasoning]));
    const packed = deflateSync(content, lookingBack(written.context));
    written.context = contextAfter(written.context, content);
    return Buffer.concat([Buffer.from(message + line([...start, packed.length])), packed]);
  }
}

/** The first line. */
export function formatOwner(owner: StreamLease): Buffer {
  return Buffer.from(line(owner));
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** A message while its pieces are read. */
interface ReadMessage {
  readonly place: MessagePlace;
  /** The end of what its compressed pieces contain so far. */
  context: Buffer;
}

/** The pieces of a journal, without those that were cut off when their writer was killed. */
export function parseJournal(bytes: Buffer): {
  readonly owner: unknown;
  readonly growths: readonly JournaledGrowth[];
} {
  const messages = new Map<unknown, ReadMessage>();
  const growths: JournaledGrowth[] = [];
  let owner: unknown;
  let start = 0;
  for (let end = bytes.indexOf("\n"); end !== -1; end = bytes.indexOf("\n", start)) {
    const value = parseJson(bytes.toString("utf8", start, end));
    if (start === 0) owner = value;
    start = end + 1;
    if (Array.isArray(value)) {
      const [number, text, reasoning, ...content]: readonly unknown[] = value;
      const message = messages.get(number);
      const packed = typeof content[0] === "number" ? bytes.subarray(start, start + content[0]) : undefined;
      start += packed?.length ?? 0;
      const piece = packed === undefined ? content : unpack(packed, message);
      growths.push(...parsePiece(message?.place, { text, reasoning }, piece));
    } else if (isRecord(value)) {
      const place = parsePlace(value);
      if (place !== undefined) messages.set(value["number"], { place, context: noBytes });
    }
  }
  return { owner, growths };
}

/** Empty for a piece that was cut off when its writer was killed. */
function parsePiece(
  place: MessagePlace | undefined,
  at: Readonly<Record<string, unknown>>,
  [text, reasoning]: readonly unknown[],
): readonly JournaledGrowth[] {
  if (place === undefined || typeof text !== "string" || typeof reasoning !== "string") return [];
  const start = { text: numberField(at, "text") ?? 0, reasoning: numberField(at, "reasoning") ?? 0 };
  return [{ ...place, at: start, text, reasoning }];
}

/** Empty for bytes that were cut off, or don't follow the pieces that they refer to. */
function unpack(packed: Buffer, message: ReadMessage | undefined): readonly unknown[] {
  if (message === undefined) return [];
  try {
    const content = inflateSync(packed, {
      maxOutputLength: largestJournal,
      ...lookingBack(message.context),
    });
    message.context = contextAfter(message.context, content);
    const texts = parseJson(content.toString());
    return Array.isArray(texts) ? texts : [];
  } catch {
    return [];
  }
}

function parsePlace(value: Readonly<Record<string, unknown>>): MessagePlace | undefined {
  const [conversationId, messageId] = [stringField(value, "conversationId"), stringField(value, "messageId")];
  return conversationId === undefined || messageId === undefined ? undefined : { conversationId, messageId };
}
