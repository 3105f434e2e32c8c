import assert from "node:assert/strict";
import { parseFromWebview } from "../../../src/core/panel/parseFromWebview.ts";

describe("parseFromWebview", () => {
  it("accepts every message of the protocol", () => {
    for (const message of [
      { type: "ready" },
      { type: "send", text: "hi", attachments: [{ type: "image", mediaType: "image/png", data: "AAAA" }] },
      { type: "stop" },
      { type: "retryNow" },
      { type: "selectModel", model: "a/b" },
      { type: "action", id: "retry", messageId: "m1" },
      { type: "action", id: "showLog" },
      { type: "copy", text: "x" },
      { type: "openLink", href: "https://example.org" },
      { type: "draft", text: "", attachments: [] },
      { type: "pageError", message: "oops" },
    ]) {
      assert.deepEqual(parseFromWebview(message), message);
    }
  });

  it("rejects unknown messages", () => {
    for (const message of [
      undefined,
      null,
      "ready",
      [],
      {},
      { type: "eval", text: "1" },
      { type: "send" },
      { type: "send", text: 1 },
      { type: "action", id: "workbench.action.quit" },
      { type: "openLink", href: {} },
    ]) {
      assert.equal(parseFromWebview(message), undefined);
    }
  });

  it("drops fields that don't belong to the message", () => {
    assert.deepEqual(parseFromWebview({ type: "stop", text: "x" }), { type: "stop" });
  });
});

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
