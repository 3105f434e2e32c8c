import type { Message } from "../../core/conversation/conversation.ts";
import { AssistantMessage } from "./assistantMessage.ts";
import type { MessageContext, MessageView } from "./messageView.ts";
import { UserMessage } from "./userMessage.ts";

/**
 * The elements of a message. This file and what it imports, with Markdown more than half of the page's code, are loaded
 * after everything else, because a new chat has no messages and can be used without them.
 */
export function createMessageView(message: Message, context: MessageContext): MessageView {
  return message.role === "assistant"
    ? new AssistantMessage(message, context)
    : new UserMessage(message, context);
}
