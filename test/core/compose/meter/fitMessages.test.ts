import assert from "node:assert/strict";
import type { CompletionMessage } from "../../../../src/core/conversation/completion.ts";
import { commitMessages } from "../../../../src/core/compose/editor/commitRequest.ts";
import { fitMessages } from "../../../../src/core/compose/meter/fitMessages.ts";
import { countMessages } from "../../../../src/core/conversation/countTokens.ts";

/** One token per character, and four around each message. */
const count = (text: string): number => text.length;
const text = (length: number): string => "x".repeat(length);
const file = { type: "text", text: text(100), title: "a.ts:1-3" } as const;

const conversation: readonly CompletionMessage[] = [
  { role: "system", content: text(6) },
  { role: "user", content: [{ type: "text", text: text(6) }, file] },
  { role: "assistant", content: text(6) },
  { role: "user", content: text(6) },
  { role: "assistant", content: "", toolCalls: [{ id: "1", name: text(3), arguments: text(3) }] },
  { role: "tool", content: text(6), toolCallId: "1" },
  { role: "user", content: text(6) },
];

describe("Messages that must fit the context window", () => {
  it("stay unchanged if they fit", () => {
    assert.deepEqual(fitMessages(conversation, { limit: 170, count }, "oldest"), { messages: conversation });
  });

  it("lose whole turns, the oldest first, and tool calls together with their results", () => {
    const fitted = fitMessages(conversation, { limit: 60, count }, "oldest");
    assert.deepEqual(
      fitted.messages.map(({ role }) => role),
      ["system", "user", "assistant", "tool", "user"],
    );
    assert.deepEqual(fitted.omitted, { turns: 1, files: 0, tokens: 120 });
    assert.deepEqual(
      fitMessages(conversation, { limit: 30, count }, "oldest").messages.map(({ role }) => role),
      ["system", "user"],
    );
  });

  it("are each counted once, however much of a long conversation is left out", () => {
    const turns = Array.from({ length: 2_000 }, (_, index): CompletionMessage => {
      return { role: index % 2 === 0 ? "user" : "assistant", content: text(6) };
    });
    let counted = 0;
    const counting = (content: string): number => {
      counted += 1;
      return content.length;
    };
    const { omitted } = fitMessages(turns, { limit: 60, count: counting }, "oldest");
    assert.equal(omitted?.turns, 997);
    assert.equal(counted, turns.length);
  });

  it("lose the files of earlier turns first if the user chose that, with a note in their place", () => {
    const { messages, omitted } = fitMessages(conversation, { limit: 120, count }, "files");
    assert.equal(messages.length, conversation.length);
    assert.deepEqual(messages[1]?.content, [
      { type: "text", text: text(6) },
      { type: "text", text: "[omitted to save space: a.ts:1-3]" },
    ]);
    assert.deepEqual(omitted, { turns: 0, files: 1, tokens: 67 });
  });

  it("lose turns after the files if omitting files isn't enough", () => {
    const { messages, omitted } = fitMessages(conversation, { limit: 30, count }, "files");
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["system", "user"],
    );
    assert.equal(omitted?.turns, 2);
  });

  it("never lose the last turn, its files or the system message", () => {
    const last: readonly CompletionMessage[] = [
      { role: "system", content: text(50) },
      { role: "user", content: [file] },
    ];
    for (const policy of ["oldest", "files"] as const)
      assert.deepEqual(fitMessages(last, { limit: 1, count }, policy), { messages: last });
  });

  const sizeOf = (messages: readonly CompletionMessage[]): number => countMessages(messages, count);

  it("have a tool result in the last turn cut to what fits, with a note, even if nothing may be left out", () => {
    const big = "line of a big result\n".repeat(15_000);
    const turn: readonly CompletionMessage[] = [
      { role: "user", content: "q" },
      { role: "assistant", content: "", toolCalls: [{ id: "1", name: "f", arguments: "{}" }] },
      { role: "tool", content: big, toolCallId: "1" },
    ];
    for (const policy of [undefined, "texts", "oldest"] as const) {
      const { messages, omitted } = fitMessages(turn, { limit: 64_000, count }, policy);
      assert.ok(sizeOf(messages) <= 64_000 && sizeOf(messages) > 25_000);
      assert.match(
        String(messages[2]?.content),
        /^line of.*\n(?:.*\n)*\[… \d+ characters were left out here.*\n/,
      );
      assert.match(String(messages[2]?.content), /big result\n$/);
      assert.equal(omitted?.cut, 1);
    }
  });

  it("have their longest texts cut alike, and the shorter ones not at all", () => {
    const result = (id: string, length: number): CompletionMessage => ({
      role: "tool",
      content: "😀".repeat(length / 2),
      toolCallId: id,
    });
    const turn = [
      { role: "user", content: "q" } as const,
      result("1", 900),
      result("2", 90),
      result("3", 800),
    ];
    const { messages, omitted } = fitMessages(turn, { limit: 1_000, count }, "texts");
    assert.ok(sizeOf(messages) <= 1_000);
    assert.equal(omitted?.cut, 2);
    assert.deepEqual(messages[2], turn[2]);
    for (const { content } of messages) assert.ok(String(content).isWellFormed());
  });

  it("have the diff of a commit cut to a small context, with something of each file", () => {
    const file = (name: string): string => `diff --git a/${name} b/${name}\n${"+new line\n".repeat(3_000)}`;
    const request = commitMessages({ diff: file("a") + file("b"), messages: [], draft: "" });
    const { messages } = fitMessages(request, { limit: 8_000, count }, "texts");
    assert.ok(sizeOf(messages) <= 8_000 && sizeOf(messages) > 4_000, String(sizeOf(messages)));
    assert.match(JSON.stringify(messages), /diff --git a\/a .*more lines of this file.*diff --git a\/b /);
  });
});
