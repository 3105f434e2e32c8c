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
      omissionMessage({ turns: 0, files: 0, tokens: 0, images: 1 }, "en"),
      "1 tool image was left out because the model may not support image input.",
    );
  });

  it("names the parameters that a model rejected", () => {
    const nothing = { turns: 0, files: 0, tokens: 0 };
    assert.equal(
      omissionMessage({ ...nothing, parameters: ["seed"] }, "en"),
      "The parameter “seed” wasn't sent because this model rejected it recently.",
    );
    assert.equal(
      omissionMessage({ ...nothing, parameters: ["seed", "top_k"] }, "en"),
      "The parameters “seed”, “top_k” weren't sent because this model rejected them recently.",
    );
  });

  it("has two sentences if there are two reasons", () => {
    assert.equal(
      omissionMessage({ turns: 0, files: 1, tokens: 50, images: 3 }, "en"),
      "To fit the context window, 1 file from an earlier turn (about 50 tokens) was left out. 3 tool images were left out because the model may not support image input.",
    );
  });

  it("covers everything that was reported, one after the other", () => {
    const response = new StreamingResponse(newResponse({ id: "r1", createdAt: 1 }, {}), () => 1);
    response.addOmitted({ turns: 2, files: 0, tokens: 90 });
    response.addOmitted({ parameters: ["seed"] });
    assert.deepEqual(response.finish({ status: "complete" }).omitted, {
      turns: 2,
      files: 0,
      tokens: 90,
      parameters: ["seed"],
    });
  });

  it("is unchanged after it is stored and loaded", () => {
    for (const omission of [
      { turns: 1, files: 2, tokens: 3 },
      { turns: 0, files: 0, tokens: 0, images: 4 },
      { turns: 0, files: 0, tokens: 0, parameters: ["seed"] },
    ]) {
      assert.deepEqual(parseOmission(JSON.parse(JSON.stringify(omission))), omission);
    }
    assert.equal(parseOmission({ turns: 1, files: "2", tokens: 3 }), undefined);
  });
});
