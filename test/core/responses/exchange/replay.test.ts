import assert from "node:assert/strict";
import type { CompletionRequest } from "../../../../src/core/conversation/completion.ts";
import { readReplay } from "../../../../src/core/responses/exchange/replay.ts";
import { createRequestBody } from "../../../../src/gateway/completion/requestBody.ts";

const baseUrl = "https://inference.example/v1";

/** The body that is sent when this one is sent again. */
function sendAgain(body: string): unknown {
  const replay = readReplay(body, baseUrl);
  assert.ok(replay.state === "ready", replay.state);
  return JSON.parse(createRequestBody(replay.request, { baseUrl }).body);
}

describe("A recorded request", () => {
  it("is sent again with everything it contained", () => {
    const request: CompletionRequest = {
      model: "org/model",
      stream: true,
      maxTokens: 10,
      parameters: { temperature: 0.5, tools: [{ type: "function", function: { name: "look" } }] },
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          name: "me",
          content: [
            { type: "text", text: "Look" },
            { type: "image", mediaType: "image/png", data: "AAAA" },
            { type: "audio", format: "wav", data: "BBBB" },
          ],
        },
        {
          role: "assistant",
          content: "",
          reasoning: "hm",
          toolCalls: [{ id: "c1", name: "look", arguments: '{"a":1}', extra: { signature: "s" } }],
          providerFields: { baseUrl, model: "org/model", reasoningNames: ["reasoning_content"] },
        },
        { role: "tool", toolCallId: "c1", content: "seen" },
      ],
    };
    const body = createRequestBody(request, { baseUrl }).body;
    assert.deepEqual(sendAgain(body), JSON.parse(body));
  });

  it("sends what a provider expects back to no other address", () => {
    const message = { role: "assistant", content: "a", reasoning_content: "private" };
    const replay = readReplay(JSON.stringify({ model: "m", messages: [message] }), baseUrl);
    assert.ok(replay.state === "ready");
    assert.doesNotMatch(
      createRequestBody(replay.request, { baseUrl: "https://other.example/v1" }).body,
      /private/,
    );
  });

  it("isn't sent again without its images, or if it is something else", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,[300 bytes left out]" } };
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: [image] }] });
    assert.equal(readReplay(body, baseUrl).state, "incomplete");
    assert.equal(readReplay("", baseUrl).state, "incomplete");
    for (const other of [
      "no JSON",
      "[]",
      '{"model":"m","input":"x"}',
      '{"model":"m","messages":[{"role":"other","content":""}]}',
      '{"model":"m","messages":[{"role":"user","content":[{"type":"video"}]}]}',
      '{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":1}]}]}',
    ])
      assert.equal(readReplay(other, baseUrl).state, "unreadable", other);
  });
});
