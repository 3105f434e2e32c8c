import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { DatabaseSyncOptions } from "node:sqlite";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import type { SearchExtent } from "../../../src/core/conversation/searchResult.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

/** Lets a test damage the index. Some versions of Node forbid it unless they are told otherwise. */
const notDefensive: DatabaseSyncOptions & { readonly defensive: false } = { defensive: false };

describe("The search in stored conversations", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  /** Searches are never cut off, however slow the machine is. */
  const open = (): ConversationStore => folder.open(Date.now, () => 0);

  const find = (store: ConversationStore, query: string): readonly string[] =>
    store.search(query).hits.map(({ conversation }) => conversation.id);

  function countOf(store: ConversationStore): readonly [number, SearchExtent] {
    const { hits, extent } = store.search("xxxx");
    return [hits.length, extent];
  }

  it("finds text that another window wrote", () => {
    const [one, other] = [open(), open()];
    fillConversation(one, "c1", 1);
    assert.deepEqual(find(other, "xxxx"), ["c1"]);
    fillConversation(other, "c2", 1);
    assert.deepEqual(new Set(find(one, "xxxx")), new Set(["c1", "c2"]));
  });

  it("drops old words of a message and finds its new ones", () => {
    const store = open();
    fillConversation(store, "c1", 1);
    store.save({ type: "message", conversationId: "c1", message: storedMessage("m", { text: "former" }) });
    assert.deepEqual(find(store, "former"), ["c1"]);
    store.save({ type: "message", conversationId: "c1", message: storedMessage("m", { text: "latter" }) });
    assert.deepEqual([find(store, "former"), find(store, "latter")], [[], ["c1"]]);
    store.save({ type: "removeMessage", conversationId: "c1", messageId: "m" });
    assert.deepEqual(find(store, "latter"), []);
  });

  it("finds a response once it has ended, not while it streams", () => {
    const store = open();
    fillConversation(store, "c1", 0);
    const answer = storedMessage("a", { role: "assistant", status: "streaming", text: "" });
    store.save({ type: "message", conversationId: "c1", message: answer });
    store.appendDelta("c1", "a", { kind: "text", text: "growing" });
    assert.deepEqual(find(store, "growing"), []);
    store.save({
      type: "message",
      conversationId: "c1",
      message: { ...answer, status: "complete", text: "growing no more" },
    });
    assert.deepEqual(find(store, "growing"), ["c1"]);
  });

  it("ranks titles first, then pinned conversations, then the latest", () => {
    const store = open();
    for (const [id, updatedAt] of [["old", 1] as const, ["pinned", 2] as const, ["new", 3] as const]) {
      store.save({ type: "conversation", fields: { id, title: "Chat", createdAt: 1, updatedAt } });
      store.save({
        type: "message",
        conversationId: id,
        message: storedMessage(`${id}-m`, { text: "lorem" }),
      });
    }
    store.save({ type: "conversation", fields: { id: "title", title: "Lorem", createdAt: 0, updatedAt: 0 } });
    store.save({ type: "pin", id: "pinned", isPinned: true });
    assert.deepEqual(find(store, "lorem"), ["title", "pinned", "new", "old"]);
  });

  it("continues when its index is damaged, and rebuilds it", () => {
    const store = open();
    for (let i = 0; i < 40; i++) fillConversation(store, `c${i}`, 1, 2_000);
    assert.equal(find(store, "xxxx").length, 40);
    store.close();
    const database = new DatabaseSync(folder.file, notDefensive);
    database.exec("UPDATE search_grams_data SET block = x'ffffffffffffffff'");
    database.close();
    const again = open();
    fillConversation(again, "c40", 1);
    find(again, "xxxx");
    assert.equal(find(again, "xxxx").length, 41);
    assert.match(folder.problems.join(), /40 messages were recovered/u);
  });

  it("reports that there may be more once it exceeds 50 conversations, and not before", () => {
    const store = open();
    for (let i = 0; i < 50; i++) fillConversation(store, `c${i}`, 1);
    assert.deepEqual(countOf(store), [50, "all"]);
    fillConversation(store, "c50", 1);
    assert.deepEqual(countOf(store), [50, "cut"]);
  });

  it("reports that there may be more once it has checked 1,000 messages, or while more aren't indexed yet", async () => {
    const store = open();
    fillConversation(store, "c", 1_000);
    assert.deepEqual(countOf(store), [1, "all"]);
    store.save({
      type: "message",
      conversationId: "c",
      message: storedMessage("one more", { text: "xxxx" }),
    });
    assert.deepEqual(countOf(store), [1, "indexed"]);
    while (store.search("xxxx").extent === "indexed") await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(countOf(store), [1, "cut"]);
  });

  it("reports that there may be more if it ran out of time", () => {
    let now = 0;
    let passing = 0;
    const store = folder.open(Date.now, () => (now += passing));
    for (let i = 0; i < 40; i++) fillConversation(store, `c${i}`, 1);
    assert.deepEqual(countOf(store), [40, "all"]);
    passing = 1;
    const [found, extent] = countOf(store);
    assert.ok(found > 0 && found < 40);
    assert.equal(extent, "cut");
  });

  it("finds what was recovered from a damaged conversations file", () => {
    const store = open();
    for (let i = 0; i < 40; i++) fillConversation(store, `c${i}`, 2, 4_000);
    assert.equal(find(store, "xxxx").length, 40);
    store.close();
    overwrite(folder.file, 30);
    const again = open();
    assert.equal(folder.problems.length, 1);
    const kept = again.list().filter(({ id }) => again.load(id)?.messages.length !== 0);
    assert.ok(kept.length > 10);
    assert.equal(find(again, "xxxx").length, kept.length);
  });
});

function overwrite(file: string, firstPage = 0): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(8 * 4096, 0xaa), 0, 8 * 4096, firstPage * 4096);
  closeSync(descriptor);
}
