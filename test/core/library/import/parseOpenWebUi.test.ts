import assert from "node:assert/strict";
import { assertLinear } from "../../../support/growth.ts";
import { importOf, importOne, only, outline, png } from "./importValue.ts";

describe("An import from Open WebUI", () => {
  const escaped = (value: unknown) => JSON.stringify(JSON.stringify(value)).replaceAll('"', "&quot;");

  function chatOf(assistant: object): unknown {
    const messages = {
      u: { id: "u", parentId: null, role: "user", content: "Weather?", timestamp: 1 },
      a: { id: "a", parentId: "u", role: "assistant", timestamp: 2, model: "m", ...assistant },
      u2: { id: "u2", parentId: "a", role: "user", content: "Thanks", timestamp: 3 },
    };
    return [{ id: "x", chat: { title: "W", history: { currentId: "u2", messages } } }];
  }

  it("reads Open WebUI's tree of versions, reasoning, images and files", () => {
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
      ["open-webui-x-system", undefined, "user", "Be brief."],
      ["a", "open-webui-x-system", "user", "Q"],
      ["b1", "a", "assistant", "One"],
      ["b2", "a", "assistant", "Two"],
    ]);
    const { leafId, isPinned, updatedAt, settings, messages } = conversation;
    assert.deepEqual([leafId, isPinned, updatedAt, settings], ["b1", true, 1_720_000_009_000, undefined]);
    assert.deepEqual(
      [messages[2]?.reasoning, messages[1]?.attachments.length, imported.leftOut],
      ["First\nsecond", 2, 1],
    );
  });

  it("divides a response at its tool calls, and continues after the last part", () => {
    const content = [
      '<details type="reasoning" done="true" duration="1">',
      "<summary>Thought for 1 second</summary>",
      "&gt; a &lt; b",
      "</details>",
      `<details type="tool_calls" done="true" id="call_1" name="get_weather" arguments="${escaped({ city: "Lisbon" })}" result="${escaped({ c: 21 })}" files="" embeds="">`,
      "<summary>Tool Executed</summary>",
      "</details>",
      "It is 21 degrees. <details><summary>More</summary>kept</details>",
    ].join("\n");
    const { conversation } = importOne(chatOf({ content }));
    assert.deepEqual(outline(conversation), [
      ["u", undefined, "user", "Weather?"],
      ["a", "u", "assistant", ""],
      ["a-1", "a", "tool", '{"c":21}'],
      ["a-2", "a-1", "assistant", "It is 21 degrees. <details><summary>More</summary>kept</details>"],
      ["u2", "a-2", "user", "Thanks"],
    ]);
    const [, call] = conversation.messages;
    assert.deepEqual(
      [call?.reasoning, call?.toolCalls, call?.model, conversation.leafId],
      ["a < b", [{ id: "call_1", name: "get_weather", arguments: '{"city":"Lisbon"}' }], "m", "u2"],
    );
  });

  it("reads a response that is stored as a list of items only", () => {
    const output = [
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
      { type: "function_call", call_id: "c1", name: "lookup", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "42" }] },
      { type: "message", content: [{ type: "output_text", text: "It is 42." }] },
    ];
    const { conversation } = importOne(chatOf({ content: "", output }));
    assert.deepEqual(
      conversation.messages.map(({ role, text: shown, reasoning }) => [role, shown, reasoning]),
      [
        ["user", "Weather?", ""],
        ["assistant", "", "Hm"],
        ["tool", "42", ""],
        ["assistant", "It is 42.", ""],
        ["user", "Thanks", ""],
      ],
    );
  });

  it("reads the reasoning of a response without any text", () => {
    const { conversation } = importOne(chatOf({ content: "", reasoning_content: "Hm" }));
    assert.equal(conversation.messages[1]?.reasoning, "Hm");
  });

  it("takes linear time for any number of parts and calls", () => {
    const folded = "<details ".repeat(20_000);
    const call = '<details type="tool_calls" name="f" result="1"></details>';
    for (const part of [folded, call.repeat(400)])
      assertLinear(
        1,
        (size) => chatOf({ content: `${part.repeat(size)}>` }),
        (chat) => void importOne(chat),
      );
  });

  it("keeps the text of parts that aren't closed, and a response without content that others follow", () => {
    const open = '<details type="reasoning" done="false">\n<summary>Thinking…</summary>\n> cut';
    assert.equal(importOne(chatOf({ content: open })).conversation.messages[1]?.text, open);
    const { conversation } = importOne(chatOf({ content: "" }));
    assert.deepEqual(outline(conversation).at(-1), ["u2", "a", "user", "Thanks"]);
  });
});
