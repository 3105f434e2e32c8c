import assert from "node:assert/strict";
import {
  contextKinds,
  findKinds,
  parseContextQuery,
} from "../../../../src/core/compose/context/contextProtocol.ts";

describe("The kinds of context that # offers", () => {
  it("are all kinds if nothing is typed yet, and the matching ones otherwise", () => {
    assert.equal(findKinds("").length, contextKinds().length);
    assert.deepEqual(
      findKinds("se").map(({ kind }) => kind),
      ["selection", "server", "terminal"],
    );
    assert.deepEqual(findKinds("composer.ts"), []);
  });

  it("narrow to one kind if its prefix is typed", () => {
    assert.deepEqual(parseContextQuery("file:src/a"), { kind: "file", text: "src/a" });
    assert.deepEqual(parseContextQuery("folder:"), { kind: "folder", text: "" });
    assert.deepEqual(parseContextQuery("server:a:b"), { kind: "server", text: "a:b" });
    assert.deepEqual(parseContextQuery("problems:x"), { text: "problems:x" });
    assert.deepEqual(parseContextQuery("http:x"), { text: "http:x" });
    assert.deepEqual(parseContextQuery("app"), { text: "app" });
  });
});
