import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { createRandom } from "../../support/random.ts";
import { StoreFolder, storedMessage } from "../../support/storeFolder.ts";

/** Bytes that this process has handed to the file system. */
function bytesWritten(): number {
  return Number(/wchar: (\d+)/u.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

/** Seconds between two commits while a response grows. */
const commitSeconds = 0.15;

describe("A growing response", function () {
  // Only Linux counts the bytes.
  if (process.platform !== "linux") return;
  this.timeout(60_000);
  let folder: StoreFolder;
  let store: ConversationStore;
  const answer = storedMessage("answer", { role: "assistant", status: "streaming", text: "" });
  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
    store.save({ type: "conversation", fields: { id: "c1", title: "T", createdAt: 1, updatedAt: 1 } });
    store.save({ type: "message", conversationId: "c1", message: answer });
    store.flush();
  });
  afterEach(() => folder.remove());

  /** Grows by what comes between two commits, as often as this. Returns the text and the bytes of an average commit. */
  function grow(wordsPerSecond: number, commits: number): { readonly text: string; readonly bytes: number } {
    const random = createRandom(wordsPerSecond);
    const before = bytesWritten();
    let text = "";
    for (let commit = 0; commit < commits; commit++) {
      const words = Array.from({ length: wordsPerSecond * commitSeconds }, () =>
        Math.floor(random() * 1e6).toString(36),
      );
      const piece = `${words.join(" ")} `;
      store.appendDelta("c1", answer.id, { kind: "text", text: piece });
      store.flush();
      text += piece;
    }
    return { text, bytes: (bytesWritten() - before) / commits };
  }

  /** Ends the response and waits until it is searchable and everything is cleaned up. */
  async function end(text: string): Promise<void> {
    const message = { ...answer, status: "complete", text } as const;
    store.save({ type: "message", conversationId: "c1", message });
    store.flush();
    while (store.search("zzzz").extent !== "all") await setTimeout(20);
    await setTimeout(3_000);
    assert.equal(store.load("c1")?.messages[0]?.text, text);
  }

  for (const speed of [20, 100, 1_000])
    it(`costs at most 16 kB per commit at ${speed} words a second`, () => {
      const { bytes } = grow(speed, 100);
      assert.ok(bytes <= 16_000, `${bytes} bytes`);
    });

  it("costs at most 10 bytes for each byte of its text when it ends, along with the search index", async () => {
    const { text } = grow(1_000, 100);
    const before = bytesWritten();
    await end(text);
    const each = (bytesWritten() - before) / text.length;
    assert.ok(each <= 10, `${each} bytes for each`);
  });

  it("costs at most 10 bytes for each byte of its text in all at 5,000 words a second", async () => {
    const before = bytesWritten();
    const { text } = grow(5_000, 100);
    await end(text);
    const each = (bytesWritten() - before) / text.length;
    assert.ok(each <= 10, `${each} bytes for each`);
  });
});
