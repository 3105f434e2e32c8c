import assert from "node:assert/strict";
import {
  contextKinds,
  findKinds,
  parseContextQuery,
} from "../../../../src/core/compose/context/contextKinds.ts";
import { parseFromWebview } from "../../../../src/core/panel/parseFromWebview.ts";

describe("What # offers", () => {
  it("is every kind if nothing is said yet, and those that fit where something is", () => {
    assert.equal(findKinds("").length, contextKinds().length);
    assert.deepEqual(
      findKinds("se").map(({ kind }) => kind),
      ["selection", "server", "terminal"],
    );
    assert.deepEqual(findKinds("composer.ts"), []);
  });

  it("is searched in one kind when that is named", () => {
    assert.deepEqual(parseContextQuery("file:src/a"), { kind: "file", text: "src/a" });
    assert.deepEqual(parseContextQuery("folder:"), { kind: "folder", text: "" });
    assert.deepEqual(parseContextQuery("server:a:b"), { kind: "server", text: "a:b" });
    assert.deepEqual(parseContextQuery("problems:x"), { text: "problems:x" });
    assert.deepEqual(parseContextQuery("http:x"), { text: "http:x" });
    assert.deepEqual(parseContextQuery("app"), { text: "app" });
  });
});

describe("What the page asks about context", () => {
  it("is read when it is whole", () => {
    const messages = [
      { type: "suggest", queryId: 3, trigger: "#", text: "a" },
      { type: "suggestEnd" },
      { type: "pickSuggestion", id: "3.0" },
      { type: "openContext", title: "a.ts", text: "x" },
      { type: "attachText", title: "a.ts", text: "x" },
    ];
    for (const message of messages) assert.deepEqual(parseFromWebview(message), message);
  });

  it("is nothing otherwise", () => {
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
