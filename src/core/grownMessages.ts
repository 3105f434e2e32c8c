import type { Message } from "./conversation.ts";
import type { MessageDelta } from "./conversationStore.ts";
import type { SessionEvent } from "./sessionEvent.ts";

/** Whether somebody still writes the message. */
export function isGrowing({ status }: Message): boolean {
  return status === "streaming";
}

/** The messages with what another window has stored of those that grow, and what listeners are to be told of it. */
export function takeInGrown(
  messages: readonly Message[],
  stored: readonly Message[],
): { readonly messages: readonly Message[]; readonly events: readonly SessionEvent[] } {
  const events: SessionEvent[] = [];
  const taken = messages.map((message) => {
    const grown = isGrowing(message) ? stored.find(({ id }) => id === message.id) : undefined;
    if (grown === undefined) return message;
    events.push(...growth(message, grown));
    return grown;
  });
  return { messages: taken, events };
}

function growth(message: Message, grown: Message): readonly SessionEvent[] {
  const delta: MessageDelta = {
    text: grown.text.slice(message.text.length),
    reasoning: grown.reasoning.slice(message.reasoning.length),
  };
  const hasGrown = delta.text !== "" || delta.reasoning !== "";
  return [
    ...(hasGrown ? [{ type: "delta", messageId: grown.id, delta } as const] : []),
    ...(isGrowing(grown) ? [] : [{ type: "messageChanged", message: grown } as const]),
  ];
}
