import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { ConversationStore, QueuedMessage } from "../../../src/core/conversation/conversationStore.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
const queued = (id: string, text = `text of ${id}`): QueuedMessage => ({ id, text, attachments: [] });

describe("The queue of a conversation in a file", () => {
  let folder: StoreFolder;
  let store: ConversationStore;
  let now = Date.now();
  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open(() => now);
    fillConversation(store, "c1", 2);
  });
  afterEach(() => folder.remove());

  const add = (...ids: readonly string[]): void => {
    for (const id of ids)
      store.save({ type: "queue", conversationId: "c1", change: { type: "add", message: queued(id) } });
  };
  const ids = (from = store): readonly string[] => from.loadQueue("c1").map(({ id }) => id);

  it("survives the window with its order, changes and attachments", () => {
    add("a", "b", "c");
    const edited = { id: "b", text: "new", attachments: [image] };
    store.save({ type: "queue", conversationId: "c1", change: { type: "edit", message: edited } });
    store.save({ type: "queue", conversationId: "c1", change: { type: "order", ids: ["c", "b", "a"] } });
    store.save({ type: "queue", conversationId: "c1", change: { type: "remove", id: "a" } });
    add("d");
    store.close();
    store = folder.open(() => now);
    assert.deepEqual(ids(), ["c", "b", "d"]);
    assert.deepEqual(store.loadQueue("c1")[1], edited);
  });

  it("gives each message to one window only, and shows the changes of the other", async () => {
    const other = folder.open(() => now);
    assert.ok(other.loadNewQueue("c1"));
    add("a", "b");
    store.flush();
    assert.deepEqual(
      other.loadNewQueue("c1")?.map(({ id }) => id),
      ["a", "b"],
    );
    assert.equal(other.loadNewQueue("c1"), undefined);
    const taken = await Promise.all([store, other].map((each) => each.takeQueued("c1", "a")));
    assert.deepEqual(taken.toSorted(), [false, true]);
    assert.deepEqual([ids(), ids(other)], [["b"], ["b"]]);
    store.save({ type: "queue", conversationId: "c1", change: { type: "release", id: "a" } });
    assert.deepEqual(ids(), ["a", "b"]);
    store.save({ type: "queue", conversationId: "c1", change: { type: "remove", id: "b" } });
    store.flush();
    other.save({
      type: "queue",
      conversationId: "c1",
      change: { type: "edit", message: queued("b", "too late") },
    });
    assert.equal(await other.takeQueued("c1", "b"), false);
    assert.deepEqual(ids(other), ["a"]);
  });

  it("follows what another window changes", () => {
    const other = folder.open(() => now);
    add("a");
    store.flush();
    assert.equal(other.loadNewQueue("c1")?.length, 1);
    store.save({
      type: "queue",
      conversationId: "c1",
      change: { type: "edit", message: queued("a", "new") },
    });
    store.flush();
    assert.equal(other.loadNewQueue("c1")?.[0]?.text, "new");
    store.save({ type: "message", conversationId: "c1", message: storedMessage("a") });
    store.flush();
    assert.deepEqual(other.loadNewQueue("c1"), []);
  });

  it("contains a message again if the window that took it was killed, unless the message was already sent", async () => {
    add("a", "b");
    assert.ok(await store.takeQueued("c1", "a"));
    assert.ok(await store.takeQueued("c1", "b"));
    store.save({ type: "message", conversationId: "c1", message: storedMessage("b", { text: "text of b" }) });
    store.flush();
    assert.deepEqual(ids(), []);
    now += 11_000;
    assert.deepEqual(ids(), ["a"]);
  });

  it("is removed with its conversation, and hidden while that is deleted", () => {
    add("a");
    store.save({ type: "delete", id: "c1" });
    assert.deepEqual(ids(), []);
    store.save({ type: "restore", id: "c1" });
    assert.deepEqual(ids(), ["a"]);
    store.save({ type: "delete", id: "c1" });
    store.save({ type: "purge", id: "c1" });
    store.close();
    const database = new DatabaseSync(folder.file);
    assert.deepEqual(database.prepare("SELECT * FROM queued_message").all(), []);
    database.close();
    assert.ok(!readFileSync(folder.file).includes("text of a"));
  });
});
