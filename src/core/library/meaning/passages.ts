import type { Conversation } from "../../conversation/conversation.ts";

/**
 * The direction of an embedding in a byte for each dimension, which is enough to rank by and takes a quarter of the
 * space.
 */
export interface Vector {
  readonly values: Int8Array;
  /** The length of `values` as a vector. */
  readonly norm: number;
}

/** The vector for an embedding; undefined if it has no direction. */
export function quantize(embedding: readonly number[]): Vector | undefined {
  const largest = embedding.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(largest > 0 && Number.isFinite(largest))) return undefined;
  const values = Int8Array.from(embedding, (value) => Math.round((value / largest) * 127));
  return { values, norm: normOf(values) };
}

/** The vector with these stored values. */
export function vectorOf(values: Int8Array): Vector {
  return { values, norm: normOf(values) };
}

function normOf(values: Int8Array): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return Math.sqrt(sum);
}

/** The cosine of the angle between both, from -1 to 1; 0 if they come from different models. */
export function similarity(left: Vector, right: Vector): number {
  const [first, second] = [left.values, right.values];
  if (first.length !== second.length || left.norm === 0 || right.norm === 0) return 0;
  let sum = 0;
  for (let index = 0; index < first.length; index++) sum += (first[index] ?? 0) * (second[index] ?? 0);
  return sum / (left.norm * right.norm);
}

/** A passage that was compared with the search text. */
export interface Match {
  readonly conversationId: string;
  readonly messageId: string;
  readonly snippet: string;
  /** The cosine of the angle between the two embeddings, at most 1. */
  readonly score: number;
}

/** Below this, passages have nothing to do with each other, whatever the model. */
const leastScore = 0.15;
/** The share of the best score that the others need: models differ in what their scores mean. */
const leastShare = 0.75;

/** The most similar passages, one for each conversation. */
export class BestMatches {
  readonly #count: number;
  readonly #byConversation = new Map<string, Match>();

  constructor(count: number) {
    this.#count = count;
  }

  /** Keeps the match if it is good enough and better than that of the same conversation. */
  add(match: Match): void {
    const before = this.#byConversation.get(match.conversationId);
    if (match.score >= leastScore && (before === undefined || before.score < match.score))
      this.#byConversation.set(match.conversationId, match);
  }

  /** The best matches come first. */
  get matches(): readonly Match[] {
    const sorted = [...this.#byConversation.values()].toSorted((left, right) => right.score - left.score);
    const least = (sorted[0]?.score ?? 0) * leastShare;
    return sorted.filter(({ score }) => score >= least).slice(0, this.#count);
  }
}

/** A part of a message that is found as a whole. */
export interface Passage {
  readonly messageId: string;
  /** The position of the part in its message. */
  readonly part: number;
  readonly text: string;
  /** Identifies the text: a part with the same text doesn't have to be sent again. */
  readonly hash: string;
}

/** UTF-16 units of a passage, about 300 tokens: short enough for every embedding model. */
const longestPassage = 1_200;
/** A longer message is found by its beginning. */
const mostParts = 40;
/** UTF-16 units of a passage that are shown. */
const longestSnippet = 160;

/** The passages of everything that was said in a conversation. Takes time in proportion to its length. */
export function* passagesOf({ messages }: Pick<Conversation, "messages">): Generator<Passage> {
  for (const { id: messageId, role, status, text } of messages) {
    if (status === "streaming" || (role !== "user" && role !== "assistant")) continue;
    let part = 0;
    for (const piece of splitText(text)) {
      yield { messageId, part, text: piece, hash: hashOf(piece) };
      if (++part === mostParts) break;
    }
  }
}

/** Passages and UTF-16 units of a request for embeddings. */
const [mostPassages, mostUnits] = [16, 16_000];

/** The passages in the groups in which they are sent. */
export function* batches(passages: readonly Passage[]): Generator<readonly Passage[]> {
  let batch: Passage[] = [];
  let units = 0;
  for (const passage of passages) {
    if (batch.length === mostPassages || (batch.length > 0 && units + passage.text.length > mostUnits)) {
      yield batch;
      [batch, units] = [[], 0];
    }
    batch.push(passage);
    units += passage.text.length;
  }
  if (batch.length > 0) yield batch;
}

/** One line that shows what a passage is about. */
export function passageSnippet(text: string): string {
  const line = text.slice(0, longestSnippet).replace(/\s+/gu, " ").trim();
  return text.length > longestSnippet ? `${line.replace(/[\uD800-\uDBFF]$/u, "")}…` : line;
}

/** Cuts at the end of a paragraph, a line or a word if there is one in the second half of a piece. */
function* splitText(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = cutAt(text, start);
    const piece = text.slice(start, end).trim();
    if (piece !== "") yield piece;
    start = end;
  }
}

function cutAt(text: string, start: number): number {
  const end = start + longestPassage;
  if (end >= text.length) return text.length;
  const half = start + longestPassage / 2;
  for (const mark of ["\n\n", "\n", " "]) {
    const place = text.lastIndexOf(mark, end - mark.length);
    if (place >= half) return place + mark.length;
  }
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}

/** 53 bits of the text, by cyrb53. Two passages of one user don't collide by chance. */
function hashOf(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & low) + (high >>> 0)).toString(36);
}
