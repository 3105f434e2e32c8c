import assert from "node:assert/strict";
import { omissionMessage } from "../../../../src/core/compose/meter/conversationMeter.ts";
import { newResponse } from "../../../../src/core/conversation/forkConversation.ts";
import { StreamingResponse } from "../../../../src/core/conversation/streamingResponse.ts";
import { parseOmission } from "../../../../src/core/conversation/tooLong.ts";

describe("The note about what a request omitted", () => {
  it("gives the reason", () => {
    assert.equal(
      omissionMessage({ turns: 2, files: 0, tokens: 1200 }, "en"),
      "To fit the context window, the 2 oldest turns (about 1,200 tokens) were left out.",
    );
    assert.equal(
      omissionMessage({ turns: 0, files: 0, tokens: 0, inputs: ["image"], cut: 1 }, "en"),
      "To fit the context window, long texts were cut. The images weren't sent because this model doesn't support them.",
    );
  });

  it("names what a model rejected", () => {
    const nothing = { turns: 0, files: 0, tokens: 0 };
    assert.equal(
      omissionMessage({ ...nothing, adaptations: ["field:seed", "input:audio"] }, "en"),
      "Sent without “seed”, audio, which this model rejected.",
    );
  });

  it("has two sentences if there are two reasons", () => {
    assert.equal(
      omissionMessage({ turns: 0, files: 1, tokens: 50, inputs: ["audio"] }, "en"),
      "To fit the context window, 1 file from an earlier turn (about 50 tokens) was left out. The audio wasn't sent because this model doesn't support it.",
    );
  });

  it("covers everything that was reported, one after the other", () => {
    const response = new StreamingResponse(newResponse({ id: "r1", createdAt: 1 }, {}), () => 1);
    response.addOmitted({ turns: 2, files: 0, tokens: 90 });
    response.addOmitted({ adaptations: ["field:seed"] });
    assert.deepEqual(response.finish({ status: "complete" }).omitted, {
      turns: 2,
      files: 0,
      tokens: 90,
      adaptations: ["field:seed"],
    });
  });

  it("is unchanged after it is stored and loaded", () => {
    for (const omission of [
      { turns: 1, files: 2, tokens: 3 },
      { turns: 0, files: 0, tokens: 0, inputs: ["image"], cut: 2 },
      { turns: 0, files: 0, tokens: 0, adaptations: ["field:seed"] },
    ]) {
      assert.deepEqual(parseOmission(JSON.parse(JSON.stringify(omission))), omission);
    }
    assert.equal(parseOmission({ turns: 1, files: "2", tokens: 3 }), undefined);
  });
});
