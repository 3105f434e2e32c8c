import assert from "node:assert/strict";
import { exchangeDocument } from "../../../../src/core/responses/exchange/exchangeDocument.ts";
import { summarizeResponse } from "../../../../src/core/responses/usage/responseFacts.ts";
import { isRecord } from "../../../../src/core/kernel/json.ts";
import { createAttempt, createExchange } from "../../../support/exchanges.ts";

/** The document without its comments, parsed. */
function parseDocument(text: string): unknown {
  const lines = text.split("\n").filter((line) => !line.startsWith("//"));
  return JSON.parse(lines.join("\n"));
}

function member(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}

const image = "A".repeat(4_000);

describe("The document of a request", () => {
  it("is JSON below comments that summarize it", () => {
    const text = exchangeDocument([createExchange()]);
    const value = parseDocument(text);
    assert.equal(member(value, "request", "method"), "POST");
    assert.equal(member(value, "response", "statusCode"), 200);
    assert.equal(member(value, "finishReason"), "stop");
    const comments = text.split("\n").filter((line) => line.startsWith("//"));
    assert.match(comments[0] ?? "", /organization\/model/);
    assert.match(comments[1] ?? "", /^\/\/ POST https:\/\/inference\.example\/v1\/chat\/completions$/);
    assert.match(comments[2] ?? "", /status 200 · request ID r-1 · complete after 1,235 ms/);
  });

  it("shows each value of the body as it was sent", () => {
    const body = { model: "m", messages: [{ role: "user", content: 'a\n"b" \u202e \\ ` $x' }], stream: true };
    const attempt = createAttempt();
    const request = { ...attempt.request, body: JSON.stringify(body) };
    const text = exchangeDocument([createExchange({ attempts: [{ ...attempt, request }] })]);
    assert.deepEqual(member(parseDocument(text), "request", "body"), body);
    assert.ok(!text.includes("\u202e"), "marks that reorder text are told by their number");
  });

  it("shows the same speed as the line under the response", () => {
    const stream = {
      ...{ firstByteMs: 200, firstDeltaMs: 200, lastByteMs: 2_200, bytes: 900, chunks: 9 },
      ...{ textDeltas: 9, reasoningDeltas: 0, toolCallDeltas: 0, gaps: [] },
    };
    const usage = { completionTokens: 101 };
    const text = exchangeDocument([createExchange({ attempts: [createAttempt({ stream })], usage })]);
    const line = summarizeResponse({ usage, timing: { firstDeltaMs: 200, totalMs: 2_200 } }, {}, "en");
    assert.match(text, / · 50 tokens per second · /);
    assert.ok(line.includes("50 tokens/s"), line.join(" · "));
  });

  it("shows images and audio by size only", () => {
    const content = [
      { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
      { type: "input_audio", input_audio: { data: image, format: "wav" } },
    ];
    const attempt = createAttempt();
    const request = { ...attempt.request, body: JSON.stringify({ messages: [{ role: "user", content }] }) };
    const text = exchangeDocument([createExchange({ attempts: [{ ...attempt, request }] })]);
    assert.ok(!text.includes("AAAA"));
    assert.match(text, /"data:image\/png;base64,\[3000 bytes left out\]"/);
    assert.match(text, /"data": "\[3000 bytes left out\]"/);
  });

  it("shows all attempts in one timeline, and an identical body only once", () => {
    const failed = createAttempt({
      response: { statusCode: 503, headers: {} },
      failure: { atMs: 110, error: { reason: "unavailable", message: "Busy." }, waitMs: 500 },
    });
    const value = parseDocument(
      exchangeDocument([createExchange({ attempts: [failed, createAttempt({ startMs: 610 })] })]),
    );
    const timeline = member(value, "timeline");
    assert.ok(Array.isArray(timeline));
    assert.deepEqual(
      timeline.filter((entry) => member(entry, "event") === "wait"),
      [{ ms: 110, event: "wait", detail: "500 ms", attempt: 1 }],
    );
    const earlier = member(value, "earlierAttempts");
    assert.ok(Array.isArray(earlier));
    assert.equal(member(earlier[0], "failure", "message"), "Busy.");
    assert.equal(member(earlier[0], "request", "body"), undefined);
  });

  it("explains why nothing was sent", () => {
    const error = { reason: "missingCredential", message: "There is no API key." } as const;
    const text = exchangeDocument([createExchange({ attempts: [], error, outcome: "failed" })]);
    assert.match(text, /Nothing was sent: There is no API key\./);
    assert.equal(member(parseDocument(text), "failure", "reason"), "missingCredential");
  });

  it("doesn't let a name break out of its comment", () => {
    const text = exchangeDocument([createExchange({ model: 'x\n"y": 1,\r\u2028evil' })]);
    assert.doesNotThrow(() => parseDocument(text));
    assert.equal(text.split("\n").filter((line) => line.includes("evil")).length, 1);
  });

  it("lists the rounds of one response, the latest first", () => {
    const value = parseDocument(
      exchangeDocument([createExchange({ finishReason: "tool_calls" }), createExchange()]),
    );
    assert.ok(Array.isArray(value));
    assert.deepEqual(
      value.map((exchange) => member(exchange, "finishReason")),
      ["stop", "tool_calls"],
    );
  });
});
