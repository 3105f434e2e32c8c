import type { Conversation, Message } from "./conversation.ts";
import { interruptedTool } from "./newMessage.ts";

export interface ForkSource extends Pick<Conversation, "title" | "model" | "settings"> {
  /** From the first message to the last one that is taken along. */
  readonly path: readonly Message[];
}

/**
 * A conversation of its own that begins as the path did. What is still growing is taken along as it is, stopped.
 * A call that runs stays with the original: of the copy it is only known that it may have run.
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
