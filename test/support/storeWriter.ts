// A separate process that writes conversations: `stream` until it is killed, `hammer` until it is done.
import type { Message } from "../../src/core/conversation/conversation.ts";
import { openConversationStore } from "../../src/storage/conversations/openConversationStore.ts";

const [file = "", mode = "", id = ""] = process.argv.slice(2);
const store = await openConversationStore(file, {
  now: () => Date.now(),
  onProblem(sentence) {
    process.stderr.write(`${sentence}\n`);
    process.exit(1);
  },
});
const message = (messageId: string, status: Message["status"]): Message => ({
  id: messageId,
  role: "assistant",
  status,
  createdAt: Date.now(),
  text: "",
  attachments: [],
  reasoning: "",
  toolCalls: [],
});

if (mode === "stream") {
  const durableAfterMs = 250;
  let length = 0;
  store.saveConversation({ id: "c1", title: "Stream", createdAt: 1, updatedAt: 1 });
  store.saveMessage("c1", message("m1", "streaming"));
  setInterval(() => {
    store.appendDelta("c1", "m1", { kind: "text", text: "0123456789" });
    length += 10;
    const durable = length;
    // However slow the machine is, earlier timers run first.
    if (length % 100 === 0) setTimeout(() => process.stdout.write(`${durable}\n`), durableAfterMs);
  }, 5);
} else {
  store.saveConversation({ id, title: id, createdAt: 1, updatedAt: 1 });
  for (let i = 0; i < 200; i++) {
    store.saveMessage(id, message(`${id}${i}`, "complete"));
    if (i % 3 === 0) store.flush();
    if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // If another process has blocked a write, the store itself retries it.
  while ((store.load(id)?.messages.length ?? 0) < 200)
    await new Promise((resolve) => setTimeout(resolve, 20));
  store.close();
}
