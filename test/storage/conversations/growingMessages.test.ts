import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { GrowingMessages } from "../../../src/storage/conversations/growingMessages.ts";
import { openConversationStore } from "../../../src/storage/conversations/openConversationStore.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

const [first, second, elsewhere] = [
  { conversationId: "c1", messageId: "m1" },
  { conversationId: "c1", messageId: "m2" },
  { conversationId: "c2", messageId: "m1" },
] as const;

describe("GrowingMessages", () => {
  /** The number of leases that were given up. */
  let givenUp: number;
  beforeEach(() => (givenUp = 0));

  function createGrowing(): GrowingMessages {
    const growing = new GrowingMessages({ now: () => 1, monotonic: () => 1, add: () => givenUp++ });
    for (const place of [first, second, elsewhere]) growing.add(place, storedMessage(place.messageId));
    return growing;
  }

  it("distinguishes messages with the same ID in two conversations", () => {
    const growing = createGrowing();
    growing.delete(first);
    assert.deepEqual([growing.has(first), growing.has(elsewhere)], [false, true]);
    growing.giveUp();
  });

  it("removes all messages of a conversation", () => {
    const growing = createGrowing();
    growing.deleteConversation("c1");
    assert.deepEqual([growing.has(second), growing.has(elsewhere)], [false, true]);
    growing.giveUp();
    assert.equal(givenUp, 1);
  });

  it("abandons all messages, once", () => {
    const growing = createGrowing();
    growing.giveUp();
    growing.giveUp();
    assert.equal(givenUp, 3);
    assert.equal(growing.has(first), false);
  });
});

describe("Messages that grow while a change fails and then another window locks the file", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  it("lose nothing of what arrives next, whether their earlier growth was written or waits", async () => {
    (await folder.open()).close();
    const other = new DatabaseSync(folder.file);
    const store = await openConversationStore(folder.file, {
      now: Date.now,
      // Locked just when the impossible change has failed: after the first growth and before the second.
      onProblem: () => other.exec("BEGIN IMMEDIATE"),
    });
    const append = (id: string, text: string): void => store.appendDelta("c", id, { kind: "text", text });
    try {
      fillConversation(store, "c", 1);
      for (const id of ["written", "waiting"])
        store.saveMessage("c", storedMessage(id, { role: "assistant", status: "streaming", text: "Start" }));
      store.flush();
      append("written", ", one");
      store.saveMessage("c", storedMessage("impossible", { createdAt: 1.5 }));
      append("waiting", ", one");
      store.flush();
      assert.ok(other.isTransaction, "the impossible change was written");
      for (const id of ["written", "waiting"]) append(id, ", two");
      other.exec("ROLLBACK");
      const texts = store.load("c")?.messages.slice(1);
      assert.deepEqual(
        texts?.map(({ text }) => text),
        ["Start, one, two", "Start, one, two"],
      );
    } finally {
      if (other.isTransaction) other.exec("ROLLBACK");
      other.close();
      store.close();
    }
  });
});
