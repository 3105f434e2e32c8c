import assert from "node:assert/strict";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import { NativeResponse } from "../../../src/core/nativeChat/nativeResponse.ts";

function partsOf(...events: readonly CompletionEvent[]): unknown[] {
  const response = new NativeResponse();
  return [...events.flatMap((event) => response.read(event)), ...response.finish()];
}

describe("A response in VS Code's chat", () => {
  it("that is empty because the conversation is longer than the model can read says so, with the numbers", () => {
    const response = new NativeResponse(32_768);
    response.read({ type: "usage", usage: { promptTokens: 36_120 } });
    response.read({ type: "finish", reason: "stop" });
    assert.throws(() => response.finish(), /36,120 tokens, and the limit is 32,768/);
  });

  it("has its text and reasoning as they stream, and the usage at the end", () => {
    const usage = { promptTokens: 10, completionTokens: 5, cachedTokens: 4 };
    assert.deepEqual(
      partsOf({ type: "reasoning", text: "Hm" }, { type: "text", text: "Hi" }, { type: "usage", usage }),
      [
        { type: "reasoning", text: "Hm" },
        { type: "text", text: "Hi" },
        {
          type: "usage",
          usage: {
            prompt_tokens: 10,
            completion_tokens: 5,
            total_tokens: 15,
            prompt_tokens_details: { cached_tokens: 4 },
          },
        },
      ],
    );
  });

  it("ends with its sources, whose titles can't contain markup", () => {
    const sources = [{ url: "https://a.example/<b>", title: "A [page]" }, { url: "https://b.example" }];
    const text = "\n\n**Sources**\n\n1. [A \\[page\\]](<https://a.example/%3Cb%3E>)\n2. <https://b.example>";
    assert.deepEqual(partsOf({ type: "text", text: "So [1]." }, { type: "sources", sources }), [
      { type: "text", text: "So [1]." },
      { type: "text", text },
    ]);
  });

  it("ends with a line outside its code block, and sources there, too", () => {
    const text = { type: "text", text: "```js\na();" } as const;
    const sources = { type: "sources", sources: [{ url: "https://a.example" }] } as const;
    for (const last of [{ type: "finish", reason: "length" } as const, sources])
      assert.deepEqual(partsOf(text, last)[1], { type: "text", text: "\n```" });
    assert.equal(partsOf({ type: "text", text: "~~~\na\n~~~\nb" }, sources).length, 2);
    const inList = { type: "text", text: "1. Run:\n   ```sh\n   ls" } as const;
    assert.deepEqual(partsOf(inList, sources)[1], { type: "text", text: "\n   ```" });
    assert.equal(partsOf({ type: "text", text: "```a``` is code" }, sources).length, 2);
  });

  it("has no calls if a filter or a failure cut it off, none without a name, and none with another one's ID", () => {
    const call = { type: "toolCall", index: 0, id: "a", name: "look", arguments: '{"x' } as const;
    for (const reason of ["content_filter", "error", "MALFORMED_FUNCTION_CALL"])
      assert.match(
        JSON.stringify(partsOf(call, { type: "finish", reason })),
        /^[^{]*\{[^{]*incomplete[^{]*$/,
      );
    const nameless = { type: "toolCall", index: 1, id: "b", name: "", arguments: "" } as const;
    assert.throws(() => partsOf(nameless), /empty/);
    const whole = { ...call, arguments: "{}" };
    assert.deepEqual(
      partsOf(whole, nameless, { ...whole, index: 2 }, { ...whole, index: 3, id: "" }),
      ["a", "call-1", "call-2"].map((id) => ({ type: "toolCall", id, name: "look", input: {} })),
    );
    assert.throws(() => partsOf({ type: "finish", reason: "network_error" }), /ended with “network_error”/);
  });

  it("ends with a line if it was cut off, without calls that were cut off", () => {
    const text = { type: "text", text: "Half" } as const;
    const line = { type: "text", text: "\n\n*The response is incomplete: truncated at the token limit.*" };
    for (const reason of ["length", "max_tokens"])
      assert.deepEqual(partsOf(text, { type: "finish", reason }), [text, line]);
    const filtered = partsOf(text, { type: "finish", reason: "content_filter" });
    assert.match(JSON.stringify(filtered), /incomplete: stopped by the content filter/);
    const call = { type: "toolCall", index: 0, id: "a", name: "look", arguments: '{"x' } as const;
    assert.deepEqual(partsOf(call, { type: "finish", reason: "length" }), [
      { type: "text", text: "*The response is incomplete: truncated at the token limit.*" },
    ]);
    assert.deepEqual(partsOf(text, { type: "finish", reason: "stop" }), [text]);
  });

  it("has parallel calls, each in one piece", () => {
    const parts = partsOf(
      { type: "toolCall", index: 0, id: "a", name: "look", arguments: '{"x"' },
      { type: "toolCall", index: 1, id: "b", name: "stop", arguments: "" },
      { type: "toolCall", index: 0, arguments: ":1}" },
    );
    assert.deepEqual(parts, [
      { type: "toolCall", id: "a", name: "look", input: { x: 1 } },
      { type: "toolCall", id: "b", name: "stop", input: {} },
    ]);
  });

  it("attaches what the provider expects back with the results of calls", () => {
    const fields = { baseUrl: "https://a.test/v1", model: "m", members: { reasoning_details: [1] } };
    const [returned] = partsOf(
      { type: "providerFields", ...fields },
      {
        type: "toolCall",
        index: 0,
        id: "a",
        name: "look",
        arguments: "{}",
        extra: { thought_signature: "s" },
      },
    );
    assert.deepEqual(returned, {
      type: "reasoning",
      text: "",
      metadata: {
        providerFields: fields,
        toolCalls: [{ id: "a", name: "look", arguments: "", extra: { thought_signature: "s" } }],
      },
    });
  });

  it("explains that it is empty instead of ending in silence", () => {
    assert.throws(() => partsOf(), /response is empty/);
    assert.throws(() => partsOf({ type: "reasoning", text: "Hm" }), /reasoned, but returned no text/);
    assert.throws(() => partsOf({ type: "finish", reason: "length" }), /token limit/);
  });

  it("fails with a sentence if the arguments of a call aren't a JSON object", () => {
    const call = { type: "toolCall", index: 0, id: "a", name: "look", arguments: "[1" } as const;
    assert.throws(() => partsOf(call), /“look” with arguments that aren't a JSON object/);
  });
});
