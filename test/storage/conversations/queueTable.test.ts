import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync, mkdirSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ConversationArchive, QueuedMessage } from "../../../src/core/conversation/conversationStore.ts";
import { schemaSteps } from "../../../src/storage/database/schemaSteps.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

const firstSchema = readFileSync(new URL("../../fixtures/conversations-1.sql", import.meta.url), "utf8");
const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
const queued = (id: string, text = `text of ${id}`): QueuedMessage => ({ id, text, attachments: [] });

describe("The queue of a conversation in a file", () => {
  let folder: StoreFolder;
  let store: ConversationArchive;
  beforeEach(async () => {
    folder = new StoreFolder();
    store = await folder.open();
    fillConversation(store, "c1", 2);
  });
  afterEach(() => folder.remove());

  const add = (...ids: readonly string[]): void => {
    for (const id of ids) store.queue.changeQueue("c1", { type: "add", message: queued(id) });
  };
  const ids = (from = store): readonly string[] => from.queue.loadQueue("c1").map(({ id }) => id);

  it("survives the window with its order, changes and attachments", async () => {
    add("a", "b", "c");
    const edited = { id: "b", text: "new", attachments: [image] };
    store.queue.changeQueue("c1", { type: "edit", message: edited });
    store.queue.changeQueue("c1", { type: "order", ids: ["c", "b", "a"] });
    store.queue.changeQueue("c1", { type: "remove", id: "a" });
    add("d");
    store.close();
    store = await folder.open();
    assert.deepEqual(ids(), ["c", "b", "d"]);
    assert.deepEqual(store.queue.loadQueue("c1")[1], edited);
  });

  it("gives each message to one window only, and shows the changes of the other", async () => {
    const other = await folder.open();
    assert.ok(other.queue.loadNewQueue("c1"));
    add("a", "b");
    store.flush();
    assert.deepEqual(
      other.queue.loadNewQueue("c1")?.map(({ id }) => id),
      ["a", "b"],
    );
    assert.equal(other.queue.loadNewQueue("c1"), undefined);
    const taken = await Promise.all([store, other].map((each) => each.queue.takeQueued("c1", "a")));
    assert.deepEqual(taken.toSorted(), [false, true]);
    assert.deepEqual([ids(), ids(other)], [["b"], ["b"]]);
    store.queue.changeQueue("c1", { type: "release", id: "a" });
    assert.deepEqual(ids(), ["a", "b"]);
    store.queue.changeQueue("c1", { type: "remove", id: "b" });
    store.flush();
    other.queue.changeQueue("c1", { type: "edit", message: queued("b", "too late") });
    assert.equal(await other.queue.takeQueued("c1", "b"), false);
    assert.deepEqual(ids(other), ["a"]);
  });

  it("isn't read again when another window has only written something else", async () => {
    const other = await folder.open();
    add("a");
    store.flush();
    assert.equal(other.queue.loadNewQueue("c1")?.length, 1);
    for (let index = 0; index < 3; index++) {
      store.saveMessage("c1", storedMessage(`other ${index}`));
      store.flush();
      assert.equal(other.queue.loadNewQueue("c1"), undefined);
    }
    store.queue.changeQueue("c1", { type: "edit", message: queued("a", "new") });
    store.flush();
    assert.equal(other.queue.loadNewQueue("c1")?.[0]?.text, "new");
    store.saveMessage("c1", storedMessage("a"));
    store.flush();
    assert.deepEqual(other.queue.loadNewQueue("c1"), []);
  });

  it("contains a message again if the window that took it was killed, unless the message was already sent", async () => {
    add("a", "b");
    assert.ok(await store.queue.takeQueued("c1", "a"));
    assert.ok(await store.queue.takeQueued("c1", "b"));
    store.saveMessage("c1", storedMessage("b", { text: "text of b" }));
    store.flush();
    assert.deepEqual(ids(), []);
    const database = new DatabaseSync(folder.file);
    database.exec("UPDATE queued_message SET taken_at = taken_at - 60000");
    database.close();
    assert.deepEqual(ids(), ["a"]);
  });

  it("is removed with its conversation, and hidden while that is deleted", () => {
    add("a");
    store.deleteConversation("c1");
    assert.deepEqual(ids(), []);
    store.restoreConversation("c1");
    assert.deepEqual(ids(), ["a"]);
    store.deleteConversation("c1");
    store.purgeConversation("c1");
    store.close();
    const database = new DatabaseSync(folder.file);
    assert.deepEqual(database.prepare("SELECT * FROM queued_message").all(), []);
    database.close();
    assert.ok(!readFileSync(folder.file).includes("text of a"));
  });
});

describe("A file with a queue whose first page is lost", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  const loseFirstPage = (): void => {
    const descriptor = openSync(folder.file, "r+");
    writeSync(descriptor, Buffer.alloc(4096, 0xaa), 0, 4096, 0);
    closeSync(descriptor);
  };

  for (const layout of ["was never vacuumed", "was vacuumed before it had queues", "was vacuumed since"])
    it(`is recovered along with the queue if it ${layout}`, async () => {
      if (layout === "was vacuumed before it had queues") createVacuumedOldFile(folder.file);
      const store = await folder.open();
      fillConversation(store, "c1", 100, 500);
      store.queue.changeQueue("c1", { type: "add", message: queued("a") });
      store.close();
      if (layout === "was vacuumed since") {
        const database = new DatabaseSync(folder.file);
        database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        database.close();
      }
      loseFirstPage();
      const recovered = await folder.open();
      assert.equal(recovered.load("c1")?.messages.length, 100);
      assert.deepEqual(recovered.queue.loadQueue("c1"), [queued("a")]);
    });

  it("gets an empty queue when it was written by the first version", async () => {
    mkdirSync(dirname(folder.file));
    const database = new DatabaseSync(folder.file);
    database.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; ${firstSchema}`);
    database.close();
    const store = await folder.open();
    assert.deepEqual(store.queue.loadQueue("old"), []);
    store.queue.changeQueue("old", { type: "add", message: queued("a") });
    assert.deepEqual(store.queue.loadQueue("old"), [queued("a")]);
  });
});

/** A file as it was when the schema had five steps, vacuumed in that version. */
function createVacuumedOldFile(file: string): void {
  mkdirSync(dirname(file));
  const database = new DatabaseSync(file);
  database.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL");
  for (const step of schemaSteps.slice(0, 5)) database.exec(step);
  database.exec("PRAGMA user_version = 5; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}
