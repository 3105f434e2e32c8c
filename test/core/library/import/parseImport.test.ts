import assert from "node:assert/strict";
import type { Conversation } from "../../../../src/core/conversation/conversation.ts";
import { exportText } from "../../../support/exportText.ts";
import { ImportTally } from "../../../../src/core/library/import/importTally.ts";
import { parseImport } from "../../../../src/core/library/import/parseImport.ts";
import { MessageTree } from "../../../../src/core/conversation/messageTree.ts";
import { temporaryStore } from "../../../support/storeFolder.ts";
import { storedMessage } from "../../../support/storeFolder.ts";

const file = { modifiedAt: 5_000 };

function only(value: unknown): Conversation {
  const conversations = parseImport(value, file)?.conversations ?? [];
  assert.equal(conversations.length, 1);
  return conversations[0] ?? assert.fail();
}

function said(conversation: Conversation): readonly (readonly [string, string])[] {
  return conversation.messages.map(({ role, text }) => [role, text] as const);
}

/** A node of ChatGPT's tree. */
function node(parent: string | null, role: string, content: unknown, children: readonly string[] = []) {
  const message = {
    author: { role },
    create_time: 1_700_000_000.5,
    content,
    metadata: { model_slug: "gpt-x" },
  };
  return { parent, children, message };
}

function take(tally: ImportTally, value: unknown): void {
  Array.from(tally.take(parseImport(value, file) ?? assert.fail()));
}

const text = (...parts: readonly unknown[]) => ({ content_type: "text", parts });

describe("An import of the extension's own export", () => {
  const conversation: Conversation = {
    ...{
      id: "c1",
      title: "Mine",
      createdAt: 1,
      updatedAt: 9,
      isPinned: true,
      titleSource: "user",
      model: "lab/echo",
    },
    ...{ settings: { systemPrompt: "Be brief.", parameters: { seed: 1 } }, leafId: "a1" },
    messages: [
      storedMessage("q", {
        attachments: [
          { type: "text", text: "x", title: "a.ts" },
          { type: "image", mediaType: "image/png", data: "aGk=" },
          { type: "audio", format: "wav", data: "aGk=" },
        ],
      }),
      storedMessage("a1", {
        role: "assistant",
        parentId: "q",
        seams: [1],
        timing: { totalMs: 3 },
        usage: { totalTokens: 2 },
      }),
      storedMessage("a2", {
        ...{ role: "assistant", parentId: "q", status: "failed", reasoning: "hm" },
        error: { reason: "rateLimit", message: "Wait.", statusCode: 429 },
      }),
    ],
  };
  const exported: unknown = JSON.parse(exportText(conversation, "json"));
  /** What it says to a model isn't the user's word anymore, but stays readable. */
  const restored: Conversation = {
    ...conversation,
    settings: { parameters: { seed: 1 } },
    messages: [
      storedMessage("c1-system", { text: "Be brief.", createdAt: 1 }),
      ...conversation.messages.map((message) => ({ parentId: "c1-system", ...message })),
    ].map((message) => ({ ...message, isImported: true })),
  };

  it("restores everything that was exported", () => {
    assert.deepEqual(only(exported), restored);
  });

  it("imports nothing twice, and counts the conversations that already exist", () => {
    const store = temporaryStore();
    const first = new ImportTally(store);
    take(first, exported);
    assert.deepEqual(store.load("c1"), restored);
    assert.equal(first.sentence(), "One conversation was imported.");
    const again = new ImportTally(store);
    take(again, exported);
    for (const name of ["a", "b", "c", "d", "e"]) again.refuse(`${name}.json`, "empty");
    assert.equal(
      again.sentence(),
      "No conversation was imported. Already imported: 1. “a.json” is empty. “b.json” is empty. “c.json” is empty. " +
        "Unsupported files: 2.",
    );
  });

  it("skips broken entries and keeps the rest", () => {
    const broken = { format: "inference-gateway-conversations", version: 7 };
    const messages = [
      storedMessage("m1"),
      7,
      { id: "m2", role: "oracle" },
      storedMessage("m3", { parentId: "lost" }),
    ];
    const imported = parseImport(
      { ...broken, conversations: [null, { id: "x" }, { id: "ok", messages }] },
      file,
    );
    assert.equal(imported?.leftOut, 4);
    assert.deepEqual(
      imported.conversations[0]?.messages.map(({ id, parentId }) => [id, parentId]),
      [
        ["m1", undefined],
        ["m3", "m1"],
      ],
    );
  });
});

describe("An import from ChatGPT", () => {
  const mapping = {
    root: { parent: null, children: ["sys"], message: null },
    sys: node("root", "system", text(""), ["u1"]),
    u1: node("sys", "user", text("What is 1 + 1?"), ["think", "a2"]),
    think: node(
      "u1",
      "assistant",
      { content_type: "thoughts", thoughts: [{ summary: "Adding", content: "1, 2" }] },
      ["a1"],
    ),
    a1: node("think", "assistant", text("2"), ["u2"]),
    a2: node("u1", "assistant", text("Two.")),
    u2: node(
      "a1",
      "user",
      { content_type: "multimodal_text", parts: [{ content_type: "image_asset_pointer" }, "And this?"] },
      ["tool"],
    ),
    tool: node("u2", "tool", text("noise"), ["a3"]),
    a3: node("tool", "assistant", { content_type: "code", language: "python", text: "print(3)" }),
  };
  const record = {
    title: "Sums",
    create_time: 1.5,
    update_time: 2,
    mapping,
    current_node: "a2",
    conversation_id: "id",
  };

  it("keeps versions, reasoning and the displayed path, and reports what it could not import", () => {
    const imported = parseImport([record, { title: "no tree" }], file);
    const [conversation] = imported?.conversations ?? [];
    assert.ok(conversation);
    assert.equal(imported?.leftOut, 2);
    assert.deepEqual(said(conversation), [
      ["user", "What is 1 + 1?"],
      ["assistant", "2"],
      ["user", "And this?"],
      ["assistant", "```python\nprint(3)\n```"],
      ["assistant", "Two."],
    ]);
    const { messages, leafId, ...summary } = conversation;
    assert.deepEqual(summary, { id: "chatgpt-id", title: "Sums", createdAt: 1_500, updatedAt: 2_000 });
    assert.equal(messages[1]?.reasoning, "Adding\n\n1, 2");
    assert.equal(messages[1].model, "gpt-x");
    assert.deepEqual(
      new MessageTree(messages, leafId).path.map(({ id }) => id),
      ["u1", "a2"],
    );
  });

  it("handles a circular tree, and one with ten thousand messages in a row", () => {
    const circle = { a: node("b", "user", text("a"), ["b"]), b: node("a", "user", text("b"), ["a"]) };
    assert.deepEqual(said(only([{ ...record, mapping: circle }])), [
      ["user", "a"],
      ["user", "b"],
    ]);
    const long = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => [
        `n${i}`,
        node(i === 0 ? null : `n${i - 1}`, "user", text(`m${i}`), [`n${i + 1}`]),
      ]),
    );
    assert.equal(only([{ ...record, mapping: long }]).messages.length, 10_000);
  });
});

it("An import accepts no other JSON as conversations", () => {
  for (const value of [null, 7, "x", {}, [], [1], [{}], { mapping: 1 }, { history: {} }])
    assert.equal(parseImport(value, file), undefined, JSON.stringify(value));
});

it("Imports survive records with wrong types everywhere, cycles and deep nesting", () => {
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
    ])
      assert.doesNotThrow(() => parseImport([record], file), JSON.stringify(record));
  }
  const messages = [
    { uuid: "a", parent_message_uuid: "b", sender: "human", text: "1" },
    { uuid: "b", parent_message_uuid: "a", sender: "human", text: "2" },
  ];
  assert.equal(only({ uuid: "x", chat_messages: messages }).messages.length, 2);
});
