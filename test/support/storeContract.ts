import assert from "node:assert/strict";
import type { ConversationStore } from "../../src/core/conversationStore.ts";
import { emptyDraft } from "../../src/core/conversationStore.ts";
import { fillConversation, storedMessage } from "./storeFolder.ts";

const picture = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
const file = { type: "text", text: "let a;", title: "src/a.ts:1-1" } as const;

/** What every store of conversations does, wherever it keeps them. */
export function describeStoreContract(open: () => Promise<ConversationStore>): void {
  it("keeps parents, settings, seams, times and titles of attachments", async () => {
    const store = await open();
    const settings = {
      systemPrompt: "Be brief.",
      parameters: { temperature: 0, stop: ["\n"] },
      tools: ["f"],
    };
    const question = storedMessage("q", { attachments: [file, picture] });
    const answer = storedMessage("a", {
      role: "assistant",
      parentId: "q",
      seams: [3, 9],
      timing: { firstDeltaMs: 12, reasoningMs: 5, totalMs: 90 },
      settings,
    });
    const bare = { id: "c1", title: "One", createdAt: 1, updatedAt: 2 };
    const fields = { ...bare, settings, leafId: "a" };
    store.saveConversation(fields);
    for (const message of [question, answer]) store.saveMessage("c1", message);
    assert.deepEqual(store.load("c1"), { ...fields, messages: [question, answer] });
    store.saveConversation(bare);
    assert.deepEqual(store.load("c1"), { ...bare, messages: [question, answer] });
  });

  it("pins until it is told otherwise, whatever else is saved", async () => {
    const store = await open();
    fillConversation(store, "c1", 1);
    store.pinConversation("c1", true);
    fillConversation(store, "c1", 1);
    assert.equal(store.list()[0]?.isPinned, true);
    assert.equal(store.load("c1")?.isPinned, true);
    store.pinConversation("c1", false);
    assert.equal(store.list()[0]?.isPinned, undefined);
    store.pinConversation("unknown", true);
    assert.equal(store.load("unknown"), undefined);
  });

  it("has what follows a deleted message follow the one before it", async () => {
    const store = await open();
    fillConversation(store, "c1", 0);
    store.saveMessage("c1", storedMessage("m1"));
    store.saveMessage("c1", storedMessage("m2", { parentId: "m1" }));
    store.saveMessage("c1", storedMessage("m3", { parentId: "m2" }));
    store.deleteMessage("c1", "m2");
    assert.equal(store.load("c1")?.messages[1]?.parentId, "m1");
    store.deleteMessage("c1", "m1");
    assert.equal(store.load("c1")?.messages[0]?.parentId, undefined);
  });

  it("keeps the attachments of a draft until it is empty or its conversation is deleted", async () => {
    const store = await open();
    fillConversation(store, "c1", 1);
    store.saveDraft("c1", { text: "", attachments: [file, picture] });
    assert.deepEqual(store.loadDraft("c1"), { text: "", attachments: [file, picture] });
    store.saveDraft("c1", { text: "look", attachments: [picture] });
    assert.deepEqual(store.loadDraft("c1"), { text: "look", attachments: [picture] });
    store.deleteConversation("c1");
    assert.deepEqual(store.loadDraft("c1"), emptyDraft);
    store.saveDraft("c2", { text: "", attachments: [picture] });
    store.saveDraft("c2", emptyDraft);
    assert.deepEqual(store.loadDraft("c2"), emptyDraft);
  });
}
