import assert from "node:assert/strict";
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import nodeSqlite from "node:sqlite";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { SqliteConversationStore } from "../../../src/storage/conversations/sqliteConversationStore.ts";
import { DatabaseFile } from "../../../src/storage/database/databaseFile.ts";
import type { Sqlite } from "../../../src/storage/database/sqlite.ts";
import { SearchIndex } from "../../../src/storage/search/searchIndex.ts";
import { fillConversation, StoreFolder } from "../../support/storeFolder.ts";

/** SQLite on a file system without shared memory, such as most network file systems. */
const withoutSharedMemory: Sqlite = {
  ...nodeSqlite,
  DatabaseSync: class extends nodeSqlite.DatabaseSync {
    constructor(path: string, options?: nodeSqlite.DatabaseSyncOptions) {
      super(path === ":memory:" ? path : `file:${path}?vfs=unix-dotfile`, options);
    }
  },
};

describe("A conversations file where no write-ahead log is possible", function () {
  if (process.platform === "win32") return;
  let folder: StoreFolder;
  const problems: string[] = [];
  const stores: ConversationArchive[] = [];
  beforeEach(() => {
    folder = new StoreFolder();
    problems.length = 0;
  });
  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
    folder.remove();
  });

  function openElsewhere(): ConversationArchive {
    const options = { now: Date.now, onProblem: (sentence: string) => void problems.push(sentence) };
    const file = new DatabaseFile(withoutSharedMemory, folder.file, options);
    const index = new SearchIndex(withoutSharedMemory, `${folder.file}.search1`);
    const store = new SqliteConversationStore(file, index, options);
    stores.push(store);
    return store;
  }

  function journalMode(): unknown {
    const database = new nodeSqlite.DatabaseSync(folder.file);
    try {
      return database.prepare("PRAGMA journal_mode").get()?.["journal_mode"];
    } finally {
      database.close();
    }
  }

  it("is written with a rollback journal, by two windows at the same time", async () => {
    const [one, other] = [openElsewhere(), openElsewhere()];
    fillConversation(one, "c1", 3);
    fillConversation(other, "c2", 3);
    assert.equal(await one.persist(), true);
    assert.equal(await other.persist(), true);
    assert.deepEqual(
      other
        .list()
        .map(({ id }) => id)
        .toSorted(),
      ["c1", "c2"],
    );
    assert.equal(one.load("c2")?.messages.length, 3);
    assert.equal(journalMode(), "delete");
    assert.deepEqual(problems, []);
  });

  it("keeps what was written with a write-ahead log before the file was moved", async () => {
    const before = await folder.open();
    fillConversation(before, "c1", 3);
    before.close();
    assert.equal(journalMode(), "wal");
    const store = openElsewhere();
    assert.equal(store.load("c1")?.messages.length, 3);
    fillConversation(store, "c2", 1);
    assert.equal(await store.persist(), true);
    assert.equal(journalMode(), "delete");
  });

  it("is not considered damaged if the log's shared memory can't be created", async () => {
    const before = await folder.open();
    fillConversation(before, "c1", 3);
    before.close();
    mkdirSync(`${folder.file}-shm`);
    const store = await folder.open();
    fillConversation(store, "c2", 1);
    assert.equal(await store.persist(), true);
    assert.equal(store.load("c1")?.messages.length, 3);
    assert.deepEqual(folder.problems, []);
    assert.equal(journalMode(), "delete");
    store.close();
    rmdirSync(join(`${folder.file}-shm`));
    const again = await folder.open();
    assert.equal(again.load("c2")?.messages.length, 1);
    assert.equal(journalMode(), "wal", "as soon as it is possible again");
  });
});
