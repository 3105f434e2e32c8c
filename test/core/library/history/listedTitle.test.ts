import assert from "node:assert/strict";
import {
  listedTitle,
  pickedText,
  titleForMessages,
} from "../../../../src/core/library/history/conversationGroups.ts";

describe("The title of a conversation", () => {
  it("is one line in a list, without characters that reorder it", () => {
    assert.equal(listedTitle("Two\nlines \u202etxt.exe"), "Two lines txt.exe");
    assert.equal(listedTitle("مرحبا <b>[x](y)</b>"), "مرحبا <b>[x](y)</b>");
  });

  it("shows no icons in a quick pick and no links in a notification", () => {
    assert.equal(pickedText("a $(trash) b"), String.raw`a \$(trash) b`);
    assert.equal(titleForMessages("[Undo](command:quit)"), "[Undo] (command:quit)");
  });
});
