import type { Conversation, Message } from "./conversation.ts";
import type { Draft } from "./conversationStore.ts";
import { untitled } from "./conversationTitle.ts";
import { interruptedTool } from "./newMessage.ts";

export interface ForkSource extends Pick<Conversation, "title" | "model" | "settings"> {
  /** From the first message to the last one that is copied. */
  readonly path: readonly Message[];
}

/**
 * What a fork at the end of this path takes along: a user message goes into the composer, to be edited and sent again;
 * everything else stays a message.
 */
export function splitFork(path: readonly Message[]): {
  readonly path: readonly Message[];
  readonly draft?: Draft;
} {
  const last = path.at(-1);
  if (last?.role !== "user") return { path };
  return { path: path.slice(0, -1), draft: { text: last.text, attachments: last.attachments } };
}

/** The title followed by the next free number: "Title (2)", then "Title (3)", whichever of them is forked. */
export function forkTitle(title: string, titles: readonly string[]): string {
  if (title === untitled) return title;
  const { base } = readNumber(title);
  const numbers = titles
    .map(readNumber)
    .filter((other) => other.base === base)
    .map(({ number }) => number);
  return `${base} (${numbers.reduce((left, right) => Math.max(left, right), 1) + 1})`;
}

/** A title without a number counts as the first. */
function readNumber(title: string): { readonly base: string; readonly number: number } {
  const start = title.endsWith(")") ? title.lastIndexOf(" (") : -1;
  const digits = title.slice(start + 2, -1);
  const isNumbered = start > 0 && /^[1-9]\d{0,5}$/.test(digits);
  return isNumbered ? { base: title.slice(0, start), number: Number(digits) } : { base: title, number: 1 };
}

/**
 * A separate conversation that begins with the path. Messages that are still growing are copied as they are, as
 * stopped. A running call stays with the original: the copy records only that it may have run.
 */
export function forkConversation(
  { path, title, model, settings }: ForkSource,
  { createId, now }: { readonly createId: () => string; readonly now: number },
): Conversation {
  let parentId: string | undefined;
  const messages = path.map((message): Message => {
    const id = createId();
    const copy: Message = {
      ...settled(message),
      id,
      ...(parentId === undefined ? {} : { parentId }),
    };
    parentId = id;
    return copy;
  });
  return {
    id: createId(),
    title,
    createdAt: now,
    updatedAt: now,
    messages,
    ...(model === undefined ? {} : { model }),
    ...(settings === undefined ? {} : { settings }),
  };
}

function settled(message: Message): Message {
  if (message.status !== "streaming") return message;
  return message.role === "tool" ? interruptedTool(message) : { ...message, status: "stopped" };
}
