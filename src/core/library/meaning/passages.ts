import type { Conversation } from "../../conversation/conversation.ts";

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
/** What is shown of a passage, in UTF-16 units. */
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
