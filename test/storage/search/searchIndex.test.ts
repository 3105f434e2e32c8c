import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { DatabaseSyncOptions } from "node:sqlite";
import type { ConversationSummary } from "../../../src/core/conversation/conversation.ts";
import { ConversationWriter } from "../../../src/storage/conversations/conversationWriter.ts";
import { createSchema } from "../../../src/storage/database/schema.ts";
import { searchConversations } from "../../../src/storage/search/conversationSearch.ts";
import { SearchIndex } from "../../../src/storage/search/searchIndex.ts";
import { storedMessage } from "../../support/storeFolder.ts";

const summaries: readonly ConversationSummary[] = [{ id: "c", title: "Title", createdAt: 1, updatedAt: 1 }];

/** Lets a test damage the index. Some versions of Node forbid it unless they are told otherwise. */
const options: DatabaseSyncOptions & { readonly defensive: false } = { defensive: false };

describe("The search index", () => {
  let database: DatabaseSync;
  let writer: ConversationWriter;
  let index: SearchIndex;
  beforeEach(() => {
    database = new DatabaseSync(":memory:", options);
    createSchema(database);
    writer = new ConversationWriter(database);
    index = new SearchIndex(database);
    for (const conversation of summaries) writer.putConversation(conversation);
  });
  afterEach(() => database.close());

  const indexed = (term: string): number => [...index.find([term])].length;
  const hasTraces = (): boolean => database.prepare("SELECT 1 FROM search_removal").get() !== undefined;

  const search = (query: string) =>
    searchConversations(
      query,
      summaries,
      (collect) => collect(index),
      () => 0,
    ).hits;

  function save(id: string, text: string): void {
    writer.putMessage("c", storedMessage(id, { text }), undefined);
  }

  it("isn't needed for messages that it doesn't have yet", () => {
    save("one", "a short message");
    assert.equal(search("short").length, 1);
    assert.equal(indexed("short"), 0);
    assert.equal(index.maintain(), false);
    assert.equal(indexed("short"), 1);
    save("one", "a changed message");
    assert.deepEqual(
      ["short", "changed"].map((query) => search(query).length),
      [0, 1],
    );
  });

  it("forgets a message that is changed or deleted", () => {
    for (const id of ["one", "two"]) save(id, "a first version");
    index.maintain();
    assert.equal(indexed("first"), 2);
    save("one", "a second version");
    index.maintain();
    assert.deepEqual([indexed("first"), indexed("second")], [1, 1]);
    writer.deleteMessage("c", "two");
    index.maintain();
    assert.equal(indexed("first"), 0);
    while (index.maintain());
    assert.equal(hasTraces(), false);
  });

  it("is replaced in the background if it turns out to be damaged", () => {
    save("one", "a message");
    index.maintain();
    database.exec("UPDATE search_words_data SET block = zeroblob(8)");
    save("one", "another message");
    save("two", "and one more");
    for (let attempt = 0; attempt < 3; attempt++) index.maintain();
    assert.deepEqual([indexed("another"), indexed("more")], [1, 1]);
    save("one", "its last form");
    index.maintain();
    assert.deepEqual([indexed("another"), indexed("last")], [0, 1]);
  });
});
