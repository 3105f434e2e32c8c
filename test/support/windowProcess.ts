// A separate process that has a store open, and does what the lines of JSON on its standard input say.
import { createInterface } from "node:readline";
import { isRecord, parseJson } from "../../src/core/kernel/json.ts";
import { SqliteConversationStore } from "../../src/storage/conversations/conversationStore.ts";
import { storedMessage } from "./storeFolder.ts";

/** Milliseconds after which what was shown must survive the end of the process. */
const durableAfterMs = 250;
const tickMs = 20;

function tell(message: unknown): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const [file = ""] = process.argv.slice(2);
const store = new SqliteConversationStore(file, {
  now: () => Date.now(),
  onProblem: (sentence) => tell({ problem: sentence }),
  onTrouble: (sentence) => tell({ trouble: sentence ?? "" }),
});

/** Streams numbered words into a message, so that a missing or repeated one is noticed. */
function stream(id: string, messageId: string, wordsPerSecond: number): void {
  const message = storedMessage(messageId, { role: "assistant", status: "streaming", text: "" });
  let [text, words] = ["", 0];
  store.save({ type: "conversation", fields: { id, title: id, createdAt: 1, updatedAt: 1 } });
  store.save({ type: "message", conversationId: id, message }, () => ({ ...message, text }));
  const start = performance.now();
  setInterval(() => {
    let added = "";
    while (words < ((performance.now() - start) * wordsPerSecond) / 1_000) added += `w${words++} `;
    if (added === "") return;
    text += added;
    store.appendDelta(id, messageId, { kind: "text", text: added });
    const durable = text.length;
    // However slow the machine is, earlier timers run first.
    setTimeout(() => tell({ durable }), durableAfterMs);
  }, tickMs);
}

const methods: Readonly<Record<string, (...parameters: never[]) => unknown>> = {
  stream,
  save: store.save.bind(store),
  load: store.load.bind(store),
  list: store.list.bind(store),
  loadDraft: store.loadDraft.bind(store),
  loadQueue: store.loadQueue.bind(store),
  startCall: store.startCall.bind(store),
  takeQueued: store.takeQueued.bind(store),
  claim: store.claim.bind(store),
  search: store.search.bind(store),
  persist: store.persist.bind(store),
  close: store.close.bind(store),
  /** Waits for a moment, so that several processes do the next thing within a fraction of a millisecond. */
  wait(until: number) {
    while (Date.now() < until);
  },
};

createInterface(process.stdin).on("line", (line) => void answer(parseJson(line)));
tell({ ready: true });

async function answer(request: unknown): Promise<void> {
  if (!isRecord(request) || !Array.isArray(request["parameters"])) throw new Error("no request");
  const method = methods[String(request["method"])] ?? (() => undefined);
  try {
    const result: unknown = await method(...(request["parameters"] as never[]));
    tell({ result: result ?? "" });
  } catch (error) {
    tell({ error: String(error) });
  }
}
