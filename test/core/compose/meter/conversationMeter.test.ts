import assert from "node:assert/strict";
import type { Message } from "../../../../src/core/conversation/conversation.ts";
import {
  ConversationMeter,
  excessTokens,
  calibrationFactor,
  meterMessages,
} from "../../../../src/core/compose/meter/conversationMeter.ts";

function message(parts: Partial<Message>): Message {
  return {
    id: "m",
    role: "user",
    status: "complete",
    createdAt: 0,
    text: "",
    attachments: [],
    reasoning: "",
    toolCalls: [],
    ...parts,
  };
}

const file = { type: "text", text: "x".repeat(50), title: "a.ts" } as const;
const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;

describe("The meter of a conversation", () => {
  it("counts tokens by part, including the overhead of each message", () => {
    const meter = new ConversationMeter((text) => text.length);
    const messages = [message({ text: "12345678", attachments: [file, image] })];
    const { parts, reserved } = meter.read(
      messages,
      { systemPrompt: "123456", parameters: { max_tokens: 99 } },
      {},
    );
    assert.deepEqual(parts, {
      system: 10,
      history: 12,
      files: 50,
      images: 1000,
      audio: 0,
      tools: 0,
      draft: 0,
    });
    assert.equal(reserved, 99);
  });

  it("counts images from tools like those of the user", () => {
    const meter = new ConversationMeter((text) => text.length);
    const result = message({ role: "tool", toolCallId: "1", text: "seen", attachments: [image] });
    const { parts } = meter.read([result], {}, {});
    assert.deepEqual([parts.history, parts.images], [8, 1000]);
  });

  it("counts the offered tools, and corrects estimates with responses that had the same tools", () => {
    const meter = new ConversationMeter((text) => text.length);
    const answer = message({
      role: "assistant",
      settings: { tools: ["add"] },
      usage: { promptTokens: 604, completionTokens: 1 },
    });
    const { parts, factor } = meter.read([message({ text: "x".repeat(100) }), answer], {}, {}, 500);
    assert.equal(parts.tools, 500);
    assert.equal(factor, 1);
  });

  it("counts reasoning only if it is sent back to the model that wrote it", () => {
    const meter = new ConversationMeter((text) => text.length);
    const toolCalls = [{ id: "1", name: "f", arguments: "{}" }];
    const providerFields = { baseUrl: "u", model: "lab/thinks", reasoningNames: ["reasoning"] };
    const plain = message({ role: "assistant", reasoning: "x".repeat(500), toolCalls });
    const caller = { ...plain, providerFields };
    const history = (messages: readonly Message[], id: string): number =>
      meter.read(messages, {}, { id }).parts.history;
    assert.equal(history([caller], "lab/thinks") - history([caller], "lab/other"), 500);
    assert.equal(history([plain], "lab/thinks"), history([caller], "lab/other"));
    assert.equal(history([{ ...caller, toolCalls: [] }], "lab/thinks"), 4);
  });

  it("counts every message once, however often the meter is read", () => {
    let calls = 0;
    const meter = new ConversationMeter((text) => {
      calls++;
      return text.length;
    });
    const messages = Array.from({ length: 100 }, (_, id) => message({ id: String(id), text: "hello" }));
    meter.read(messages, {}, {});
    const before = calls;
    meter.read([...messages, message({ text: "new" })], {}, {});
    assert.equal(calls - before, 1);
  });

  it("corrects its estimates with the counts from the service", () => {
    const meter = new ConversationMeter((text) => text.length);
    const messages = [
      message({ text: "x".repeat(96) }),
      message({ role: "assistant", text: "x".repeat(46), usage: { promptTokens: 200 } }),
    ];
    const { parts, factor } = meter.read(messages, {}, {});
    assert.equal(factor, 2);
    assert.equal(parts.history, 300);
    assert.equal(calibrationFactor([{ estimated: 10, reported: 1000 }]), 1);
    assert.equal(calibrationFactor([{ estimated: 100, reported: 100_000 }]), 3);
  });

  it("reports that the conversation is too long, including the tokens reserved for the response", () => {
    const meter = new ConversationMeter((text) => text.length);
    const reading = meter.read([], { parameters: { max_tokens: 50 } }, { contextLength: 100 });
    const parts = meter.withDraft(reading, { text: "x".repeat(56), attachments: [] });
    assert.equal(excessTokens(parts, reading), 10);
    const words = meterMessages(parts, reading, "en");
    assert.equal(words.label, "About 60 tokens, 10 over the model's 100-token context window");
    assert.equal(words.words, "≈ 60 / 100");
    assert.deepEqual(words.rows, [
      { label: "This message", value: "60" },
      { label: "Reserved for the response", value: "50" },
      { label: "Context window", value: "100" },
    ]);
  });

  it("shows no limit if the model's context window is unknown", () => {
    const meter = new ConversationMeter((text) => text.length);
    const reading = meter.read([message({ text: "x".repeat(1230) })], {}, {});
    assert.equal(excessTokens(reading.parts, reading), 0);
    const words = meterMessages(reading.parts, reading, "en");
    assert.deepEqual([words.words, words.share], ["≈ 1.2K", undefined]);
  });
});
