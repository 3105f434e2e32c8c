import assert from "node:assert/strict";
import { fenced, fenceTag } from "../../../../src/core/compose/context/contextPart.ts";

describe("A fenced code block", () => {
  it("is enclosed in three backticks and names its language", () => {
    assert.equal(fenced("a\n", "ts"), "```ts\na\n```");
    assert.equal(fenced("a", ""), "```\na\n```");
  });

  it("has a longer fence than any inside it", () => {
    assert.equal(fenced("```js\nx\n```", "md"), "````md\n```js\nx\n```\n````");
    assert.equal(fenced("`````", ""), "``````\n`````\n``````");
  });

  it("may contain a megabyte of fences", () => {
    assert.ok(fenced("``` ".repeat(250_000), "").startsWith("````\n"));
  });

  it("is tagged by the file's name, or else by its language", () => {
    assert.equal(fenceTag("src/App.TSX"), "tsx");
    assert.equal(fenceTag("a/Dockerfile"), "dockerfile");
    assert.equal(fenceTag("Untitled-1", "python"), "python");
    assert.equal(fenceTag(".gitignore"), "");
    assert.equal(fenceTag("constructor"), "");
    assert.equal(fenceTag("x", "a\nb"), "");
  });
});
