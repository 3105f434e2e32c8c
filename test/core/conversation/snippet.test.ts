import assert from "node:assert/strict";
import { parseSearchTerms } from "../../../src/core/conversation/searchTerms.ts";
import { snippetOf } from "../../../src/core/conversation/searchResult.ts";

describe("parseSearchTerms", () => {
  it("takes words and quoted phrases, each once, in lower case", () => {
    assert.deepEqual(parseSearchTerms(' Foo "bar  Baz" foo x'), ["foo", "bar  baz", "x"]);
  });

  it("takes a quote that is still open as no part of the word", () => {
    assert.deepEqual(parseSearchTerms('"open now'), ["open", "now"]);
    assert.deepEqual(parseSearchTerms('"" "'), []);
  });

  it("looks for so many terms only", () => {
    assert.equal(parseSearchTerms(Array.from({ length: 50 }, (_, i) => `w${i}`).join(" ")).length, 8);
    assert.equal(parseSearchTerms("x".repeat(10_000))[0]?.length, 100);
  });
});

describe("snippetOf", () => {
  it("shows where the words are together, by the rarest of them", () => {
    const text = `${"the first paragraph. ".repeat(300)}${"x ".repeat(200)}one needle here. ${"x ".repeat(200)}the needle paragraph.`;
    assert.match(snippetOf(text, ["paragraph", "needle"]), /needle paragraph/u);
    assert.match(snippetOf(text, ["x", "one"]), /one needle/u);
  });

  it("is a line that begins between words and says where it was cut", () => {
    const text = `${"lorem ipsum ".repeat(20)}needle\n\n${"dolor sit ".repeat(40)}`;
    const snippet = snippetOf(text, ["needle"]);
    assert.match(snippet, /^…(?:lorem|ipsum) .*needle dolor.*…$/u);
    assert.ok(snippet.length < 170);
  });

  it("is all of a short text", () => {
    assert.equal(snippetOf("  a\tshort text ", ["none"]), "a short text");
  });

  it("cuts no character in two", () => {
    for (let offset = 0; offset < 4; offset++) {
      const snippet = snippetOf(`${"x".repeat(offset)}${"🙂".repeat(300)}`, ["🙂"]);
      const around = snippetOf(`${"🙂".repeat(100)}n${"🙂".repeat(100)}`, ["n"]);
      for (const text of [snippet, around]) assert.doesNotThrow(() => encodeURIComponent(text));
    }
  });

  it("starts at the front where letters change their length with their case", () => {
    assert.match(snippetOf(`${"İ".repeat(300)} needle`, ["needle"]), /^İ+…$/u);
  });
});
