import "../kit/translations.ts";
import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { ToWebview } from "../../core/panel/protocol.ts";
import { canShowAttachments, loadAttachmentViews } from "../composer/attachments/loadAttachmentViews.ts";
import { canDecode, loadEntities } from "../markdown/entities.ts";
import { ChatPage } from "./chatPage.ts";
import { acquireHost } from "../kit/host.ts";
import { keepPageKeys } from "../kit/keyboard/fieldKeys.ts";
import { onHostMessage, reportErrors } from "../kit/hostMessages.ts";
import { HostWatchdog } from "../kit/hostWatchdog.ts";
import { shareHighlights } from "../kit/sharedHighlights.ts";

const host = acquireHost();

reportErrors(host);
shareHighlights(document);
window.addEventListener("focus", () => host.post({ type: "focused" }));
window.addEventListener("blur", () => host.post({ type: "blurred" }));

/**
 * Passes the host's messages to the page in order. Those with text or attachments to render wait until everything that
 * renders them is loaded, and so does everything after them.
 */
class ReceiveQueue {
  readonly #page: ChatPage;
  readonly #waiting: ToWebview[] = [];
  #isLoading = false;

  constructor(page: ChatPage) {
    this.#page = page;
  }

  add(message: ToWebview): void {
    if (this.#waiting.length === 0 && this.#listMissing(message).length === 0)
      return this.#page.receive(message);
    this.#waiting.push(message);
    if (!this.#isLoading) void this.#load();
  }

  /** The functions that load what showing the message needs and the page lacks. */
  #listMissing(message: ToWebview): readonly (() => Promise<unknown>)[] {
    const { transcript } = this.#page;
    const texts = markdownIn(message);
    return [
      ...(texts.length === 0 || transcript.isLoaded ? [] : [() => transcript.load()]),
      ...(texts.every(canDecode) ? [] : [loadEntities]),
      ...(canShowAttachments(attachmentsIn(message)) ? [] : [loadAttachmentViews]),
    ];
  }

  /** If loading fails, the error is reported and the next message tries again. */
  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        await Promise.all(this.#listMissing(next).map((load) => load()));
        this.#waiting.shift();
        this.#page.receive(next);
      }
    } finally {
      this.#isLoading = false;
    }
  }
}

/** The texts of the conversation's messages in this message. */
function markdownIn(message: ToWebview): readonly string[] {
  if (message.type === "messageChanged") return [""];
  const grown = message.type === "delta" ? [message] : messagesIn(message);
  return grown.flatMap(({ text, reasoning }) => [text, reasoning]);
}

/** The attachments of messages and drafts in this message. */
function attachmentsIn(message: ToWebview): readonly ContentPart[] {
  const drafts =
    message.type === "snapshot" ? [message.snapshot.draft] : message.type === "draft" ? [message.draft] : [];
  return [...messagesIn(message), ...drafts].flatMap(({ attachments }) => attachments);
}

function messagesIn(message: ToWebview): readonly Message[] {
  switch (message.type) {
    case "snapshot":
      return message.snapshot.messages;
    case "path":
      return message.path.messages;
    case "earlier":
      return message.messages;
    case "messageAdded":
      return [message.message];
    default:
      return [];
  }
}

async function prepareMessages({ transcript }: ChatPage): Promise<void> {
  await transcript.load();
  const { rehearse } = await import("../transcript/messageViews.ts");
  await rehearse();
}

const root = document.getElementById("app");
if (root !== null) {
  const hostWatchdog = new HostWatchdog(host);
  const page = new ChatPage(root, hostWatchdog.host);
  const queue = new ReceiveQueue(page);
  onHostMessage<ToWebview>((message) => {
    hostWatchdog.messageReceived(message);
    queue.add(message);
  });
  root.querySelector(".bottom-column")?.prepend(hostWatchdog.element);
  keepPageKeys();
  hostWatchdog.host.post({ type: "ready" });
  // Loaded early, so that the first response doesn't have to wait.
  requestIdleCallback(() => void prepareMessages(page), { timeout: 2000 });
}
