import assert from "node:assert/strict";
import { conversationTitle, untitled } from "../../../src/core/conversation/conversationTitle.ts";

describe("conversationTitle", () => {
  it("is a short message as it is, on one line", () => {
    assert.equal(conversationTitle("  Why is\n\tthe sky  blue?\n"), "Why is the sky blue?");
  });

  it("cuts a long message at a word", () => {
    const title = conversationTitle("word ".repeat(100));
    assert.match(title, /^(word )+word…$/);
    assert.ok(title.length <= 61);
  });

  it("never cuts through a character", () => {
    assert.equal(conversationTitle("👩‍👩‍👧‍👦".repeat(100)), `${"👩‍👩‍👧‍👦".repeat(60)}…`);
  });

  it("cuts one endless word", () => {
    assert.equal(conversationTitle("x".repeat(1_000_000)), `${"x".repeat(60)}…`);
  });

  it("calls nothing a new chat", () => {
    assert.equal(conversationTitle(" \n "), untitled);
  });
});
