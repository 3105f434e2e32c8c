import assert from "node:assert/strict";
import { importOf, importOne, only, png } from "./importValue.ts";

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

describe("An import of a newer export from ChatGPT", () => {
  it("reads the images of a ChatGPT archive", () => {
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

  it("names the conversation's model for responses that name none", () => {
    const [record] = chatGpt(
      ["user", text("Hi")],
      ["assistant", text("Hello")],
      ["assistant", text("Bye"), { model_slug: "gpt-b" }],
    ) as readonly object[];
    const { conversation } = importOne([{ ...record, default_model_slug: "gpt-a" }]);
    assert.deepEqual(
      conversation.messages.map(({ model }) => model),
      [undefined, "gpt-a", "gpt-b"],
    );
  });

  it("keeps the images that a tool created and the output of executed code", () => {
    const drawn = { content_type: "multimodal_text", parts: [pointer("file_known1"), pointer("file_gone")] };
    const plot = {
      aggregate_result: { messages: [{ message_type: "image", image_url: "file-service://file_known2" }] },
    };
    const { conversation, leftOut } = importOne(
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

  it("counts uploaded files that the export only names, and takes those that it contains once", () => {
    const content = { content_type: "multimodal_text", parts: [pointer("file_known1"), "Look"] };
    const attachments = [
      { id: "file_known1", name: "shown.png" },
      { id: "file_known2", name: "more.png" },
      { id: "file_3", name: "report.pdf" },
    ];
    const { conversation, leftOut } = importOne(chatGpt(["user", content, { attachments }]));
    assert.deepEqual(
      conversation.messages[0]?.attachments.map((part) => part.title),
      [undefined, "more.png"],
    );
    assert.equal(leftOut, 1);
  });

  it("replaces the marks of references with links, and removes other marks", () => {
    const [cite, other] = ["\ue200cite\ue202turn0search0\ue201", "\ue200cite\ue202turn0search9\ue201"];
    const items = [
      { url: "https://example.com/a_(b)", attribution: "Ex[am]ple" },
      { url: "javascript:alert(1)" },
    ];
    const references = { content_references: [{ matched_text: cite, items }] };
    const { conversation } = importOne(
      chatGpt(["assistant", text(`See${cite}.${other} \ue0a0 \ue204`), references]),
    );
    assert.equal(conversation.messages[0]?.text, "See([Ex am ple](https://example.com/a_%28b%29)). \ue0a0 ");
  });
});
