import assert from "node:assert/strict";
import { omissionText } from "../../../../src/core/compose/meter/omissionText.ts";
import { parseOmission } from "../../../../src/core/conversation/tooLong.ts";

describe("What a request was sent without", () => {
  it("is said with its reason", () => {
    assert.equal(
      omissionText({ turns: 2, files: 0, tokens: 1200 }, "en"),
      "Sent without the oldest turns (2, about 1,200 tokens): they did not fit.",
    );
    assert.equal(
      omissionText({ turns: 0, files: 0, tokens: 0, pictures: 1 }, "en"),
      "Sent without the pictures of tools (1): the model is not known to see pictures.",
    );
  });

  it("is said in two sentences where there are two reasons", () => {
    assert.equal(
      omissionText({ turns: 0, files: 1, tokens: 50, pictures: 3 }, "en"),
      "Sent without files of earlier turns (1, about 50 tokens): they did not fit. Sent without the pictures of tools (3): the model is not known to see pictures.",
    );
  });

  it("is the same after it was stored", () => {
    for (const omission of [
      { turns: 1, files: 2, tokens: 3 },
      { turns: 0, files: 0, tokens: 0, pictures: 4 },
    ]) {
      assert.deepEqual(parseOmission(JSON.parse(JSON.stringify(omission))), omission);
    }
    assert.equal(parseOmission({ turns: 1, files: "2", tokens: 3 }), undefined);
  });
});
