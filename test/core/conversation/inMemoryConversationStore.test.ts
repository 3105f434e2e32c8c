import assert from "node:assert/strict";
import { emptyDraft } from "../../../src/core/conversation/conversationStore.ts";
import { InMemoryConversationStore } from "../../../src/core/conversation/inMemoryConversationStore.ts";
import { describeStoreContract } from "../../support/storeContract.ts";
import { fillConversation, storedMessage } from "../../support/storeFolder.ts";

describe("InMemoryConversationStore", () => {
  describeStoreContract(() => Promise.resolve(new InMemoryConversationStore()));

  it("returns messages in order, with a replaced one in its old position", () => {
    const store = new InMemoryConversationStore();
    fillConversation(store, "c1", 3);
    store.saveMessage("c1", storedMessage("c1-1", { text: "new" }));
    assert.deepEqual(
      store.load("c1")?.messages.map(({ id }) => id),
      ["c1-0", "c1-1", "c1-2"],
    );
    assert.equal(store.load("c1")?.messages[1]?.text, "new");
  });

  it("appends deltas", () => {
    const store = new InMemoryConversationStore();
    fillConversation(store, "c1", 0);
    store.saveMessage("c1", storedMessage("m", { status: "streaming", text: "a" }));
    store.appendDelta("c1", "m", { kind: "text", text: "b" });
    store.appendDelta("c1", "m", { kind: "reasoning", text: "r" });
    const message = store.load("c1")?.messages[0];
    assert.deepEqual([message?.text, message?.reasoning], ["ab", "r"]);
  });

  it("lists the most recent conversation first", () => {
    const store = new InMemoryConversationStore();
    for (const [id, updatedAt] of [["a", 1] as const, ["b", 3] as const, ["c", 2] as const]) {
      store.saveConversation({ id, title: id, createdAt: 1, updatedAt });
    }
    assert.deepEqual(
      store.list().map(({ id }) => id),
      ["b", "c", "a"],
    );
  });

  it("discards the draft of a deleted conversation and drops later writes to it", () => {
    const store = new InMemoryConversationStore();
    fillConversation(store, "c1", 1);
    store.saveDraft("c1", { text: "half", attachments: [] });
    store.deleteConversation("c1");
    store.saveMessage("c1", storedMessage("late"));
    assert.equal(store.load("c1"), undefined);
    assert.deepEqual(store.loadDraft("c1"), emptyDraft);
  });
});
