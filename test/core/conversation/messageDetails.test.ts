import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import {
  parseDetails,
  writeDetails,
  changeOf,
  isSameChange,
} from "../../../src/core/conversation/messageDetails.ts";

const whole: Required<Message> = {
  id: "m",
  parentId: "q",
  role: "assistant",
  status: "failed",
  createdAt: 1,
  text: "Text",
  attachments: [],
  reasoning: "Thought",
  toolCalls: [{ id: "c", name: "add", arguments: "{}" }],
  toolCallId: "c",
  model: "lab/model",
  usage: { totalTokens: 7 },
  finishReason: "stop",
  error: { reason: "missingCredential", message: "No key.", credential: "stsToken" },
  seams: [2],
  timing: { totalMs: 5 },
  omitted: { turns: 1, files: 0, tokens: 90 },
  settings: { systemPrompt: "Be brief." },
  isIncluded: true,
  isImported: true,
  sources: [{ url: "https://a.example/page", title: "A page" }, { url: "http://b.example/" }],
  quotes: [{ place: "a link", start: 0, end: 4 }],
  providerFields: { baseUrl: "https://a.example/v1", model: "lab/model" },
};

describe("The fields of a message", () => {
  it("are sent with each change to a page that shows the message, except for the text", () => {
    const { status, toolCalls, model, usage, finishReason, error, timing, omitted, sources } = whole;
    assert.deepEqual(changeOf(whole), {
      status,
      toolCalls,
      model,
      usage,
      finishReason,
      error,
      timing,
      omitted,
      sources,
    });
  });

  it("are compared one by one, so that any difference is sent", () => {
    const before = changeOf(whole);
    assert.ok(isSameChange(before, changeOf({ ...whole, text: "More" })));
    const others: readonly Partial<Message>[] = [
      { status: "complete" },
      { toolCalls: [] },
      { model: "lab/other" },
      { usage: { totalTokens: 8 } },
      { finishReason: "length" },
      { error: { reason: "tls", message: "No." } },
      { timing: { totalMs: 6 } },
    ];
    for (const other of others) assert.ok(!isSameChange(before, changeOf({ ...whole, ...other })));
  });

  it("are unchanged after they are stored and loaded", () => {
    const read = parseDetails(writeDetails(whole));
    for (const [name, value] of Object.entries(read)) {
      assert.deepEqual(value, Object.entries(whole).find(([field]) => field === name)?.[1], name);
    }
    assert.deepEqual(Object.keys(read).toSorted(), [
      "error",
      "finishReason",
      "isImported",
      "isIncluded",
      "model",
      "omitted",
      "providerFields",
      "quotes",
      "seams",
      "settings",
      "sources",
      "timing",
      "toolCallId",
      "toolCalls",
      "usage",
    ]);
  });
});
