import type { Message } from "../../core/conversation.ts";
import { create } from "../dom.ts";
import type { MessageView } from "./messageView.ts";

const authors: Readonly<Record<Message["role"], string>> = {
  user: "You",
  system: "System",
  tool: "Tool",
  assistant: "Assistant",
};

/** A message that doesn't grow: shown as it was written. */
export function createUserMessage(message: Message): MessageView {
  const author = authors[message.role];
  const attachments = describeAttachments(message);
  const element = create(
    "article",
    { class: `message ${message.role}`, "aria-label": author, "data-message-id": message.id },
    create("h2", { class: "author" }, author),
    create("div", { class: "plain-text", dir: "auto" }, message.text),
    ...(attachments === "" ? [] : [create("p", { class: "attachments" }, attachments)]),
  );
  return {
    element,
    textLength: message.text.length,
    reasoningLength: message.reasoning.length,
    update: (next) => next.text === message.text && next.role === message.role,
    append: () => undefined,
    change: () => undefined,
    render: () => undefined,
    setLast: (isLast) => void element.classList.toggle("last", isLast),
  };
}

function describeAttachments(message: Message): string {
  const pictures = message.attachments.filter((part) => part.type === "image").length;
  const recordings = message.attachments.filter((part) => part.type === "audio").length;
  return [plural(pictures, "picture"), plural(recordings, "recording")]
    .filter((words) => words !== "")
    .join(", ");
}

function plural(count: number, noun: string): string {
  if (count === 0) return "";
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
