import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { emptyDraft } from "../../../src/core/conversation/conversationStore.ts";
import { PanelDraft } from "../../../src/core/panel/panelDraft.ts";
import { createSession } from "../../core/conversation/createSession.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

/** Represents a secret that must not be in any file once it was masked, replaced or deleted. */
const canary = "qzjxkv-CANARY-7731-wvqpz";

describe("A stored secret", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  function filesWith(text: string): readonly string[] {
    const top = dirname(folder.file);
    const entries = readdirSync(top, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path).includes(text));
  }

  /** Any remains are removed shortly afterward, in the background. */
  async function becomesClean(): Promise<void> {
    for (let tries = 0; tries < 200 && filesWith(canary).length > 0; tries++) await setTimeout(100);
    assert.deepEqual(filesWith(canary), []);
  }

  /** Two windows, because closing the only one would remove the log. */
  function openTwice(): ConversationStore {
    folder.open();
    const store = folder.open();
    fillConversation(store, "c1", 30, 3_000);
    return store;
  }

  it("is nowhere on disk while the guard waits for a decision, or after “Mask and Send”", async () => {
    const store = openTwice();
    const draft = new PanelDraft(createSession().session, store);
    draft.keep({ text: `my key is ${canary}` });
    store.flush();
    assert.notDeepEqual(filesWith(canary), []);
    draft.hold({ text: `my key is ${canary}`, attachments: [] }, { text: "my key is •••", attachments: [] });
    await becomesClean();
    assert.equal(draft.load().text, `my key is ${canary}`);
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("masked", { text: "my key is •••" }),
    });
    draft.keep(emptyDraft);
    await setTimeout(200);
    await becomesClean();
  });

  it("is erased when its message is edited in place or deleted", async () => {
    const store = openTwice();
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("edited", { text: `${canary} `.repeat(500) }),
    });
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("deleted", { text: canary, reasoning: canary.repeat(900) }),
    });
    store.flush();
    store.search(canary);
    assert.notDeepEqual(filesWith(canary), []);
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("edited", { text: "nothing" }),
    });
    store.save({ type: "removeMessage", conversationId: "c1", messageId: "deleted" });
    await becomesClean();
  });

  it("is erased with its conversation: title, texts, attachments and draft", async () => {
    const store = openTwice();
    const file = { type: "text", text: `${canary}\n`.repeat(2_000), title: canary } as const;
    store.save({ type: "conversation", fields: { id: "secret", title: canary, createdAt: 1, updatedAt: 1 } });
    for (let i = 0; i < 120; i++)
      store.save({
        type: "message",
        conversationId: "secret",
        message: storedMessage(`s${i}`, { text: `${canary}${i}`, attachments: [file] }),
      });
    store.save({ type: "draft", conversationId: "secret", draft: { text: canary, attachments: [file] } });
    store.flush();
    store.search(canary);
    store.save({ type: "delete", id: "secret" });
    store.save({ type: "purge", id: "secret" });
    await becomesClean();
    assert.equal(store.load("c1")?.messages.length, 30);
  });

  it("is erased when the window that deleted its conversation closes", () => {
    const store = openTwice();
    fillConversation(store, "secret", 3);
    store.save({ type: "message", conversationId: "secret", message: storedMessage("s", { text: canary }) });
    store.save({ type: "delete", id: "secret" });
    store.close();
    assert.deepEqual(filesWith(canary), []);
  });

  /** Messages in the search index of all windows. */
  function indexedCount(): number {
    const index = new DatabaseSync(folder.file, { readOnly: true });
    const { count } = index.prepare("SELECT count(*) AS count FROM search_words_docsize").get() ?? {};
    index.close();
    return Number(count);
  }

  async function isIndexed(messages: number): Promise<void> {
    for (let tries = 0; tries < 100 && indexedCount() < messages; tries++) await setTimeout(100);
    assert.equal(indexedCount(), messages);
  }

  for (const [what, remove] of [
    [
      "message is deleted",
      (store) => store.save({ type: "removeMessage", conversationId: "secret", messageId: "s" }),
    ],
    [
      "conversation is deleted permanently",
      (store) => {
        store.save({ type: "delete", id: "secret" });
        store.save({ type: "purge", id: "secret" });
      },
    ],
  ] as const satisfies readonly (readonly [string, (store: ConversationStore) => void])[])
    it(`leaves the search index when its ${what}, even if nothing is saved afterward`, async () => {
      const store = folder.open();
      fillConversation(store, "secret", 0);
      store.save({
        type: "message",
        conversationId: "secret",
        message: storedMessage("s", { text: canary }),
      });
      await isIndexed(1);
      // Nothing is left to do for the indexer.
      await setTimeout(1_500);
      remove(store);
      for (let tries = 0; tries < 100 && indexedCount() > 0; tries++) await setTimeout(100);
      assert.equal(indexedCount(), 0);
    });

  it("can't be reconstructed from the search index once its message is deleted", async () => {
    const store = folder.open();
    fillConversation(store, "c1", 2_000);
    store.save({ type: "message", conversationId: "c1", message: storedMessage("s", { text: canary }) });
    await isIndexed(2_001);
    // The index consists of the three-character parts of words.
    assert.notDeepEqual(filesWith("jxk"), []);
    store.save({ type: "removeMessage", conversationId: "c1", messageId: "s" });
    for (let tries = 0; tries < 100 && filesWith("jxk").length > 0; tries++) await setTimeout(100);
    assert.deepEqual(filesWith("jxk"), []);
    assert.equal(store.search("xxxx").hits.length, 1);
  });
});
