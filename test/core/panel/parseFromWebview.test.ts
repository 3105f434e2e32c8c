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
