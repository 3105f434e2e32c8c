import type { Conversation, Message } from "./conversation.ts";

export interface ForkSource extends Pick<Conversation, "title" | "model" | "settings"> {
  /** From the first message to the last one that is taken along. */
  readonly path: readonly Message[];
}

/** A conversation of its own that begins as the path did. What is still growing is taken along as it is, stopped. */
export function forkConversation(
  { path, title, model, settings }: ForkSource,
  { createId, now }: { readonly createId: () => string; readonly now: number },
): Conversation {
  let parentId: string | undefined;
  const messages = path.map((message): Message => {
    const id = createId();
    const copy: Message = {
      ...message,
      id,
      ...(parentId === undefined ? {} : { parentId }),
      status: message.status === "streaming" ? "stopped" : message.status,
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
