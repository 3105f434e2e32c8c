import assert from "node:assert/strict";
import { importOf, importOne, only, outline } from "./importValue.ts";

describe("An import from LM Studio", () => {
  it("reads a conversation of LM Studio with the versions of each message", () => {
    const text = (value: string) => ({ type: "text", text: value });
    const steps = [
      { type: "contentBlock", style: { type: "thinking", ended: true }, content: [text("Hm")] },
      {
        type: "contentBlock",
        content: [{ type: "toolCallRequest", toolCallRequestId: "7", name: "run", parameters: { a: 1 } }],
      },
      {
        type: "contentBlock",
        content: [{ type: "toolCallResult", toolCallRequestId: "7", content: '"ok"' }],
      },
      { type: "contentBlock", content: [text("Done")] },
      { type: "debugInfoBlock", debugInfo: "x" },
    ];
    const imported = importOf({
      ...{
        name: "Local",
        pinned: false,
        createdAt: 1_720_000_000_000,
        systemPrompt: "",
        lastUsedModel: { identifier: "qwen" },
      },
      messages: [
        {
          versions: [
            {
              type: "singleStep",
              role: "user",
              content: [text("Go"), { type: "file", fileIdentifier: "known-1.png", fileType: "image" }],
            },
          ],
          currentlySelected: 0,
        },
        {
          versions: [
            { type: "multiStep", role: "assistant", senderInfo: { senderName: "qwen" }, steps },
            {
              type: "multiStep",
              role: "assistant",
              steps: [{ type: "contentBlock", content: [text("Other")] }],
            },
          ],
          currentlySelected: 0,
        },
        { versions: [{ type: "singleStep", role: "user", content: [text("Thanks")] }], currentlySelected: 0 },
      ],
    });
    const name = "1720000000000";
    assert.deepEqual(outline(only(imported)), [
      [`${name}-0-0`, undefined, "user", "Go"],
      [`${name}-1-0`, `${name}-0-0`, "assistant", ""],
      [`${name}-1-0-1`, `${name}-1-0`, "tool", '"ok"'],
      [`${name}-1-0-2`, `${name}-1-0-1`, "assistant", "Done"],
      [`${name}-1-1`, `${name}-0-0`, "assistant", "Other"],
      [`${name}-2-0`, `${name}-1-0-2`, "user", "Thanks"],
    ]);
    const { messages, model, leafId } = only(imported);
    assert.deepEqual(
      [model, leafId, messages[1]?.reasoning, messages[0]?.attachments.length],
      ["qwen", `${name}-2-0`, "Hm", 1],
    );
  });

  it("finds the system prompt of LM Studio among the options of the conversation", () => {
    const fields = [
      { key: "llm.prediction.temperature", value: 1 },
      { key: "llm.prediction.systemPrompt", value: "Be kind." },
    ];
    const version = { role: "user", type: "singleStep", content: [{ type: "text", text: "Hi" }] };
    const messages = [{ versions: [version], currentlySelected: 0 }];
    const record = { name: "N", systemPrompt: "", perChatPredictionConfig: { fields }, messages };
    assert.deepEqual(importOne(record).conversation.settings, { systemPrompt: "Be kind." });
  });
});
