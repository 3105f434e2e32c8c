import assert from "node:assert/strict";
import { parseImport } from "../../../../src/core/library/import/parseImport.ts";
import { ImportTally } from "../../../../src/core/library/import/importTally.ts";
import type { ConversationStore } from "../../../../src/core/conversation/conversationStore.ts";
import { exportFormat } from "../../../../src/core/library/history/exportPieces.ts";
import { StoreFolder, storedMessage } from "../../../support/storeFolder.ts";

/** A conversation of this many messages, each of which follows the one before it. */
function imported(id: string, count: number, length = 20) {
  const messages = Array.from({ length: count }, (_, index) =>
    storedMessage(`m${index}`, {
      text: "x".repeat(length),
      ...(index === 0 ? {} : { parentId: `m${index - 1}` }),
    }),
  );
  const conversation = { id, title: "Long", createdAt: 1, updatedAt: 2, isPinned: true, messages };
  return { conversations: [conversation], leftOut: 0 };
}

describe("Importing a single long conversation", () => {
  let folder: StoreFolder;
  let store: ConversationStore;
  /** Messages that were saved since the last time something was written. */
  let unwritten: { count: number; length: number };
  let most: { count: number; length: number };

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
    unwritten = { count: 0, length: 0 };
    most = { count: 0, length: 0 };
    const { save, flush } = store;
    store.save = (change, current) => {
      if (change.type === "message")
        unwritten = { count: unwritten.count + 1, length: unwritten.length + change.message.text.length };
      save.call(store, change, current);
    };
    store.flush = () => {
      most = {
        count: Math.max(most.count, unwritten.count),
        length: Math.max(most.length, unwritten.length),
      };
      unwritten = { count: 0, length: 0 };
      flush.call(store);
    };
  });

  afterEach(() => folder.remove());

  it("writes a bounded part of it between two pauses, whether it has long messages or many", () => {
    for (const { count, length } of [
      { count: 3_000, length: 20 },
      { count: 60, length: 100_000 },
    ]) {
      const slices = [...new ImportTally(store).take(imported(`c${count}`, count, length))];
      assert.ok(slices.length >= 8, `${slices.length} slices`);
      assert.equal(store.load(`c${count}`)?.messages.length, count);
    }
    assert.ok(most.count <= 400 && most.length <= 700_000, JSON.stringify(most));
  });

  it("lists it only when it is complete, with its pin and its order", () => {
    const { conversations, leftOut } = imported("c1", 2_000);
    const tally = new ImportTally(store);
    for (const added of tally.take({ conversations, leftOut })) {
      assert.equal(added, 0);
      assert.deepEqual(store.list(), []);
    }
    assert.equal(tally.added, 1);
    assert.deepEqual(tally.changed, ["c1"]);
    assert.deepEqual(store.load("c1"), conversations[0]);
  });

  it("keeps nothing of it when the user cancels, and imports it as a whole the next time", () => {
    const record = imported("c1", 2_000);
    const slices = new ImportTally(store).take(record);
    slices.next();
    slices.return(undefined);
    assert.deepEqual(store.list(), []);
    store.save({ type: "restore", id: "c1" });
    assert.equal(store.load("c1"), undefined);
    const again = new ImportTally(store);
    Array.from(again.take(record));
    assert.equal(again.sentence(), "One conversation was imported.");
    assert.equal(store.load("c1")?.messages.length, 2_000);
  });

  it("imports it as a whole after a process that died halfway", () => {
    const record = imported("c1", 2_000);
    const killed = folder.open();
    const slices = new ImportTally(killed).take(record);
    slices.next();
    const next = folder.open();
    assert.deepEqual(next.list(), []);
    Array.from(new ImportTally(next).take(record));
    assert.equal(next.load("c1")?.messages.length, 2_000);
  });

  it("takes the tags of an export, and adds those of a second import to those that it has", () => {
    const take = (...tags: readonly string[]): void => {
      const conversation = {
        id: "t",
        title: "T",
        createdAt: 1,
        updatedAt: 1,
        messages: [storedMessage("m")],
        tags,
      };
      const exported = { format: exportFormat, version: 1, conversations: [conversation] };
      const read = parseImport(exported, { modifiedAt: 1 });
      assert.ok(typeof read === "object");
      for (const count of new ImportTally(store).take(read)) assert.ok(count <= 1);
    };
    take("work", "#Home");
    assert.deepEqual(store.list()[0]?.tags, ["Home", "work"]);
    store.save({ type: "tags", id: "t", tags: ["mine"] });
    take("work");
    assert.deepEqual(store.list()[0]?.tags, ["mine", "work"]);
  });
});
