import assert from "node:assert/strict";
import {
  anchorPart,
  findOriginal,
  moveSpan,
  previewOf,
  replaceSpan,
  surroundings,
} from "../../../../src/core/compose/editor/editRequest.ts";
import type { TextSpan } from "../../../../src/core/compose/editor/editRequest.ts";

const text = "one\ntwo\nthree\nfour\n";
const original = "two\nthree";
const span: TextSpan = { start: 4, end: 13 };
const part = anchorPart(text, span);

/** Applies the edit to the text and moves the part with it. */
function change(offset: number, length: number, inserted: string): { text: string; span: TextSpan } {
  return {
    text: text.slice(0, offset) + inserted + text.slice(offset + length),
    span: moveSpan(span, { offset, length, text: inserted }),
  };
}

describe("The lines of an edit", () => {
  it("are found again after changes before, after and right next to them", () => {
    for (const changed of [
      change(0, 0, "zero\n"),
      change(0, 4, ""),
      change(4, 0, "between\n"),
      change(13, 0, "\nbetween"),
      change(14, 4, "4"),
      change(3, 1, "\n\n"),
    ]) {
      const found = findOriginal(changed.text, part, changed.span);
      assert.ok(found, changed.text);
      assert.equal(changed.text.slice(found.start, found.end), original);
    }
  });

  it("aren't found while they are changed, and again after the change was undone", () => {
    const changed = change(6, 1, "oo");
    assert.equal(findOriginal(changed.text, part, changed.span), undefined);
    const undone = moveSpan(changed.span, { offset: 6, length: 2, text: "o" });
    assert.deepEqual(findOriginal(text, part, undone), span);
  });

  it("are found elsewhere if the document was replaced and they occur once", () => {
    assert.deepEqual(findOriginal(`zero\n${text}`, part, { start: 0, end: 0 }), { start: 9, end: 18 });
    assert.equal(findOriginal(`${text}${text}`, part, { start: 0, end: 0 }), undefined);
    assert.equal(findOriginal("xtwo\nthree\n", part, { start: 0, end: 0 }), undefined);
  });

  it("aren't mistaken for the same lines elsewhere when they are changed", () => {
    const twice = `${text}${text}`;
    const first = anchorPart(twice, span);
    const changed = moveSpan(span, { offset: 6, length: 1, text: "oo" });
    assert.equal(findOriginal(twice.replace("two", "twoo"), first, changed), undefined);
    assert.deepEqual(findOriginal(twice, first, span), span);
  });

  it("are replaced with the line ends of the document, and removed along with their line end", () => {
    assert.equal(replaceSpan("a\r\nb\r\nc", { start: 3, end: 4 }, "x\ny"), "a\r\nx\r\ny\r\nc");
    assert.equal(replaceSpan("a\r\nb\r\nc", { start: 3, end: 4 }, ""), "a\r\nc");
    assert.equal(replaceSpan("a\n\nc", { start: 2, end: 2 }, "b"), "a\nb\nc");
  });
});

describe("The preview of a response that isn't complete", () => {
  const lines = "function a() {\n  first();\n  second();\n  third();\n}";

  it("keeps the lines that the response hasn't reached", () => {
    assert.equal(previewOf(lines, ""), lines);
    assert.equal(
      previewOf(lines, "function a() {\n  first();\n  new"),
      "function a() {\n  first();\n  new\n  second();\n  third();\n}",
    );
    assert.equal(
      previewOf(lines, "function a() {\n  changed();\n  second();\n  th"),
      "function a() {\n  changed();\n  second();\n  th\n  third();\n}",
    );
  });
});

describe("The lines around an edit", () => {
  it("are whole lines up to a limit", () => {
    const middle = { start: 8, end: 13 };
    const all = { before: 100, after: 100 };
    assert.deepEqual(surroundings(text, middle, all), { before: "one\ntwo\n", after: "four\n" });
    assert.deepEqual(surroundings(text, middle, { before: 5, after: 3 }), { before: "two\n", after: "" });
  });
});
