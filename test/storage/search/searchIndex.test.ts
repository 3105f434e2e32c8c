import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { ConversationSummary } from "../../../src/core/conversation/conversation.ts";
import { ConversationWriter } from "../../../src/storage/conversations/conversationWriter.ts";
import { loadSqlite } from "../../../src/storage/database/sqlite.ts";
import { IndexedSearch } from "../../../src/storage/search/conversationSearch.ts";
import { SearchIndex } from "../../../src/storage/search/searchIndex.ts";
import { SearchTables } from "../../../src/storage/search/searchTables.ts";
import { fillConversation, StoreFolder, storedMessage } from "../../support/storeFolder.ts";

const page = "PRAGMA page_size";

/** Overwrites the first page of this table. No program may have the file open. */
function damage(file: string, table: string): void {
  const database = new DatabaseSync(file);
  const size = Number(database.prepare(page).get()?.["page_size"]);
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table)?.["rootpage"];
  database.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, (Number(root) - 1) * size, Number(root) * size);
  writeFileSync(file, bytes);
}

describe("The file of the search index", () => {
  let folder: StoreFolder;
  let index: SearchIndex;
  let summaries: readonly ConversationSummary[];
  const closing: (() => void)[] = [];
  beforeEach(async () => {
    folder = new StoreFolder();
    const store = await folder.open();
    fillConversation(store, "c", 0);
    summaries = store.list();
    // Its own index must not take what waits for this one.
    store.close();
    index = new SearchIndex(loadSqlite(), `${folder.file}.index`);
    closing.push(() => index.close());
  });
  afterEach(() => {
    for (const close of closing.splice(0).toReversed()) close();
    folder.remove();
  });

  it("costs little for a short message, because its pages are small", () => {
    index.prepare(() => undefined);
    const log = (): number => statSync(`${folder.file}.index-wal`).size;
    const before = log();
    for (let seq = 1; seq <= 10; seq++) index.put([{ seq, text: `a few words about number ${seq}` }]);
    assert.ok(log() - before < 10 * 10_000, `${log() - before} bytes`);
  });

  it("finds and scrubs what is in an index of an earlier version, whose pages are large", () => {
    const old = new DatabaseSync(`${folder.file}.index`);
    const options = "content = '', contentless_delete = 1, detail = none";
    old.exec(`
      PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
      CREATE VIRTUAL TABLE grams USING fts5(text, ${options}, tokenize = 'trigram');
      CREATE VIRTUAL TABLE words USING fts5(text, ${options}, tokenize = 'ascii');
      CREATE TABLE removal (id INTEGER PRIMARY KEY);
      PRAGMA user_version = 2;
      INSERT INTO grams (rowid, text) VALUES (1, 'lorem ipsum'), (2, 'lorem dolor');
      INSERT INTO words (rowid, text) VALUES (1, ''), (2, '')`);
    assert.equal(old.prepare(page).get()?.["page_size"], 4_096);
    old.close();
    index.prepare(() => assert.fail("It isn't empty."));
    for (let seq = 3; seq <= 500; seq++) index.put([{ seq, text: `lorem ${seq}` }]);
    index.put([{ seq: 2, text: undefined }]);
    while (index.scrubSome());
    assert.equal(index.hasTraces, false);
    assert.equal([...index.find(["lorem"])].length, 499);
  });

  describe("of a conversations file", () => {
    let writer: ConversationWriter;
    let search: IndexedSearch;
    let database: DatabaseSync;
    beforeEach(() => {
      database = new DatabaseSync(folder.file);
      closing.push(() => database.close());
      writer = new ConversationWriter(database);
      const tables = new SearchTables(database);
      search = new IndexedSearch(
        index,
        () => ({ tables, transact: (change) => change() }),
        () => 0,
      );
      while (search.indexSlice());
    });

    const indexed = (term: string): number => [...index.find([term])].length;

    function save(id: string, text: string): void {
      writer.putMessage("c", storedMessage(id, { text }), undefined);
    }

    it("is written once for several short messages, or for a search", () => {
      for (let i = 0; i < 20; i++) save(`m${i}`, "a short message");
      assert.equal(search.indexBatch(), false);
      assert.equal(indexed("short"), 0);
      assert.equal(search.search("short", summaries).hits[0]?.conversation.id, "c");
      assert.equal(indexed("short"), 20);
    });

    it("is written without a search once there is enough to write", () => {
      save("long", "a long message ".repeat(2_000));
      search.indexBatch();
      assert.equal(indexed("long"), 1);
      for (let i = 0; i < 50; i++) save(`m${i}`, "many messages");
      search.indexBatch();
      assert.equal(indexed("many"), 50);
    });

    it("is written at once when a message that it contains is changed or deleted", () => {
      for (const id of ["one", "two"]) save(id, "a first version");
      search.search("version", summaries);
      assert.equal(indexed("first"), 2);
      save("one", "a second version");
      search.indexBatch();
      assert.deepEqual([indexed("first"), indexed("second")], [1, 1]);
      writer.deleteMessage("c", "two");
      search.indexBatch();
      assert.equal(indexed("first"), 0);
      assert.equal(index.hasTraces, true);
      save("three", "a third version");
      while (search.scrubSome());
      assert.equal(index.hasTraces, false, "even while a message waits for the next batch");
    });

    it("is replaced in the background if it turns out to be damaged", () => {
      save("one", "a message");
      search.search("message", summaries);
      index.close();
      damage(`${folder.file}.index`, "words_docsize");
      save("one", "another message");
      save("two", "and one more");
      for (let attempt = 0; attempt < 3; attempt++) search.indexBatch();
      search.search("message", summaries);
      assert.deepEqual([indexed("another"), indexed("more")], [1, 1]);
      save("one", "its last form");
      search.indexBatch();
      assert.deepEqual([indexed("another"), indexed("last")], [0, 1]);
    });

    it("isn't needed for a search while nothing can be written", () => {
      save("m", "a message");
      const tables = new SearchTables(database);
      const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
      const source = {
        tables,
        transact() {
          throw full;
        },
      };
      const limited = new IndexedSearch(
        index,
        () => source,
        () => 0,
      );
      const { hits, extent } = limited.search("message", summaries);
      assert.deepEqual([hits.length, extent], [1, "indexed"]);
    });
  });
});
