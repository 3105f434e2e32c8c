import assert from "node:assert/strict";
import type {
  CompletionMessage,
  ProviderFields,
  ToolCall,
} from "../../../src/core/conversation/completion.ts";
import { completionMessages } from "../../../src/core/conversation/completionMessages.ts";
import { parseDetails, writeDetails } from "../../../src/core/conversation/messageDetails.ts";
import { newResponse } from "../../../src/core/conversation/forkConversation.ts";
import { StreamingResponse } from "../../../src/core/conversation/streamingResponse.ts";
import { createRequestBody } from "../../../src/gateway/completion/requestBody.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";

const call = { index: 0, id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const delta = (fields: object): object => ({ choices: [{ index: 0, delta: fields, finish_reason: null }] });

describe("The provider fields that are sent back with a message", () => {
  const transport = createTestTransport();
  let server: TestServer;
  let body = "";
  before(async () => {
    server = await startServer((request, response) => {
      request.resume();
      response.end(body);
    });
  });
  after(async () => {
    await transport.close();
    await server.close();
  });

  /** The message as it is sent back after it was stored and its tool has run. */
  async function roundTrip(
    deltas: readonly object[],
    to: Partial<Pick<ProviderFields, "baseUrl" | "model">> = {},
  ): Promise<Record<string, unknown>> {
    const finish = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
    body = [...deltas, finish].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
    const baseUrl = `${server.url}/v1`;
    const client = createTestClient(server.url, { transport });
    const answer = new StreamingResponse(
      newResponse({ id: "a", parentId: undefined, createdAt: 1 }, {}),
      () => 1,
    );
    for await (const event of client.complete({ model: "m", messages: [], stream: true }, {}).events)
      answer.append(event);
    const message = answer.freeze("complete");
    const stored = { ...message, ...parseDetails(writeDetails(message)) };
    const result = { ...message, id: "t", role: "tool", toolCalls: [], toolCallId: "c1", text: "r" } as const;
    const messages: readonly CompletionMessage[] = completionMessages([stored, result]);
    const sent: { messages: Record<string, unknown>[] } = JSON.parse(
      createRequestBody(
        { model: to.model ?? "m", messages, stream: true },
        { baseUrl: to.baseUrl ?? baseUrl },
      ).body,
    );
    return sent.messages[0] ?? {};
  }

  it("are blocks of thinking, each with its signature", async () => {
    const block = (thinking: string, signature = "") => ({ type: "thinking", thinking, signature });
    const { thinking_blocks: blocks, reasoning_content: text } = await roundTrip([
      delta({ reasoning_content: "I ", thinking_blocks: [block("I ")] }),
      delta({ reasoning_content: "think", thinking_blocks: [block("think")] }),
      delta({ thinking_blocks: [block("", "s1")] }),
      delta({ thinking_blocks: [block("More", "s2")] }),
      delta({ tool_calls: [call] }),
    ]);
    assert.deepEqual(blocks, [block("I think", "s1"), block("More", "s2")]);
    assert.equal(text, "I thinkMore");
  });

  it("are the reasoning between tags in the content, in front of the text", async () => {
    const { content } = await roundTrip([
      delta({ content: "<think>Hm, " }),
      delta({ content: "yes</think>Looking." }),
      delta({ tool_calls: [call] }),
    ]);
    assert.equal(content, "<think>\nHm, yes\n</think>\n\nLooking.");
  });

  for (const name of ["reasoning_content", "reasoning"]) {
    it(`are its reasoning under the name ${name}`, async () => {
      const sent = await roundTrip([
        delta({ [name]: "I " }),
        delta({ [name]: "think" }),
        delta({ tool_calls: [call] }),
      ]);
      assert.equal(sent[name], "I think");
      assert.equal(sent["content"], "");
    });
  }

  it("are reasoning_details joined by index and type, with their signatures", async () => {
    const details = (...pieces: readonly object[]): object =>
      delta({ reasoning: "x", reasoning_details: pieces });
    const sent = await roundTrip([
      details({ type: "reasoning.text", text: "I ", index: 0, format: "anthropic-claude-v1" }),
      details({ type: "reasoning.text", text: "think", index: 0 }),
      details({ type: "reasoning.text", signature: "sig", index: 0 }),
      details({ type: "reasoning.text", text: "again", index: 1 }),
      details({ type: "reasoning.encrypted", data: "AAAA", id: "rs_1", index: 0 }),
      delta({ tool_calls: [call] }),
    ]);
    assert.deepEqual(sent["reasoning_details"], [
      { type: "reasoning.text", text: "I think", index: 0, format: "anthropic-claude-v1", signature: "sig" },
      { type: "reasoning.text", text: "again", index: 1 },
      { type: "reasoning.encrypted", data: "AAAA", id: "rs_1", index: 0 },
    ]);
  });

  it("are the thought signature of a tool call", async () => {
    const extra = { google: { thought_signature: "c2ln" } };
    const sent = await roundTrip([delta({ tool_calls: [{ ...call, extra_content: extra }] })]);
    assert.deepEqual(sent["tool_calls"], [
      { extra_content: extra, id: "c1", type: "function", function: { name: "f", arguments: "{}" } },
    ]);
  });

  it("are the joined reasoning parts of the content, before the text", async () => {
    const thinking = (text: string, more: object = {}): object =>
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text }], ...more }] });
    const sent = await roundTrip([
      thinking("I "),
      thinking("think"),
      thinking(".", { signature: "sig", closed: true }),
      thinking("Again."),
      delta({ content: "So" }),
      delta({ content: [{ type: "text", text: " be it." }] }),
      delta({ tool_calls: [call] }),
    ]);
    assert.deepEqual(sent["content"], [
      { type: "thinking", signature: "sig", closed: true, thinking: [{ type: "text", text: "I think." }] },
      { type: "thinking", thinking: [{ type: "text", text: "Again." }] },
      { type: "text", text: "So be it." },
    ]);
  });

  it("are a reasoning content part, if its text is a string", async () => {
    const part = (fields: object): object => delta({ content: [{ type: "thinking", ...fields }] });
    const sent = await roundTrip([
      part({ thinking: "I " }),
      part({ thinking: "think." }),
      part({ signature: "sig" }),
      delta({ tool_calls: [call] }),
    ]);
    assert.deepEqual(sent["content"], [{ type: "thinking", thinking: "I think.", signature: "sig" }]);
  });

  it("aren't part of the content for another provider", async () => {
    const deltas = [
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "secret thought" }] }] }),
      delta({ content: "So." }),
      delta({ tool_calls: [call] }),
    ];
    const sent = await roundTrip(deltas, { baseUrl: "https://other.example/v1" });
    assert.equal(sent["content"], "So.");
    assert.doesNotMatch(JSON.stringify(sent), /secret/);
  });

  it("are sent to no other provider and no other model", async () => {
    const deltas = [
      delta({
        reasoning_content: "secret thought",
        reasoning_details: [{ type: "reasoning.text", text: "t" }],
      }),
      delta({ tool_calls: [{ ...call, extra_content: { s: "secret signature" } }] }),
    ];
    for (const to of [{ baseUrl: "https://other.example/v1" }, { model: "other" }]) {
      const sent = await roundTrip(deltas, to);
      assert.deepEqual(Object.keys(sent).toSorted(), ["content", "role", "tool_calls"]);
      assert.doesNotMatch(JSON.stringify(sent), /secret/);
    }
  });

  it("are omitted if the model called no tool", () => {
    const fields = { baseUrl: "u", model: "m", reasoningNames: ["reasoning"] };
    const calls: readonly ToolCall[] = [];
    const answer = newResponse({ id: "a", parentId: undefined, createdAt: 1 }, {});
    const message = { ...answer, status: "complete", text: "x", reasoning: "y", toolCalls: calls } as const;
    assert.deepEqual(completionMessages([{ ...message, providerFields: fields }]), [
      { role: "assistant", content: "x" },
    ]);
  });
});
