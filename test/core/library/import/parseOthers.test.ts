import assert from "node:assert/strict";
import type { Conversation } from "../../../../src/core/conversation/conversation.ts";
import type { Imported, ImportFile } from "../../../../src/core/library/import/imported.ts";
import { parseImport } from "../../../../src/core/library/import/parseImport.ts";

const png = "iVBORw0KGgoAAAANSUhEUg==";
const file: ImportFile = {
  path: "/tmp/1720000000000.conversation.json",
  modifiedAt: 1_720_000_000_000,
  asset: (name) => (name.startsWith("known") ? png : undefined),
};

function importOf(value: unknown): Imported {
  const imported = parseImport(value, file);
  assert.ok(imported, "the format is known");
  return imported;
}

function only({ conversations }: Imported): Conversation {
  const [conversation] = conversations;
  assert.ok(conversation && conversations.length === 1);
  return conversation;
}

const outline = ({ messages }: Conversation): readonly unknown[] =>
  messages.map(({ id, parentId, role, text }) => [id, parentId, role, text]);

describe("Imports from other programs", () => {
  it("read a chat exported by VS Code, with its tools, edits, images and errors", () => {
    const request = {
      requestId: "request_1",
      message: { text: "Fix it", parts: [{ kind: "text", text: "Fix it" }] },
      variableData: {
        variables: [
          {
            kind: "image",
            name: "shot.png",
            value: Object.fromEntries([...Buffer.from(png, "base64")].entries()),
          },
          { kind: "file", name: "a.ts", value: { uri: { path: "/a.ts", scheme: "file" } } },
          { kind: "paste", name: "Pasted", code: "let a" },
        ],
      },
      response: [
        { kind: "mcpServersStarting", didStartServerIds: [] },
        { kind: "thinking", value: "Hm", id: "t" },
        { value: "Looking at ", supportHtml: false },
        { kind: "inlineReference", inlineReference: { path: "/src/a.ts", scheme: "file" } },
        {
          kind: "toolInvocationSerialized",
          toolId: "copilot_readFile",
          toolCallId: "call_1",
          pastTenseMessage: { value: "Read a.ts" },
          isComplete: true,
        },
        { kind: "undoStop", id: "u" },
        { value: "Fixed." },
        { kind: "textEditGroup", uri: { path: "/src/a.ts" }, edits: [[{ text: "let b;", range: {} }]] },
      ],
      responseId: "response_1",
      result: { errorDetails: { message: "Rate limited" } },
      modelId: "copilot/gpt-4.1",
      timestamp: 1_720_000_000_500,
    };
    const imported = importOf({
      responderUsername: "GitHub Copilot",
      initialLocation: "panel",
      requests: [request],
    });
    const { messages, title, id } = only(imported);
    assert.deepEqual([title, id, imported.leftOut], ["Fix it", "vscode-request_1", 1]);
    assert.deepEqual(
      messages.map(({ role, text, toolCallId }) => [role, text.trim(), toolCallId]),
      [
        ["user", "Fix it", undefined],
        ["assistant", "Looking at `a.ts`", undefined],
        ["tool", "Read a.ts", "call_1"],
        ["assistant", "Fixed.\n\n`/src/a.ts`\n\n```\nlet b;\n```", undefined],
      ],
    );
    assert.deepEqual(messages[0]?.attachments, [
      { type: "image", mediaType: "image/png", data: png, title: "shot.png" },
      { type: "text", text: "let a", title: "Pasted" },
    ]);
    assert.deepEqual(messages[1]?.toolCalls, [{ id: "call_1", name: "copilot_readFile", arguments: "{}" }]);
    assert.deepEqual([messages[1]?.reasoning, messages[1]?.model], ["Hm", "gpt-4.1"]);
    assert.equal(messages[3]?.error?.message, "Rate limited");
  });

  it("read a claude.ai export with its versions, tools, attachments and thinking", () => {
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

  it("chain the messages of an older claude.ai export, which has no versions", () => {
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

  it("read Open WebUI's tree of versions, reasoning, images and files", () => {
    const details =
      '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n> First\n> second\n</details>\n';
    const chat = {
      ...{ title: "Tree", models: ["m"], params: { system: "Be brief." } },
      history: {
        currentId: "b1",
        messages: {
          b2: {
            id: "b2",
            parentId: "a",
            role: "assistant",
            content: "Two",
            model: "m2",
            timestamp: 1_720_000_003,
          },
          a: {
            ...{
              id: "a",
              parentId: null,
              childrenIds: ["b1", "b2"],
              role: "user",
              content: "Q",
              timestamp: 1_720_000_001,
            },
            files: [
              { type: "image", url: `data:image/png;base64,${png}` },
              { type: "file", name: "n.txt", file: { data: { content: "text" } } },
              { type: "collection", name: "Library" },
            ],
          },
          b1: {
            id: "b1",
            parentId: "a",
            role: "assistant",
            content: `${details}One`,
            model: "m1",
            timestamp: 1_720_000_002,
          },
        },
      },
      messages: [],
    };
    const imported = importOf([
      { id: "x", title: "Tree", chat, created_at: 1_720_000_000, updated_at: 1_720_000_009, pinned: true },
    ]);
    const conversation = only(imported);
    assert.deepEqual(outline(conversation), [
      ["a", undefined, "user", "Q"],
      ["b1", "a", "assistant", "One"],
      ["b2", "a", "assistant", "Two"],
    ]);
    const { leafId, isPinned, updatedAt, settings, messages } = conversation;
    assert.deepEqual(
      [leafId, isPinned, updatedAt, settings],
      ["b1", true, 1_720_000_009_000, { systemPrompt: "Be brief." }],
    );
    assert.deepEqual(
      [messages[1]?.reasoning, messages[0]?.attachments.length, imported.leftOut],
      ["First\nsecond", 2, 1],
    );
  });

  it("read a conversation of LM Studio with the versions of each message", () => {
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

  it("read a backup of Cherry Studio, whose parallel responses are versions", () => {
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

  it("read the images of a ChatGPT archive", () => {
    const part = { content_type: "image_asset_pointer", asset_pointer: "sediment://known_1" };
    const content = {
      content_type: "multimodal_text",
      parts: [part, { ...part, asset_pointer: "file-service://gone" }],
    };
    const mapping = {
      a: { id: "a", parent: null, children: [], message: { author: { role: "user" }, content } },
    };
    const imported = importOf([{ conversation_id: "c", title: "Image", mapping }]);
    assert.deepEqual(only(imported).messages[0]?.attachments, [
      { type: "image", mediaType: "image/png", data: png },
    ]);
    assert.equal(imported.leftOut, 1);
  });

  it("survive records with wrong types everywhere, cycles and deep nesting", () => {
    const odd = [null, 1, "x", [], {}, [null], { a: 1 }];
    for (const value of odd) {
      for (const record of [
        {
          requests: [
            { message: value, response: [value], variableData: { variables: [value] }, result: value },
          ],
        },
        {
          requests: [
            {
              response: [
                { kind: value, value, content: value, uri: value, edits: [value], resultDetails: value },
              ],
            },
          ],
        },
        {
          uuid: "c",
          chat_messages: [
            { uuid: value, sender: "human", content: [value], attachments: [value], files: value },
          ],
        },
        {
          chat: {
            history: {
              messages: { a: { role: "user", content: value, files: [value], parentId: "a" } },
              currentId: value,
            },
          },
        },
        { messages: [{ versions: [value, { role: "user", content: [value] }], currentlySelected: value }] },
        {
          messages: [
            { versions: [{ type: "multiStep", role: "assistant", steps: [value, { content: [value] }] }] },
          ],
        },
        {
          indexedDB: {
            topics: [value, { id: "t", messages: [value, { id: "a", role: "user", blocks: [value] }] }],
            message_blocks: [value],
          },
        },
      ])
        assert.doesNotThrow(() => parseImport([record], file), JSON.stringify(record));
    }
    const messages = {
      a: { parentId: "b", role: "user", content: "1" },
      b: { parentId: "a", role: "user", content: "2" },
    };
    assert.equal(only(importOf({ id: "x", chat: { history: { messages } } })).messages.length, 2);
  });
});
