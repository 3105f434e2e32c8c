import type { Message } from "../../conversation/conversation.ts";
import type { Imported } from "./imported.ts";

/** Maximum characters of text, images and audio in a slice, unless a single conversation is longer. */
const sliceLength = 1_000_000;

/** The conversations in slices that can be processed without a noticeable pause; at least one. */
export function* importSlices({ conversations, leftOut }: Imported): Generator<Imported> {
  let [first, length] = [0, 0];
  for (const [index, { messages }] of conversations.entries()) {
    length += messages.reduce((sum, message) => sum + messageLength(message), 0);
    if (length < sliceLength) continue;
    yield { conversations: conversations.slice(first, index + 1), leftOut: 0 };
    [first, length] = [index + 1, 0];
  }
  yield { conversations: conversations.slice(first), leftOut };
}

/** Characters of a message including everything attached. */
function messageLength({ text, attachments }: Message): number {
  return attachments.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text : part.data).length,
    text.length,
  );
}
