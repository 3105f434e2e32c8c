import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import {
  contentOf,
  delta,
  done,
  expectEvents,
  finish,
  readBody,
  reasoning,
  stop,
  stream,
  text,
} from "./readBody.ts";

describe("Dialects of chat streams", () => {
  it("skip chunks without content, choices or meaning", () =>
    expectEvents(
      `: ping\n\n${stream({}, { choices: [] }, delta({}), delta({ content: null }), delta({ content: "a" }), stop)}${done}`,
      text("a"),
      finish,
    ));

  for (const name of ["reasoning_content", "reasoning", "thinking"]) {
    it(`contain reasoning under ${name}`, () =>
      expectEvents(
        stream(delta({ [name]: "hm", content: "" }), delta({ content: "a" }), stop) + done,
        reasoning("hm"),
        text("a"),
        finish,
      ));
  }

  it("yield reasoning once if it is under two names", () =>
    expectEvents(
      stream(delta({ reasoning: "hm", reasoning_content: "hm" }), stop) + done,
      reasoning("hm"),
      finish,
    ));

  const call = (id: string, argumentsText: string): unknown => ({
    ...{ index: 0, id, type: "function" },
    function: { name: "look", arguments: argumentsText },
  });
  const whole = (message: object): unknown => ({
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
  });

  it("count a whole message at the end only for what no delta has brought", async () => {
    const message = { content: "abc", reasoning_content: "hm", tool_calls: [call("1", '{"x":1}')] };
    const repeated = await readBody(
      stream(
        delta({ content: "" }),
        delta({ content: "ab" }),
        delta({ content: "c", tool_calls: [call("1", '{"x":')] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: "1}" } }] }),
        whole(message),
      ) + done,
    );
    assert.deepEqual(contentOf(repeated.events), { text: "abc", reasoning: "hm" });
    const pieces = repeated.events.flatMap((event) => (event.type === "toolCall" ? [event.arguments] : []));
    assert.equal(pieces.join(""), '{"x":1}');
    const long = { content: "x".repeat(200_000) };
    const repeatedLong = await readBody(stream(delta(long), whole(long)) + done);
    assert.equal(contentOf(repeatedLong.events).text.length, 200_000);
  });

  it("complete what deltas have brought with the rest of a whole message", async () => {
    const { events } = await readBody(
      stream(
        delta({ content: "ab", tool_calls: [{ ...Object(call("1", '{"x"')), index: 1 }] }),
        whole({ content: "abcd", tool_calls: [call("1", '{"x":1}'), call("2", "{}")] }),
      ) + done,
    );
    assert.equal(contentOf(events).text, "abcd");
    const calls = new Map<number, string>();
    for (const event of events)
      if (event.type === "toolCall") calls.set(event.index, (calls.get(event.index) ?? "") + event.arguments);
    assert.deepEqual([...calls.values()], ['{"x":1}', "{}"]);
  });

  it("may contain what there is so far in each message", () =>
    expectEvents(
      stream(
        ...["a", "ab", "abc", "abc"].map((content) => ({
          choices: [{ index: 0, delta: {}, message: { content } }],
        })),
        stop,
      ) + done,
      text("a"),
      text("b"),
      text("c"),
      finish,
    ));

  it("count reasoning once that is between tags and in a whole message", () =>
    expectEvents(
      stream(delta({ content: "<think>hm</think>ab" }), whole({ content: "ab", reasoning_content: "hm" })) +
        done,
      reasoning("hm"),
      text("ab"),
      finish,
    ));

  it("end with everything once more in a last delta, which isn't shown twice", () => {
    const words = "A sentence that is long enough to be no coincidence.";
    const last = { choices: [{ index: 0, delta: { content: words }, finish_reason: "stop" }] };
    return expectEvents(
      stream(delta({ content: words.slice(0, 9) }), delta({ content: words.slice(9) }), last) + done,
      text(words.slice(0, 9)),
      text(words.slice(9)),
      finish,
    );
  });

  it("may consist of messages instead of deltas", () =>
    expectEvents(
      stream(
        { choices: [{ index: 0, message: { content: "a" } }] },
        { choices: [{ index: 0, message: { content: "b" } }] },
        stop,
      ) + done,
      text("a"),
      text("b"),
      finish,
    ));

  it("separate a think block at the start from the content, whole or split across deltas", async () => {
    const events = [reasoning("why"), text("\n\nso"), finish];
    await expectEvents(stream(delta({ content: "\n<think>why</think>\n\nso" }), stop), ...events);
    const deltas = ["\n", "<th", "ink>", "w", "hy</", "thi", "nk>", "\n\nso"];
    await expectEvents(stream(...deltas.map((content) => delta({ content })), stop), ...events);
  });

  it("keep the text of a think block that never closes", () =>
    expectEvents(stream(delta({ content: "<think>a </thin" }), stop), reasoning("a </thin"), finish));

  for (const [open, close] of [
    ["<thinking>", "</thinking>"],
    ["<thought>", "</thought>"],
    ["[THINK]", "[/THINK]"],
    ["◁think▷", "◁/think▷"],
  ] as const) {
    it(`separate ${open} at the start from the content, however it is split`, async () => {
      const events = [reasoning("why"), text("so"), finish];
      await expectEvents(stream(delta({ content: `${open}why${close}so` }), stop), ...events);
      const characters = [...`\n${open}why${close}so`].map((content) => delta({ content }));
      const answer = await readBody(stream(...characters, stop));
      assert.deepEqual(contentOf(answer.events), { text: "so", reasoning: "why" });
    });
  }

  for (const content of [
    "I think.\n</think>\n\nSo.",
    "I think.</think>\nSo.",
    "I think.</think>So.",
    "\nI `code` think ```js\nx\n``` so.\n</thinking>So.",
    "</think>So.",
  ]) {
    it(`treat the text before an unopened closing tag as reasoning: ${JSON.stringify(content)}`, async () => {
      const end = /<\/think(?:ing)?>/.exec(content);
      assert.ok(end !== null);
      const expected = {
        reasoning: content.slice(0, end.index),
        text: content.slice(end.index + end[0].length),
      };
      for (let size = 1; size <= content.length; size++) {
        const pieces = Array.from({ length: Math.ceil(content.length / size) }, (_, index) =>
          delta({ content: content.slice(index * size, (index + 1) * size) }),
        );
        const { events } = await readBody(stream(...pieces, stop));
        assert.deepEqual(contentOf(events), expected, `in pieces of ${size}`);
      }
    });
  }

  for (const content of [
    "Close it with </think> at the end.",
    "Write `</think>` there.",
    "```html\n<b>\n</think>\n```\nSo.",
    "First <think>, then\n</think>\nfollows.",
    "The tag </thinker>\n is none.",
  ]) {
    it(`keep a closing tag that is part of the text: ${JSON.stringify(content)}`, async () => {
      for (const size of [1, 2, 3, 5, 8, 13, content.length]) {
        const pieces = Array.from({ length: Math.ceil(content.length / size) }, (_, index) =>
          delta({ content: content.slice(index * size, (index + 1) * size) }),
        );
        const { events } = await readBody(stream(...pieces, stop));
        assert.deepEqual(contentOf(events), { text: content, reasoning: "" }, `in pieces of ${size}`);
      }
    });
  }

  for (const [what, content, expected] of [
    ["a second block", "<think>a</think>\nOne.\n<think>b</think>\nTwo.", ["\nOne.\n\nTwo.", "a\n\nb"]],
    ["a block at once after another", "<think>a</think><think>b</think>Two.", ["Two.", "a\n\nb"]],
    ["a block attached to text", "<think>a</think>One.<think>b</think>Two.", ["One.Two.", "a\n\nb"]],
    ["three blocks", "[THINK]a[/THINK]\n[THINK]b[/THINK]\n[think]c[/think]!", ["\n\n!", "a\n\nb\n\nc"]],
    ["a block in capitals", "<THINK>a</THINK>So.", ["So.", "a"]],
    ["a block in mixed case", "<Think>a</thinK>So. <b>İ</b>", ["So. <b>İ</b>", "a"]],
    ["a last block that never closes", "<think>a</think>One.\n<think>\nb", ["One.\n", "a\n\n\nb"]],
    ["no block in a fence", "<think>a</think>\n```\n<think>\nb\n```", ["\n```\n<think>\nb\n```", "a"]],
    ["no block in code", "<think>a</think>Write `<think>x` `\n", ["Write `<think>x` `\n", "a"]],
    [
      "no block in a sentence",
      "<think>a</think>The tag <think> and <thin",
      ["The tag <think> and <thin", "a"],
    ],
    ["no other block", "<think>a</think>\n<reasoning>\nb", ["\n<reasoning>\nb", "a"]],
    ["an unopened end in capitals", "a\n</THINK>\nSo.", ["\nSo.", "a\n"]],
  ] as const) {
    it(`separate reasoning in further blocks, however it is split: ${what}`, async () => {
      for (const size of [1, 2, 3, 5, 8, 13, content.length]) {
        const pieces = Array.from({ length: Math.ceil(content.length / size) }, (_, index) =>
          delta({ content: content.slice(index * size, (index + 1) * size) }),
        );
        const { events } = await readBody(stream(...pieces, stop));
        const [shown, thought] = expected;
        assert.deepEqual(contentOf(events), { text: shown, reasoning: thought }, `in pieces of ${size}`);
      }
    });
  }

  it("keep a tag that is not at the start", () =>
    expectEvents(
      stream(delta({ content: "Use <think>x</think>" }), stop),
      text("Use <think>x</think>"),
      finish,
    ));

  it("keep a tag if the server separates the reasoning itself", () =>
    expectEvents(
      stream(delta({ reasoning_content: "hm" }), delta({ content: "<think>" }), stop),
      reasoning("hm"),
      text("<think>"),
      finish,
    ));

  it("keep text that looked like the beginning of a tag", () =>
    expectEvents(
      stream(delta({ content: " " }), delta({ content: "<th" }), stop),
      text(" "),
      text("<th"),
      finish,
    ));

  it("join a surrogate pair that is split across two deltas", () =>
    expectEvents(
      `data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\ndata: {"choices":[{"delta":{"content":"\\ude00b"}}]}\n\n${stream(stop)}`,
      text("a"),
      text("😀b"),
      finish,
    ));

  it("may have content in parts, a message instead of a delta, or plain completions", async () => {
    const parts = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "a" },
    ];
    await expectEvents(stream(delta({ content: parts }), stop), reasoning("hm"), text("a"), finish);
    await expectEvents(stream({ choices: [{ message: { content: "a" } }] }, stop), text("a"), finish);
    await expectEvents(stream({ choices: [{ text: "a" }] }, stop), text("a"), finish);
  });

  it("yield only the choice with index 0", () =>
    expectEvents(
      stream(
        { choices: [{ index: 1, delta: { content: "no" } }] },
        {
          choices: [
            { index: 1, delta: { content: "no" } },
            { index: 0, delta: { content: "a" } },
          ],
        },
        stop,
      ),
      text("a"),
      finish,
    ));

  it("may contain usage in various formats", async () => {
    const usage = {
      prompt_tokens: 5,
      completion_tokens: 7,
      total_tokens: 12,
      reasoning_tokens: 3,
      prompt_tokens_details: { cached_tokens: 2 },
    };
    const expected: CompletionEvent = {
      type: "usage",
      usage: { promptTokens: 5, completionTokens: 7, totalTokens: 12, cachedTokens: 2, reasoningTokens: 3 },
    };
    await expectEvents(stream(stop, { choices: [], usage }) + done, expected, finish);
    await expectEvents(
      stream(stop, { choices: [], usage: null, x_groq: { usage } }) + done,
      expected,
      finish,
    );
  });

  it("may have tool calls without an index", () =>
    expectEvents(
      stream(
        delta({ tool_calls: [{ id: "1", function: { name: "f", arguments: { a: 1 } } }] }),
        delta({ tool_calls: [{ id: "2", function: { name: "g", arguments: '{"b"' } }] }),
        delta({ tool_calls: [{ function: { arguments: ":2}" } }] }),
        stop,
      ),
      { type: "toolCall", index: 0, id: "1", name: "f", arguments: '{"a":1}' },
      { type: "toolCall", index: 1, id: "2", name: "g", arguments: '{"b"' },
      { type: "toolCall", index: 1, arguments: ":2}" },
      finish,
    ));

  it("may give different tool calls the same index", () =>
    expectEvents(
      stream(
        delta({ tool_calls: [{ index: 0, id: "1", function: { name: "f", arguments: "{}" } }] }),
        delta({ tool_calls: [{ index: 0, id: "2", function: { name: "g", arguments: "{}" } }] }),
        stop,
      ),
      { type: "toolCall", index: 0, id: "1", name: "f", arguments: "{}" },
      { type: "toolCall", index: 1, id: "2", name: "g", arguments: "{}" },
      finish,
    ));

  it("may use the older function_call", () =>
    expectEvents(
      stream(delta({ function_call: { name: "f", arguments: "{}" } }), stop),
      { type: "toolCall", index: 0, name: "f", arguments: "{}" },
      finish,
    ));

  it("may respond to a streaming request with a single JSON response", async () => {
    const answer = await readBody(
      JSON.stringify({
        choices: [{ message: { content: "a", reasoning_content: "hm" }, finish_reason: "length" }],
      }),
      "application/json",
    );
    assert.deepEqual(answer.events, [reasoning("hm"), text("a"), { type: "finish", reason: "length" }]);
  });

  it("may send events without a content type, or JSON lines", async () => {
    const events = [text("a"), finish];
    assert.deepEqual((await readBody(stream(delta({ content: "a" }), stop), "")).events, events);
    const lines = [delta({ content: "a" }), stop].map((line) => `${JSON.stringify(line)}\n`).join("");
    assert.deepEqual((await readBody(lines, "application/x-ndjson")).events, events);
  });

  it("may end with a complete but unterminated event", async () => {
    await expectEvents(`${stream(delta({ content: "a" }))}data: [DONE]`, text("a"), {
      type: "finish",
      reason: null,
    });
    const answer = await readBody(
      stream(delta({ content: "a" })) + 'data: {"choices":[{"delta":{"content":"b',
    );
    assert.deepEqual(answer.events, [text("a")]);
    assert.equal(answer.error?.reason, "truncated");
  });

  it("may be compressed without a header, or in UTF-16", async () => {
    const body = stream(delta({ content: "a" }), stop) + done;
    const utf16 = Buffer.from(`\ufeff${body}`, "utf16le");
    for (const bytes of [gzipSync(body), utf16, utf16.subarray(2), Buffer.from(utf16).swap16()])
      assert.deepEqual((await readBody(bytes)).events, [text("a"), finish]);
  });

  it("may contain numbers in Python's form, and a blank after the mark of the end", () =>
    expectEvents(
      `data: {"choices":[{"delta":{"content":"-Infinity"},"logprobs":{"content":[{"logprob":-Infinity},{"logprob":NaN}]}}]}\n\n${stream(stop)}data: [DONE] \n\n`,
      text("-Infinity"),
      finish,
    ));

  it("may contain broken data after the finish reason", () =>
    expectEvents(`${stream(delta({ content: "a" }), stop)}data: {oops\n\n`, text("a"), finish));
});
