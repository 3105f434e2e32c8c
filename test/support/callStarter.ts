// A separate process that starts a tool call at the same moment as others, and prints the outcome.
import { once } from "node:events";
import { SqliteConversationStore } from "../../src/storage/conversations/conversationStore.ts";
import { storedMessage } from "./storeFolder.ts";

const [file = "", id = "", replacedId = ""] = process.argv.slice(2);
const store = new SqliteConversationStore(file, {
  now: () => Date.now(),
  onProblem: (sentence) => process.stderr.write(`${sentence}\n`),
});
const message = storedMessage(replacedId === "" ? id : replacedId, {
  ...{ role: "tool", status: "streaming", text: "", parentId: "answer", toolCallId: "call" },
});
process.stdout.write("ready\n");
// When all of them are ready. The second line comes when all have printed their outcome: until then, the lease of each
// shows the others that it is alive.
await once(process.stdin, "data");
process.stdout.write(await store.startCall("c1", message));
await once(process.stdin, "data");
store.close();
process.stdin.destroy();
