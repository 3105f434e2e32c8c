import assert from "node:assert/strict";
import { newResponse, newQuestion, newToolMessage } from "../../../src/core/conversation/newMessage.ts";

const origin = { id: "m2", parentId: "m1", createdAt: 1000 };
const image = { type: "image", mediaType: "image/png", data: "AA==" } as const;

describe("new messages", () => {
  it("has the user's own complete from the beginning", () => {
    const { role, status, text, attachments } = newQuestion(origin, "Hi", [image]);
    assert.deepEqual({ role, status, text, attachments }, { ...said("user", "Hi"), attachments: [image] });
  });

  it("begins a response empty, with what it is asked with", () => {
    const answer = newResponse(origin, { model: "lab/echo", settings: { systemPrompt: "Short." } });
    assert.deepEqual([answer.role, answer.status, answer.text], ["assistant", "streaming", ""]);
    assert.deepEqual([answer.model, answer.settings], ["lab/echo", { systemPrompt: "Short." }]);
  });

  it("gives the result of a tool with its call, its outcome and the time that it took", () => {
    const result = newToolMessage(origin, "call-1", { outcome: "done", text: "42", tookMs: 5 });
    const { role, status, text, toolCallId, finishReason, timing } = result;
    assert.deepEqual({ role, status, text }, said("tool", "42"));
    assert.deepEqual([toolCallId, finishReason, timing], ["call-1", "done", { totalMs: 5 }]);
  });

  it("names no parent for a first message", () => {
    assert.equal("parentId" in newQuestion({ ...origin, parentId: undefined }, "Hi", []), false);
  });
});

function said(role: string, text: string) {
  return { role, status: "complete", text };
}
