import assert from "node:assert/strict";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

const pageSize = 4096;

function overwritePages(file: string, first: number, count: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(count * pageSize, 0xaa), 0, count * pageSize, first * pageSize);
  closeSync(descriptor);
}

describe("A damaged conversations file", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  /** Ten conversations with 50 messages each, closed; about 1,100 pages. */
  function createFile(): void {
    const store = folder.open();
    for (let i = 0; i < 10; i++) fillConversation(store, `c${i}`, 50, 8_000);
    store.close();
  }

  function countMessages(store: Awaited<ReturnType<StoreFolder["open"]>>): number {
    return store.list().reduce((sum, { id }) => sum + (store.load(id)?.messages.length ?? 0), 0);
  }

  it("loses only the rows in the damaged part", () => {
    createFile();
    overwritePages(folder.file, 500, 20);
    const store = folder.open();
    const kept = countMessages(store);
    assert.ok(kept >= 470 && kept < 500, `${kept} of 500 messages`);
    assert.match(folder.problems[0] ?? "", new RegExp(`${kept} messages were recovered from it`));
  });

  it("is recovered from its remaining half", () => {
    createFile();
    truncateSync(folder.file, Math.floor(statSync(folder.file).size / 2));
    const kept = countMessages(folder.open());
    assert.ok(kept > 200 && kept < 500, `${kept} of 500 messages`);
  });

  it("is set aside unchanged, once", () => {
    createFile();
    writeFileSync(folder.file, "no database, whatever the name says".repeat(1000));
    const damaged = readFileSync(folder.file);
    folder.open().close();
    folder.open();
    const names = readdirSync(dirname(folder.file)).filter((name) => name.includes(".damaged-"));
    assert.equal(names.length, 1);
    assert.deepEqual(readFileSync(join(dirname(folder.file), names[0] ?? "")), damaged);
    assert.equal(folder.problems.length, 1);
  });

  it("is deleted two weeks after it was set aside, because it may contain messages deleted since", () => {
    createFile();
    writeFileSync(folder.file, "no database, whatever the name says".repeat(1000));
    const day = 86_400_000;
    const setAsideAt = Date.now();
    folder.open(() => setAsideAt).close();
    const aside = () => readdirSync(dirname(folder.file)).filter((name) => name.includes(".damaged-"));
    assert.match(folder.problems[0] ?? "", /The damaged file is deleted after 14 days/u);
    folder.open(() => setAsideAt + 13 * day).close();
    assert.equal(aside().length, 1);
    folder.open(() => setAsideAt + 15 * day).close();
    assert.deepEqual(aside(), []);
  });

  it("is replaced while a store has it open, and later writes are kept", () => {
    createFile();
    const store = folder.open();
    overwritePages(folder.file, 2, 900);
    store.save({ type: "conversation", fields: { id: "new", title: "New", createdAt: 2, updatedAt: 2 } });
    store.save({ type: "message", conversationId: "new", message: storedMessage("m1") });
    store.list().forEach(({ id }) => store.load(id));
    store.close();
    const again = folder.open();
    assert.equal(again.load("new")?.messages[0]?.text, "text of m1");
    assert.match(folder.problems[0] ?? "", /was damaged/);
  });

  it("names recovered messages after the first question if the conversation's own row is lost", async () => {
    createFile();
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(folder.file);
    database.exec("PRAGMA foreign_keys = OFF; DELETE FROM conversation WHERE id = 'c4'");
    database.close();
    overwritePages(folder.file, 500, 1);
    const store = folder.open();
    assert.match(store.load("c4")?.title ?? "", /^0 x/);
  });

  it("is replaced only once, by the faster of two windows", () => {
    createFile();
    const slow = folder.open();
    overwritePages(folder.file, 2, 900);
    const fast = folder.open();
    fillConversation(fast, "fresh", 3);
    fillConversation(slow, "late", 3);
    assert.equal(slow.load("fresh")?.messages.length, 3);
    assert.equal(fast.load("late")?.messages.length, 3);
    assert.equal(folder.problems.length, 1);
  });

  it("is set aside if another program created it", async () => {
    mkdirSync(dirname(folder.file));
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(folder.file);
    database.exec("CREATE TABLE message (id TEXT, body TEXT); PRAGMA user_version = 1");
    database.close();
    const store = folder.open();
    fillConversation(store, "c1", 2);
    assert.equal(store.load("c1")?.messages.length, 2);
    assert.match(folder.problems[0] ?? "", /No messages could be recovered/);
  });
});
