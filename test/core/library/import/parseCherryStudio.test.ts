import assert from "node:assert/strict";
import { importOf, importOne, only, outline, png } from "./importValue.ts";

describe("An import from Cherry Studio", () => {
  it("reads a backup of Cherry Studio, whose parallel responses are versions", () => {
    const message = (id: string, role: string, block: string, more: object = {}) => ({
      ...{
        id,
        role,
        topicId: "t",
        createdAt: "2025-05-01T10:00:00.000Z",
        status: "success",
        blocks: [block],
      },
      ...more,
    });
    const assistants = {
      defaultAssistant: { topics: [] },
      assistants: [{ prompt: "Help.", topics: [{ id: "t", name: "Cherries", pinned: true }] }],
    };
    const imported = importOf({
      ...{
        time: 1,
        version: 5,
        localStorage: { "persist:cherry-studio": JSON.stringify({ assistants: JSON.stringify(assistants) }) },
      },
      indexedDB: {
        topics: [
          {
            id: "t",
            messages: [
              message("q", "user", "b1", { blocks: ["b1", "b5", "b6"] }),
              message("a", "assistant", "b2", { askId: "q", model: { id: "m1" } }),
              message("b", "assistant", "b3", { askId: "q", foldSelected: true, blocks: ["b7", "b3"] }),
              message("n", "user", "b4"),
              message("o", "assistant", "gone", { blocks: [], content: "Old form" }),
            ],
          },
          { id: "empty", messages: [] },
        ],
        message_blocks: [
          { id: "b1", type: "main_text", content: "Q" },
          { id: "b2", type: "main_text", content: "A" },
          { id: "b3", type: "main_text", content: "B" },
          { id: "b4", type: "main_text", content: "Next" },
          { id: "b5", type: "image", file: { id: "known-1", ext: ".png", origin_name: "a.png" } },
          { id: "b6", type: "file", file: { id: "gone", ext: ".pdf" } },
          { id: "b7", type: "thinking", content: "Hm", thinking_millsec: 3 },
        ],
      },
    });
    const conversation = only(imported);
    assert.deepEqual(outline(conversation), [
      ["q", undefined, "user", "Q"],
      ["a", "q", "assistant", "A"],
      ["b", "q", "assistant", "B"],
      ["n", "b", "user", "Next"],
      ["o", "n", "assistant", "Old form"],
    ]);
    const { title, isPinned, settings, messages } = conversation;
    assert.deepEqual(
      [title, isPinned, settings, imported.leftOut],
      ["Cherries", true, { systemPrompt: "Help." }, 1],
    );
    assert.deepEqual(messages[0]?.attachments, [
      { type: "image", mediaType: "image/png", data: png, title: "a.png" },
    ]);
    assert.deepEqual([messages[2]?.reasoning, messages[1]?.model], ["Hm", "m1"]);
  });

  it("shows the arguments and results of Cherry Studio's tools", () => {
    const rawMcpToolResponse = { tool: { name: "search" }, arguments: { q: "x" }, response: { content: [] } };
    const block = { id: "b", type: "tool", metadata: { rawMcpToolResponse } };
    const topic = { id: "t", messages: [{ id: "m", role: "assistant", blocks: ["b"] }] };
    const { conversation } = importOne({ indexedDB: { topics: [topic], message_blocks: [block] } });
    assert.match(
      conversation.messages[0]?.text ?? "",
      /^\*\*search\*\*\n\n````json\n\{\n {2}"q": "x"\n\}\n````\n\n````json/,
    );
  });
});
