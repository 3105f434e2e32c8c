import assert from "node:assert/strict";
import {
  contextKinds,
  findKinds,
  parseContextQuery,
} from "../../../../src/core/compose/context/contextProtocol.ts";
import { parseFromWebview } from "../../../../src/core/panel/parseFromWebview.ts";

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

describe("A context message from the page", () => {
  it("is parsed if it is complete", () => {
    const messages = [
      { type: "suggest", queryId: 3, trigger: "#", text: "a" },
      { type: "suggestEnd" },
      { type: "pickSuggestion", id: "3.0" },
      { type: "openContext", title: "a.ts", text: "x" },
      { type: "attachText", title: "a.ts", text: "x" },
    ];
    for (const message of messages) assert.deepEqual(parseFromWebview(message), message);
  });

  it("is rejected if it is malformed", () => {
    for (const message of [
      { type: "suggest", queryId: "3", trigger: "#", text: "a" },
      { type: "suggest", queryId: 3, trigger: "@", text: "a" },
      { type: "pickSuggestion" },
      { type: "openContext", title: 1, text: "" },
      { type: "attachText", text: "x" },
    ]) {
      assert.equal(parseFromWebview(message), undefined, JSON.stringify(message));
    }
  });
});
