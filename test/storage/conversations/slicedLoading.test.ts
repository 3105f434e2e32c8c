import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { fillConversation, StoreFolder, storedMessage } from "../../support/storeFolder.ts";

const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;

describe("A conversation that is read in slices", () => {
  let folder: StoreFolder;
  let store: ConversationStore;

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
  });

  afterEach(() => folder.remove());

  it("is the same as when it is read at once", async () => {
    store.save({
      type: "conversation",
      fields: { id: "c1", title: "One", createdAt: 1, updatedAt: 2, leafId: "b" },
    });
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("q", { attachments: [image] }),
    });
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("a", { role: "assistant", status: "streaming", parentId: "q" }),
    });
    store.appendDelta("c1", "a", { kind: "text", text: " and more" });
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("b", { role: "assistant", parentId: "q" }),
    });
    assert.deepEqual(await store.loadInSlices("c1", () => Promise.resolve()), store.load("c1"));
  });

  it("pauses after some messages, and after fewer if their attachments are large", async () => {
    const countPauses = async (): Promise<number> => {
      let pauses = 0;
      await store.loadInSlices("c1", async () => void pauses++);
      return pauses;
    };
    fillConversation(store, "c1", 100);
    assert.equal(await countPauses(), 2);
    const attachments = [{ ...image, data: "aGk=".repeat(300_000) }];
    for (const id of ["c1-0", "c1-1", "c1-2"])
      store.save({ type: "message", conversationId: "c1", message: storedMessage(id, { attachments }) });
    assert.equal(await countPauses(), 5);
  });

  it("doesn't exist if it was never stored or is deleted, even in the meantime", async () => {
    assert.equal(await store.loadInSlices("c1", () => Promise.resolve()), undefined);
    fillConversation(store, "c1", 3);
    const read = store.loadInSlices("c1", () => Promise.resolve(store.save({ type: "delete", id: "c1" })));
    assert.equal(await read, undefined);
  });

  it("includes what this and other windows change in the meantime", async () => {
    const other = folder.open();
    fillConversation(store, "c1", 4);
    let pauses = 0;
    const read = await store.loadInSlices("c1", () => {
      pauses++;
      if (pauses === 1) {
        other.save({
          type: "message",
          conversationId: "c1",
          message: storedMessage("c1-0", { text: "edited" }),
        });
        other.save({ type: "removeMessage", conversationId: "c1", messageId: "c1-1" });
        other.flush();
        store.save({
          type: "message",
          conversationId: "c1",
          message: storedMessage("new", { parentId: "c1-3" }),
        });
        store.save({ type: "title", id: "c1", title: "Renamed", source: "user" });
      }
      return Promise.resolve();
    });
    assert.deepEqual(read, store.load("c1"));
    assert.deepEqual(
      read?.messages.map(({ id }) => id),
      ["c1-0", "c1-2", "c1-3", "new"],
    );
    assert.equal(read.messages[0]?.text, "edited");
    assert.equal(read.title, "Renamed");
  });

  it("reports the messages that were damaged on disk", async () => {
    fillConversation(store, "c1", 3);
    const file = new DatabaseSync(folder.file);
    file.exec("UPDATE message SET checksum = 1 WHERE id = 'c1-1'");
    file.close();
    const read = await store.loadInSlices("c1", () => Promise.resolve());
    assert.deepEqual(
      read?.messages.map(({ isDamaged }) => isDamaged === true),
      [false, true, false],
    );
  });
});
