import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { DatabaseSyncOptions } from "node:sqlite";
import type { ConversationSummary } from "../../../src/core/conversation/conversation.ts";
import { ConversationWriter } from "../../../src/storage/conversations/conversationWriter.ts";
import { createSchema } from "../../../src/storage/database/schema.ts";
import { IndexedSearch } from "../../../src/storage/search/conversationSearch.ts";
import { SearchIndex } from "../../../src/storage/search/searchIndex.ts";
import { storedMessage } from "../../support/storeFolder.ts";

const summaries: readonly ConversationSummary[] = [{ id: "c", title: "Title", createdAt: 1, updatedAt: 1 }];

/** Lets a test damage the index. Some versions of Node forbid it unless they are told otherwise. */
const options: DatabaseSyncOptions & { readonly defensive: false } = { defensive: false };

describe("The search index", () => {
  let database: DatabaseSync;
  let writer: ConversationWriter;
  let index: SearchIndex;
  let search: IndexedSearch;
  beforeEach(() => {
    database = new DatabaseSync(":memory:", options);
    createSchema(database);
    writer = new ConversationWriter(database);
    index = new SearchIndex(database);
    search = new IndexedSearch({ read: (read) => read(index), transact: (change) => change(index) }, () => 0);
    for (const conversation of summaries) writer.putConversation(conversation);
  });
  afterEach(() => database.close());

  const indexed = (term: string): number => [...index.find([term])].length;
  const hasTraces = (): boolean => database.prepare("SELECT 1 FROM search_removal").get() !== undefined;

  function save(id: string, text: string): void {
    writer.putMessage("c", storedMessage(id, { text }), undefined);
  }

  it("is written in the background, and for a search before that", () => {
    save("one", "a short message");
    assert.equal(search.indexSome(), false);
    assert.equal(indexed("short"), 1);
    save("two", "another short message");
    assert.equal(search.search("another", summaries).hits[0]?.conversation.id, "c");
    assert.equal(indexed("short"), 2);
  });

  it("forgets a message that is changed or deleted", () => {
    for (const id of ["one", "two"]) save(id, "a first version");
    search.search("version", summaries);
    assert.equal(indexed("first"), 2);
    save("one", "a second version");
    search.indexSome();
    assert.deepEqual([indexed("first"), indexed("second")], [1, 1]);
    writer.deleteMessage("c", "two");
    search.indexSome();
    assert.equal(indexed("first"), 0);
    assert.equal(hasTraces(), true);
    save("three", "a third version");
    while (search.scrubSome());
    assert.equal(hasTraces(), false, "even while another message isn't in the index yet");
  });

  it("is replaced in the background if it turns out to be damaged", () => {
    save("one", "a message");
    search.search("message", summaries);
    database.exec("UPDATE search_words_data SET block = zeroblob(8)");
    save("one", "another message");
    save("two", "and one more");
    for (let attempt = 0; attempt < 3; attempt++) search.indexSome();
    search.search("message", summaries);
    assert.deepEqual([indexed("another"), indexed("more")], [1, 1]);
    save("one", "its last form");
    search.indexSome();
    assert.deepEqual([indexed("another"), indexed("last")], [0, 1]);
  });

  it("isn't needed for a search while nothing can be written", () => {
    save("m", "a message");
    const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
    const source = {
      read: <Result>(read: (from: SearchIndex) => Result): Result => read(index),
      transact() {
        throw full;
      },
    };
    const limited = new IndexedSearch(source, () => 0);
    const { hits, extent } = limited.search("message", summaries);
    assert.deepEqual([hits.length, extent], [1, "indexed"]);
  });
});
