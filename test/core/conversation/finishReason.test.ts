import assert from "node:assert/strict";
import { canContinue } from "../../../src/core/conversation/continuation.ts";
import { describeEnding, emptyResponse, endingOf } from "../../../src/core/conversation/finishReason.ts";

describe("A finish reason", () => {
  for (const [reason, ending] of [
    ["stop", "complete"],
    ["STOP", "complete"],
    ["tool_use", "tools"],
    ["max_tokens", "length"],
    ["MAX_TOKENS", "length"],
    ["model_context_window_exceeded", "length"],
    ["PROHIBITED_CONTENT", "filter"],
    ["content_filter: RECITATION", "filter"],
    ["guardrail_intervened", "filter"],
    ["network_error", "interrupted"],
    ["insufficient_system_resource", "interrupted"],
    ["abort", "interrupted"],
    ["context_window_exceeded", "length"],
    ["ERROR_LIMIT", "length"],
    ["truncated", "length"],
    ["IMAGE_RECITATION", "filter"],
    ["ERROR_TOXIC", "filter"],
    ["MALFORMED_FUNCTION_CALL", "interrupted"],
    ["malformed_model_output", "interrupted"],
    ["UNEXPECTED_TOOL_CALL", "interrupted"],
    ["TOO_MANY_TOOL_CALLS", "interrupted"],
    ["maxTokens", "length"],
    ["contentFilter", "filter"],
    ["end-turn", "complete"],
    ["FINISH_REASON_MAX_TOKENS", "length"],
    ["FinishReason.SAFETY", "filter"],
    ["normal", "complete"],
    ["new_reason", undefined],
    [null, undefined],
  ] as const)
    it(`means how the response ended: ${reason}`, () => assert.equal(endingOf(reason), ending));

  it("of a response that was cut at any token limit lets the user continue it", () => {
    const response = { role: "assistant", status: "complete", text: "a" } as const;
    assert.ok(canContinue({ ...response, finishReason: "max_tokens" }));
    assert.ok(!canContinue({ ...response, finishReason: "stop" }));
  });

  it("is shown with the name of the filter, and not at all if the response is complete", () => {
    assert.match(describeEnding("SAFETY") ?? "", /filter.*SAFETY/);
    assert.match(describeEnding("new_reason") ?? "", /new_reason/);
    assert.equal(describeEnding("end_turn"), undefined);
  });

  it("explains why a response has no text", () => {
    const reasonOf = (finishReason: string): string =>
      emptyResponse({ finishReason, hasReasoning: false }).reason;
    assert.equal(reasonOf("SAFETY"), "contentFilter");
    assert.equal(reasonOf("length"), "service");
  });

  it("of an empty response to a conversation that fills the context is explained with the numbers", () => {
    const facts = emptyResponse({
      finishReason: "stop",
      hasReasoning: false,
      usage: { promptTokens: 36_120 },
      contextLength: 32_768,
    });
    assert.equal(facts.reason, "contextLength");
    assert.deepEqual(facts.tokens, { limit: 32_768, requested: 36_120 });
    assert.match(facts.message, /36,120.*32,768/);
  });
});
