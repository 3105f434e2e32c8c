import assert from "node:assert/strict";
import { assertLinear } from "../../../support/growth.ts";
import type { Conversation } from "../../../../src/core/conversation/conversation.ts";
import type { Imported } from "../../../../src/core/library/import/imported.ts";
import { parseImport } from "../../../../src/core/library/import/parseImport.ts";

const png = "iVBORw0KGgoAAAANSUhEUg==";

function importOf(value: unknown): Imported & { readonly conversation: Conversation } {
  const imported = parseImport(value, {
    path: "/tmp/1720000000000.conversation.json",
    modifiedAt: 1_720_000_000_000,
    asset: (name) => (name.startsWith("file_known") ? png : undefined),
  });
  const conversation = imported?.conversations[0];
  assert.ok(conversation, "the format is known");
  return { ...imported, conversation };
}

const outline = ({ messages }: Conversation): readonly unknown[] =>
  messages.map(({ id, parentId, role, text }) => [id, parentId, role, text]);

/** A ChatGPT conversation in one line, of messages given by role, content and metadata. */
function chatGpt(...messages: readonly (readonly [string, object, object?])[]): unknown {
  const nodes = messages.map(([role, content, metadata = {}], index) => [
    `n${index}`,
    {
      parent: index === 0 ? null : `n${index - 1}`,
      children: index === messages.length - 1 ? [] : [`n${index + 1}`],
      message: { author: { role }, content, metadata },
    },
  ]);
  return [{ conversation_id: "c", title: "T", mapping: Object.fromEntries(nodes) }];
}

const text = (...parts: readonly unknown[]) => ({ content_type: "text", parts });
const pointer = (name: string) => ({
  content_type: "image_asset_pointer",
  asset_pointer: `sediment://${name}`,
});

describe("Imports of ChatGPT's newer exports", () => {
  it("keep the images that a tool created and the output of executed code", () => {
    const drawn = { content_type: "multimodal_text", parts: [pointer("file_known1"), pointer("file_gone")] };
    const plot = {
      aggregate_result: { messages: [{ message_type: "image", image_url: "file-service://file_known2" }] },
    };
    const { conversation, leftOut } = importOf(
      chatGpt(
        ["user", text("Draw")],
        ["tool", drawn],
        ["tool", { content_type: "execution_output", text: "42\n" }, plot],
        ["tool", text("Instructions for the model")],
        ["tool", { content_type: "tether_quote", text: "quoted" }],
      ),
    );
    assert.deepEqual(
      conversation.messages.map(({ role, text: shown, attachments }) => [role, shown, attachments.length]),
      [
        ["user", "Draw", 0],
        ["assistant", "", 1],
        ["assistant", "```text\n42\n```", 1],
      ],
    );
    assert.equal(leftOut, 1);
  });

  it("count uploaded files that the export only names, and take those that it contains once", () => {
    const content = { content_type: "multimodal_text", parts: [pointer("file_known1"), "Look"] };
    const attachments = [
      { id: "file_known1", name: "shown.png" },
      { id: "file_known2", name: "more.png" },
      { id: "file_3", name: "report.pdf" },
    ];
    const { conversation, leftOut } = importOf(chatGpt(["user", content, { attachments }]));
    assert.deepEqual(
      conversation.messages[0]?.attachments.map((part) => part.title),
      [undefined, "more.png"],
    );
    assert.equal(leftOut, 1);
  });

  it("replace the marks of references with links, and remove other marks", () => {
    const [cite, other] = ["\ue200cite\ue202turn0search0\ue201", "\ue200cite\ue202turn0search9\ue201"];
    const items = [
      { url: "https://example.com/a_(b)", attribution: "Ex[am]ple" },
      { url: "javascript:alert(1)" },
    ];
    const references = { content_references: [{ matched_text: cite, items }] };
    const { conversation } = importOf(
      chatGpt(["assistant", text(`See${cite}.${other} \ue0a0 \ue204`), references]),
    );
    assert.equal(conversation.messages[0]?.text, "See([Ex am ple](https://example.com/a_%28b%29)). \ue0a0 ");
  });
});

describe("Imports of Open WebUI's newer exports", () => {
  const escaped = (value: unknown) => JSON.stringify(JSON.stringify(value)).replaceAll('"', "&quot;");

  function chatOf(assistant: object): unknown {
    const messages = {
      u: { id: "u", parentId: null, role: "user", content: "Weather?", timestamp: 1 },
      a: { id: "a", parentId: "u", role: "assistant", timestamp: 2, model: "m", ...assistant },
      u2: { id: "u2", parentId: "a", role: "user", content: "Thanks", timestamp: 3 },
    };
    return [{ id: "x", chat: { title: "W", history: { currentId: "u2", messages } } }];
  }

  it("divide a response at its tool calls, and continue after the last part", () => {
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
    const { conversation } = importOf(chatOf({ content }));
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

  it("read a response that is stored as a list of items only", () => {
    const output = [
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
      { type: "function_call", call_id: "c1", name: "lookup", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "42" }] },
      { type: "message", content: [{ type: "output_text", text: "It is 42." }] },
    ];
    const { conversation } = importOf(chatOf({ content: "", output }));
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

  it("read the reasoning of a response without any text", () => {
    const { conversation } = importOf(chatOf({ content: "", reasoning_content: "Hm" }));
    assert.equal(conversation.messages[1]?.reasoning, "Hm");
  });

  it("take linear time for any number of parts and calls", () => {
    const folded = "<details ".repeat(20_000);
    const call = '<details type="tool_calls" name="f" result="1"></details>';
    for (const part of [folded, call.repeat(400)])
      assertLinear(
        1,
        (size) => chatOf({ content: `${part.repeat(size)}>` }),
        (chat) => void importOf(chat),
      );
  });

  it("keep the text of parts that aren't closed, and a response without content that others follow", () => {
    const open = '<details type="reasoning" done="false">\n<summary>Thinking…</summary>\n> cut';
    assert.equal(importOf(chatOf({ content: open })).conversation.messages[1]?.text, open);
    const { conversation } = importOf(chatOf({ content: "" }));
    assert.deepEqual(outline(conversation).at(-1), ["u2", "a", "user", "Thanks"]);
  });
});

describe("Imports of newer files of other programs", () => {
  it("take the commands and output of terminals from VS Code's chats", () => {
    const part = {
      ...{ kind: "toolInvocationSerialized", toolId: "run_in_terminal", toolCallId: "t" },
      toolSpecificData: {
        ...{ kind: "terminal", commandLine: { original: "ls", toolEdited: "ls -a" } },
        terminalCommandOutput: { text: "a b", lineCount: 1 },
      },
      pastTenseMessage: { value: "Ran" },
    };
    const { conversation } = importOf({ requests: [{ message: "List", response: [part] }] });
    assert.deepEqual(
      conversation.messages.slice(1).map(({ text: shown, toolCalls }) => [shown, toolCalls[0]?.arguments]),
      [
        ["", '{"command":"ls -a"}'],
        ["a b", undefined],
      ],
    );
  });

  it("find the system prompt of LM Studio among the options of the conversation", () => {
    const fields = [
      { key: "llm.prediction.temperature", value: 1 },
      { key: "llm.prediction.systemPrompt", value: "Be kind." },
    ];
    const version = { role: "user", type: "singleStep", content: [{ type: "text", text: "Hi" }] };
    const messages = [{ versions: [version], currentlySelected: 0 }];
    const record = { name: "N", systemPrompt: "", perChatPredictionConfig: { fields }, messages };
    assert.deepEqual(importOf(record).conversation.settings, { systemPrompt: "Be kind." });
  });

  it("show the arguments and results of Cherry Studio's tools", () => {
    const rawMcpToolResponse = { tool: { name: "search" }, arguments: { q: "x" }, response: { content: [] } };
    const block = { id: "b", type: "tool", metadata: { rawMcpToolResponse } };
    const topic = { id: "t", messages: [{ id: "m", role: "assistant", blocks: ["b"] }] };
    const { conversation } = importOf({ indexedDB: { topics: [topic], message_blocks: [block] } });
    assert.match(
      conversation.messages[0]?.text ?? "",
      /^\*\*search\*\*\n\n````json\n\{\n {2}"q": "x"\n\}\n````\n\n````json/,
    );
  });
});
