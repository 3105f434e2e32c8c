import assert from "node:assert/strict";
import { newResponse, newQuestion, newToolMessage } from "../../../src/core/conversation/forkConversation.ts";

const origin = { id: "m2", parentId: "m1", createdAt: 1000 };
const image = { type: "image", mediaType: "image/png", data: "AA==" } as const;

describe("New messages", () => {
  it("are complete from the start if the user wrote them", () => {
    const { role, status, text, attachments } = newQuestion(origin, "Hi", [image]);
    assert.deepEqual({ role, status, text, attachments }, { ...said("user", "Hi"), attachments: [image] });
  });

  it("start an empty response with its model and settings", () => {
    const answer = newResponse(origin, { model: "lab/echo", settings: { systemPrompt: "Short." } });
    assert.deepEqual([answer.role, answer.status, answer.text], ["assistant", "streaming", ""]);
    assert.deepEqual([answer.model, answer.settings], ["lab/echo", { systemPrompt: "Short." }]);
  });

  it("give a tool result its call, its outcome and its duration", () => {
    const result = newToolMessage(origin, "call-1", { outcome: "done", text: "42", tookMs: 5 });
    const { role, status, text, toolCallId, finishReason, timing } = result;
    assert.deepEqual({ role, status, text }, said("tool", "42"));
    assert.deepEqual([toolCallId, finishReason, timing], ["call-1", "done", { totalMs: 5 }]);
  });

  it("have no parent if they are the first", () => {
    assert.equal("parentId" in newQuestion({ ...origin, parentId: undefined }, "Hi", []), false);
  });
});

function said(role: string, text: string) {
  return { role, status: "complete", text };
}
