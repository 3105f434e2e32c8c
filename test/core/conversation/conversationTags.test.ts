import assert from "node:assert/strict";
import {
  hasTags,
  normalizeTag,
  parseTags,
  typedTags,
} from "../../../src/core/conversation/conversationTags.ts";
import { parseSearchQuery } from "../../../src/core/conversation/searchTerms.ts";

describe("Tags of a conversation", () => {
  it("have one form, whatever was typed or imported", () => {
    assert.equal(normalizeTag("  #to\n do "), "to do");
    assert.equal(normalizeTag('a,"b"'), "a b");
    assert.deepEqual(
      [normalizeTag("#"), normalizeTag(" "), normalizeTag(7)],
      [undefined, undefined, undefined],
    );
    assert.equal(normalizeTag("\u202eevil"), "evil");
    const long = normalizeTag("x".repeat(9_000)) ?? "";
    assert.ok(long.length <= 50);
    assert.equal(normalizeTag(long), long);
  });

  it("are listed once each regardless of case, in order, and bounded", () => {
    assert.deepEqual(parseTags(["b", "A", "a", 1, "B "]), ["A", "b"]);
    assert.equal(parseTags(Array.from({ length: 5_000 }, (_, index) => `t${index}`)).length, 20);
    assert.deepEqual([parseTags("x"), parseTags(undefined)], [[], []]);
  });

  it("are found by their start, all of those that are asked for", () => {
    assert.ok(hasTags(["To do", "Work"], ["to", "work"]));
    assert.ok(!hasTags(["Work"], ["or"]));
    assert.ok(!hasTags(undefined, ["work"]));
    assert.ok(hasTags(undefined, []));
  });

  it("are found by what was entered as the tag", () => {
    for (const entered of ["C#", "#a#b", "to  do", "a,b"]) {
      const tags = parseTags([entered]);
      assert.ok(hasTags(tags, parseSearchQuery(`tag:"${entered}"`)?.tags ?? ["nothing"]), entered);
    }
  });

  it("are separated by commas when several are typed at once", () => {
    assert.deepEqual(typedTags("to do, #WORK ,,work，家", ["Work"]), ["to do", "Work", "家"]);
    assert.deepEqual(typedTags(" , ", ["Work"]), []);
  });

  it("are separated from the words of a search", () => {
    assert.deepEqual(parseSearchQuery('Login tag:Work TAG:"To do" "two words" mytag:x'), {
      terms: ["login", "two words", "mytag:x"],
      tags: ["work", "to do"],
    });
    assert.deepEqual(parseSearchQuery("tag:#work"), { terms: [], tags: ["work"] });
    assert.equal(parseSearchQuery("tag:#"), undefined);
    assert.deepEqual(parseSearchQuery('"tag:work"'), { terms: ["tag:work"], tags: [] });
    assert.deepEqual(parseSearchQuery('tag:"still typi'), { terms: [], tags: ["still typi"] });
    assert.deepEqual([parseSearchQuery("tag:"), parseSearchQuery(" ")], [undefined, undefined]);
  });
});
