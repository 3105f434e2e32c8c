import assert from "node:assert/strict";
import { parseSearchTerms } from "../../../src/core/conversation/searchTerms.ts";
import { snippetOf } from "../../../src/core/conversation/searchResult.ts";

describe("parseSearchTerms", () => {
  it("splits a query into words and quoted phrases, each once and in lower case", () => {
    assert.deepEqual(parseSearchTerms(' Foo "bar  Baz" foo x'), ["foo", "bar  baz", "x"]);
  });

  it("ignores a quotation mark that isn't closed", () => {
    assert.deepEqual(parseSearchTerms('"open now'), ["open", "now"]);
    assert.deepEqual(parseSearchTerms('"" "'), []);
  });

  it("limits the number of terms", () => {
    assert.equal(parseSearchTerms(Array.from({ length: 50 }, (_, i) => `w${i}`).join(" ")).length, 8);
    assert.equal(parseSearchTerms("x".repeat(10_000))[0]?.length, 100);
  });
});

describe("snippetOf", () => {
  it("shows the place where the words are closest together, starting from the rarest", () => {
    const text = `${"the first paragraph. ".repeat(300)}${"x ".repeat(200)}one needle here. ${"x ".repeat(200)}the needle paragraph.`;
    assert.match(snippetOf(text, ["paragraph", "needle"]), /needle paragraph/u);
    assert.match(snippetOf(text, ["x", "one"]), /one needle/u);
  });

  it("is one line that starts between words and marks where it was cut", () => {
    const text = `${"lorem ipsum ".repeat(20)}needle\n\n${"dolor sit ".repeat(40)}`;
    const snippet = snippetOf(text, ["needle"]);
    assert.match(snippet, /^…(?:lorem|ipsum) .*needle dolor.*…$/u);
    assert.ok(snippet.length < 170);
  });

  it("is the whole text if it is short", () => {
    assert.equal(snippetOf("  a\tshort text ", ["none"]), "a short text");
  });

  it("splits no character", () => {
    for (let offset = 0; offset < 4; offset++) {
      const snippet = snippetOf(`${"x".repeat(offset)}${"🙂".repeat(300)}`, ["🙂"]);
      const around = snippetOf(`${"🙂".repeat(100)}n${"🙂".repeat(100)}`, ["n"]);
      for (const text of [snippet, around]) assert.doesNotThrow(() => encodeURIComponent(text));
    }
  });

  it("starts at the beginning if letters change their length with their case", () => {
    assert.match(snippetOf(`${"İ".repeat(300)} needle`, ["needle"]), /^İ+…$/u);
  });
});
