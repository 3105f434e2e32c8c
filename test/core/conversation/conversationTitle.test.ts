import assert from "node:assert/strict";
import { conversationTitle, untitled } from "../../../src/core/conversation/conversationTitle.ts";

describe("conversationTitle", () => {
  it("returns a short message unchanged, on one line", () => {
    assert.equal(conversationTitle("  Why is\n\tthe sky  blue?\n"), "Why is the sky blue?");
  });

  it("cuts a long message between words", () => {
    const title = conversationTitle("word ".repeat(100));
    assert.match(title, /^(word )+word…$/);
    assert.ok(title.length <= 61);
  });

  it("never splits a character", () => {
    assert.equal(conversationTitle("👩‍👩‍👧‍👦".repeat(100)), `${"👩‍👩‍👧‍👦".repeat(60)}…`);
  });

  it("cuts a single endless word", () => {
    assert.equal(conversationTitle("x".repeat(1_000_000)), `${"x".repeat(60)}…`);
  });

  it("returns the default title for an empty message", () => {
    assert.equal(conversationTitle(" \n "), untitled);
  });
});
