import assert from "node:assert/strict";
import { parseFromWebview } from "../../../../src/core/panel/parseFromWebview.ts";

describe("A page message about a tool call", () => {
  const call = { messageId: "m", callId: "c" };

  it("contains the user's decision or a request to show the arguments", () => {
    for (const answer of ["once", "conversation", "always", "decline"]) {
      const message = { type: "toolAnswer", ...call, answer };
      assert.deepEqual(parseFromWebview({ ...message, more: 1 }), message);
    }
    const wish = { type: "openToolArguments", ...call };
    assert.deepEqual(parseFromWebview({ ...wish, answer: "always" }), wish);
  });

  it("is rejected if the decision is unknown or the call is missing", () => {
    for (const answer of [undefined, "yes", "stop", "toString", 1])
      assert.equal(parseFromWebview({ type: "toolAnswer", ...call, answer }), undefined);
    assert.equal(parseFromWebview({ type: "toolAnswer", messageId: "m", answer: "always" }), undefined);
    assert.equal(parseFromWebview({ type: "openToolArguments", callId: "c" }), undefined);
  });
});
