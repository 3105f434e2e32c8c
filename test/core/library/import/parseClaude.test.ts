import assert from "node:assert/strict";
import { importOf, only, outline, png } from "./importValue.ts";

describe("An import from Claude", () => {
  it("reads a claude.ai export with its versions, tools, attachments and thinking", () => {
    const message = (uuid: string, sender: string, text: string, parent?: string, more: object = {}) => ({
      ...{ uuid, sender, text, content: [{ type: "text", text }], created_at: "2025-11-21T09:40:00.000Z" },
      ...{ attachments: [], files: [], parent_message_uuid: parent },
      ...more,
    });
    const root = "00000000-0000-4000-8000-000000000000";
    const conversation = {
      ...{ uuid: "c", name: "Poem", created_at: "2025-11-21T09:39:00Z", updated_at: "2025-11-21T09:45:00Z" },
      chat_messages: [
        message("q", "human", "Write", root, {
          attachments: [{ file_name: "notes.txt", file_size: 3, extracted_content: "abc" }],
          files: [{ file_name: "known.png" }, { file_name: "gone.pdf" }],
        }),
        message("r", "assistant", "Old", "q", {
          content: [
            { type: "thinking", thinking: "Let me see" },
            { type: "tool_use", id: null, name: "search", input: { q: 1 } },
            { type: "tool_result", tool_use_id: null, content: [{ type: "text", text: "found" }] },
            { type: "text", text: "Old" },
          ],
        }),
        message("r2", "assistant", "New", "q"),
        message("n", "human", "Next", "r"),
        { uuid: "odd", sender: "robot" },
      ],
    };
    const imported = importOf([conversation]);
    const { messages, title, createdAt } = only(imported);
    assert.deepEqual([title, createdAt, imported.leftOut], ["Poem", Date.parse("2025-11-21T09:39:00Z"), 2]);
    assert.deepEqual(outline(only(imported)), [
      ["q", undefined, "user", "Write"],
      ["r", "q", "assistant", ""],
      ["r-1", "r", "tool", "found"],
      ["r-2", "r-1", "assistant", "Old"],
      ["r2", "q", "assistant", "New"],
      ["n", "r-2", "user", "Next"],
    ]);
    assert.equal(messages[2]?.toolCallId, messages[1]?.toolCalls[0]?.id);
    assert.equal(messages[1]?.reasoning, "Let me see");
    assert.deepEqual(messages[0]?.attachments, [
      { type: "text", text: "abc", title: "notes.txt" },
      { type: "image", mediaType: "image/png", data: png, title: "known.png" },
    ]);
  });

  it("chains the messages of an older claude.ai export, which has no versions", () => {
    const chat_messages = ["human", "assistant", "human"].map((sender, index) => ({
      uuid: `m${index}`,
      sender,
      text: `${index}`,
    }));
    assert.deepEqual(outline(only(importOf({ conversations: [{ uuid: "c", name: "", chat_messages }] }))), [
      ["m0", undefined, "user", "0"],
      ["m1", "m0", "assistant", "1"],
      ["m2", "m1", "user", "2"],
    ]);
  });
});
