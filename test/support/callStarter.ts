// A separate process that starts a tool call at the same moment as others, and prints the outcome.
import { SqliteConversationStore } from "../../src/storage/conversations/conversationStore.ts";
import { storedMessage } from "./storeFolder.ts";

const [file = "", id = "", startAt = "0", replacedId = ""] = process.argv.slice(2);
const store = new SqliteConversationStore(file, {
  now: () => Date.now(),
  onProblem: (sentence) => process.stderr.write(`${sentence}\n`),
});
const message = storedMessage(replacedId === "" ? id : replacedId, {
  ...{ role: "tool", status: "streaming", text: "", parentId: "answer", toolCallId: "call" },
});
// Not with a timer, because the processes should start within a fraction of a millisecond.
while (Date.now() < Number(startAt));
process.stdout.write(await store.startCall("c1", message));
// Its lease shows that it is alive for as long as the others may check.
await new Promise((resolve) => setTimeout(resolve, 1_000));
store.close();
