import assert from "node:assert/strict";
import { listResponseFacts, summarizeResponse } from "../../../../src/core/responses/usage/responseFacts.ts";
import { formatMs } from "../../../../src/core/kernel/formatTime.ts";

const facts = {
  model: "lab/echo",
  usage: { promptTokens: 1234, cachedTokens: 1000, completionTokens: 101, reasoningTokens: 40 },
  timing: { firstDeltaMs: 240, totalMs: 2240 },
  finishReason: "stop",
};
const prices = { "lab/*": { input: 1, output: 1, currency: "USD" } };

describe("The line under a response", () => {
  it("shows tokens, times and cost", () => {
    assert.deepEqual(summarizeResponse(facts, prices, "en"), [
      "1,234 input",
      "1,000 cached",
      "101 output",
      "40 reasoning",
      "240 ms to first token",
      "50 tokens/s",
      "$0.0013",
    ]);
  });

  it("leaves out unknown values, and is empty if nothing is known", () => {
    assert.deepEqual(summarizeResponse({}, prices, "en"), []);
    assert.deepEqual(summarizeResponse({ ...facts, usage: {}, timing: {} }, prices, "en"), []);
    assert.deepEqual(listResponseFacts({}, prices, "en"), []);
  });

  it("explains why a response ended if it didn't end normally", () => {
    const say = (finishReason: string): readonly string[] => summarizeResponse({ finishReason }, {}, "en");
    assert.deepEqual(say("length"), ["truncated at the token limit"]);
    assert.deepEqual(say("weird"), ["ended with “weird”"]);
  });

  it("lists everything with labels", () => {
    assert.deepEqual(
      listResponseFacts(facts, prices, "en").map(({ label, value }) => `${label}: ${value}`),
      [
        "Model: lab/echo",
        "Input tokens: 1,234",
        "Cached: 1,000",
        "Output tokens: 101",
        "Reasoning: 40",
        "Time to first token: 240 ms",
        "Total time: 2.2 s",
        "Tokens per second: 50",
        "Cost: $0.0013",
        "Finish reason: stop",
      ],
    );
  });

  it("lists the settings of the request, with long texts truncated", () => {
    const settings = {
      systemPrompt: "y".repeat(1000),
      parameters: { stop: ["END"] },
      tools: ["add", "read"],
    };
    assert.deepEqual(
      listResponseFacts({ settings }, {}, "en").map(({ label, value }) => `${label}: ${value}`),
      [`System prompt: ${"y".repeat(300)}…`, 'stop: ["END"]', "Tools: add, read"],
    );
  });

  it("shows whole minutes correctly after rounding", () => {
    assert.deepEqual(
      [119_600, 101_000, 99_949].map((ms) => formatMs(ms, "en")),
      ["2 min 0 s", "1 min 41 s", "100 s"],
    );
  });

  it("shows no speed if no time has passed", () => {
    const timing = { firstDeltaMs: 5, totalMs: 5 };
    assert.ok(!summarizeResponse({ ...facts, timing }, {}, "en").some((words) => words.includes("tokens/s")));
  });
});
