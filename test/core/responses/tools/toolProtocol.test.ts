import assert from "node:assert/strict";
import { parseFromWebview } from "../../../../src/core/panel/parseFromWebview.ts";

describe("What the page says of a tool call", () => {
  const call = { messageId: "m", callId: "c" };

  it("is the user's word, or the wish to see its arguments", () => {
    for (const answer of ["once", "conversation", "always", "decline"]) {
      const message = { type: "toolAnswer", ...call, answer };
      assert.deepEqual(parseFromWebview({ ...message, more: 1 }), message);
    }
    const wish = { type: "openToolArguments", ...call };
    assert.deepEqual(parseFromWebview({ ...wish, answer: "always" }), wish);
  });

  it("is nothing if it is another word, or about no call", () => {
    for (const answer of [undefined, "yes", "stop", "toString", 1])
      assert.equal(parseFromWebview({ type: "toolAnswer", ...call, answer }), undefined);
    assert.equal(parseFromWebview({ type: "toolAnswer", messageId: "m", answer: "always" }), undefined);
    assert.equal(parseFromWebview({ type: "openToolArguments", callId: "c" }), undefined);
  });
});
