// A separate process that writes conversations: `stream` until it is killed, `hammer` until it is done.
import type { Message } from "../../src/core/conversation/conversation.ts";
import { SqliteConversationStore } from "../../src/storage/conversations/conversationStore.ts";

const [file = "", mode = "", id = ""] = process.argv.slice(2);
const store = new SqliteConversationStore(file, {
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
  store.save({ type: "conversation", fields: { id: "c1", title: "Stream", createdAt: 1, updatedAt: 1 } });
  const current = (): Message => ({ ...message("m1", "streaming"), text: "0123456789".repeat(length / 10) });
  store.save({ type: "message", conversationId: "c1", message: current() }, current);
  setInterval(() => {
    store.appendDelta("c1", "m1", { kind: "text", text: "0123456789" });
    length += 10;
    const durable = length;
    // However slow the machine is, earlier timers run first.
    if (length % 100 === 0) setTimeout(() => process.stdout.write(`${durable}\n`), durableAfterMs);
  }, 5);
} else {
  store.save({ type: "conversation", fields: { id, title: id, createdAt: 1, updatedAt: 1 } });
  for (let i = 0; i < 200; i++) {
    store.save({ type: "message", conversationId: id, message: message(`${id}${i}`, "complete") });
    if (i % 3 === 0) store.flush();
    if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // If another process has blocked a write, the store itself retries it.
  while ((store.load(id)?.messages.length ?? 0) < 200)
    await new Promise((resolve) => setTimeout(resolve, 20));
  store.close();
}
