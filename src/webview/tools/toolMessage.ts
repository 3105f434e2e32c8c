import type { Message } from "../../core/conversation.ts";
import type { MessageView } from "../messages/messageView.ts";
import { create } from "../dom.ts";
import type { ToolDesk } from "./toolDesk.ts";

/** A message that answers a call: it is shown in the card of the call, and has no place of its own. */
export function createToolMessage(message: Message, tools: ToolDesk): MessageView {
  const element = create("div", { class: "message tool", "data-message-id": message.id });
  element.hidden = true;
  tools.put(message);
  return {
    element,
    role: "tool",
    textLength: message.text.length,
    reasoningLength: message.reasoning.length,
    update: ({ role, status, finishReason, text }) =>
      role === "tool" &&
      status === message.status &&
      finishReason === message.finishReason &&
      text === message.text,
    append: () => undefined,
    change: () => undefined,
    render: () => undefined,
    place: () => undefined,
  };
}
