import assert from "node:assert/strict";
import { searchTitle } from "../../../../src/core/library/history/conversationGroups.ts";

describe("searchTitle", () => {
  it("mentions if the results are incomplete", () => {
    assert.equal(searchTitle("Conversations", "all"), "Conversations");
    assert.equal(
      searchTitle("Conversations", "indexed"),
      "Conversations (older messages are still being indexed)",
    );
    assert.equal(searchTitle("Conversations", "cut"), "Conversations (there may be more; refine the search)");
  });
});
