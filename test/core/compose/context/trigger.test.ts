import assert from "node:assert/strict";
import { findTrigger } from "../../../../src/core/compose/context/contextProtocol.ts";

describe("The word that triggers the suggestions", () => {
  const at = (text: string): string | undefined => {
    const found = findTrigger(text, text.length);
    return found === undefined ? undefined : `${found.trigger}${found.query}@${found.start}`;
  };

  it("starts with a # at the beginning of a word", () => {
    assert.equal(at("#"), "#@0");
    assert.equal(at("see #app.ts"), "#app.ts@4");
    assert.equal(at("see\n#file:src/a"), "#file:src/a@4");
    assert.equal(at("(#dir"), "#dir@1");
  });

  it("isn't a # inside a word or before a space", () => {
    for (const text of ["C#", "a#b", "# heading", "#one two", "##"]) {
      assert.equal(at(text), text === "##" ? "##@0" : undefined, text);
    }
  });

  it("starts with a / only at the very start of the text", () => {
    assert.equal(at("/expl"), "/expl@0");
    for (const text of ["a /b", " /b", "a/b", "/fix this"]) assert.equal(at(text), undefined, text);
  });

  it("ends at the caret", () => {
    assert.deepEqual(findTrigger("#abc def", 3), { trigger: "#", start: 0, end: 3, query: "ab" });
    assert.equal(findTrigger("#abc", 0), undefined);
  });

  it("is found quickly in a megabyte without a space", () => {
    assert.equal(at("x".repeat(1_000_000)), undefined);
  });
});
