import assert from "node:assert/strict";
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import nodeSqlite from "node:sqlite";
import { ConversationDatabase } from "../../../src/storage/conversations/conversationDatabase.ts";
import { DatabaseFile } from "../../../src/storage/database/databaseFile.ts";
import type { Sqlite } from "../../../src/storage/database/sqlite.ts";
import { fillConversation, StoreFolder, storedMessage } from "../../support/storeFolder.ts";

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
  const databases: ConversationDatabase[] = [];
  beforeEach(() => {
    folder = new StoreFolder();
    problems.length = 0;
  });
  afterEach(() => {
    for (const database of databases.splice(0)) database.close();
    folder.remove();
  });

  function openElsewhere(): ConversationDatabase {
    const options = { now: Date.now, onProblem: (sentence: string) => void problems.push(sentence) };
    const database = new ConversationDatabase(new DatabaseFile(withoutSharedMemory, folder.file, options));
    databases.push(database);
    return database;
  }

  function fill(database: ConversationDatabase, id: string, count: number): void {
    database.transact((tables) => {
      tables.writer.putConversation({ id, title: id, createdAt: 1, updatedAt: 1 });
      for (let index = 0; index < count; index++)
        tables.writer.putMessage(id, storedMessage(`${id}-${index}`), undefined);
    }, true);
  }

  const countMessages = (database: ConversationDatabase, id: string): number | undefined =>
    database.read(({ conversations }) => conversations.load(id)?.messages.length);

  function journalMode(): unknown {
    const database = new nodeSqlite.DatabaseSync(folder.file);
    try {
      return database.prepare("PRAGMA journal_mode").get()?.["journal_mode"];
    } finally {
      database.close();
    }
  }

  it("is written with a rollback journal, by two windows at the same time", () => {
    const [one, other] = [openElsewhere(), openElsewhere()];
    fill(one, "c1", 3);
    fill(other, "c2", 3);
    fill(one, "c3", 1);
    assert.deepEqual(
      ["c1", "c2", "c3"].map((id) => countMessages(other, id)),
      [3, 3, 1],
    );
    assert.equal(countMessages(one, "c2"), 3);
    assert.equal(journalMode(), "delete");
    assert.deepEqual(problems, []);
  });

  it("keeps what was written with a write-ahead log before the file was moved", () => {
    const before = folder.open();
    fillConversation(before, "c1", 3);
    before.close();
    assert.equal(journalMode(), "wal");
    const database = openElsewhere();
    assert.equal(countMessages(database, "c1"), 3);
    fill(database, "c2", 1);
    assert.equal(journalMode(), "delete");
  });

  it("is not considered damaged if the log's shared memory can't be created", async () => {
    const before = folder.open();
    fillConversation(before, "c1", 3);
    before.close();
    mkdirSync(`${folder.file}-shm`);
    const store = folder.open();
    fillConversation(store, "c2", 1);
    assert.equal(await store.persist(), true);
    assert.equal(store.load("c1")?.messages.length, 3);
    assert.deepEqual(folder.problems, []);
    assert.equal(journalMode(), "delete");
    store.close();
    rmdirSync(join(`${folder.file}-shm`));
    const again = folder.open();
    assert.equal(again.load("c2")?.messages.length, 1);
    assert.equal(journalMode(), "wal", "as soon as it is possible again");
  });
});
