import assert from "node:assert/strict";
import type { CompletionMessage } from "../../../src/core/conversation/completion.ts";
import { nativeRequest, noToolCalls } from "../../../src/core/nativeChat/nativeRequest.ts";
import type { NativeMessage, NativeOptions, NativePart } from "../../../src/core/nativeChat/nativeRequest.ts";

const none: NativeOptions = {
  tools: [],
  mustCallTool: false,
  modelOptions: undefined,
  configuration: undefined,
  encodeBase64: (bytes) => Buffer.from(bytes).toString("base64"),
};
const text = (words: string): NativePart => ({ type: "text", text: words });
const data = (mimeType: string, words: string): NativePart => ({
  type: "data",
  mimeType,
  data: Buffer.from(words, "latin1"),
});
const png = "\x89PNG\r\n\x1a\n";
const user = (...parts: readonly NativePart[]): NativeMessage => ({ role: "user", parts });
const assistant = (...parts: readonly NativePart[]): NativeMessage => ({ role: "assistant", parts });

function messagesOf(...messages: readonly NativeMessage[]): readonly CompletionMessage[] {
  return nativeRequest("lab/a", messages, none).messages;
}

describe("A request from VS Code's chat", () => {
  it("sends texts of one message as one string, in which their words stay apart", () => {
    assert.deepEqual(messagesOf(user(text("Look at"), text("this\n"), text("now"))), [
      { role: "user", content: "Look at\nthis\nnow" },
    ]);
    assert.deepEqual(
      messagesOf(user(text("Hi")), assistant(text("Hel"), text("lo"))).at(-1)?.content,
      "Hello",
    );
  });

  it("sends system messages as one string", () => {
    assert.deepEqual(messagesOf({ role: "system", parts: [text("Be "), text("brief.")] }, user(text("Hi"))), [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ]);
  });

  it("sends images and audio, and text data as text", () => {
    assert.deepEqual(
      messagesOf(
        user(
          text("See"),
          data("image/png", png),
          data("audio/wav", "RIFF....WAVE"),
          data("application/json", "{}"),
        ),
      ),
      [
        {
          role: "user",
          content: [
            { type: "text", text: "See" },
            { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
            { type: "audio", format: "wav", data: "UklGRi4uLi5XQVZF" },
            { type: "text", text: "{}" },
          ],
        },
      ],
    );
  });

  it("keeps tools declared without allowing calls if the caller wants text, and supports no other choice", () => {
    const tools = [{ name: "a", description: "A", parameters: { type: "object" } }];
    const parametersFor = (options: Partial<NativeOptions>): unknown =>
      nativeRequest("lab/a", [user(text("Hi"))], { ...none, ...options }).parameters?.["tool_choice"];
    assert.equal(parametersFor({ tools, modelOptions: noToolCalls }), "none");
    assert.equal(parametersFor({ tools, mustCallTool: true }), "required");
    assert.equal(parametersFor({ modelOptions: noToolCalls }), undefined);
    assert.equal(parametersFor({ tools, modelOptions: { tool_choice: "evil" } }), undefined);
  });

  it("leaves out cache marks and other private data", () => {
    const marks = [data("cache_control", "ephemeral"), data("stateful_marker", "m\\x")];
    assert.deepEqual(messagesOf(user(text("Hi"), ...marks)), [{ role: "user", content: "Hi" }]);
  });

  it("sends each file as what its bytes are, and names those that it can't send", () => {
    const jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF";
    const [message] = messagesOf(
      user(
        ...["image/png", "image/jpg", "image/bmp"].map((type) => data(type, jpeg)),
        ...[data("application/pdf", "%PDF-1.7"), data("audio/ogg", "OggS\0")],
      ),
    );
    assert.ok(Array.isArray(message?.content));
    assert.deepEqual(
      message.content.map((part) => ("mediaType" in part ? part.mediaType : part.text)),
      [
        ...["image/jpeg", "image/jpeg", "image/jpeg"],
        "(8 bytes of application/pdf are left out here, because they can't be passed on.)",
        "(5 bytes of audio/ogg are left out here, because they can't be passed on.)",
      ],
    );
  });

  it("doesn't send what isn't the image or audio that it is declared as, and says so", () => {
    const html = "<!DOCTYPE html><title>404</title>";
    for (const type of ["image/png", "image/jpeg", "audio/wav", "audio/mpeg"]) {
      const note = `(33 bytes are left out here, because they aren't ${type}, whatever their type says. The file is damaged or something else.)`;
      assert.deepEqual(messagesOf(user(text("See"), data(type, html))), [
        { role: "user", content: `See\n${note}` },
      ]);
      const call: NativePart = { type: "toolCall", id: "1", name: "look", input: {} };
      const result: NativePart = { type: "toolResult", id: "1", content: [data(type, html)] };
      assert.equal(messagesOf(assistant(call), user(result))[1]?.content, note);
    }
  });

  it("is refused with a sentence if none of its messages has content", () => {
    const orphan: NativePart = { type: "toolResult", id: "1", content: [{ value: "a" }] };
    for (const messages of [[], [user(text(" ")), assistant(), user()], [user(orphan)]])
      assert.throws(() => nativeRequest("lab/a", messages, none), /no content, so nothing was sent/);
  });

  it("sends the text of prompt elements in results, and never an empty result", () => {
    const element = { value: { node: { type: 1, children: [{ type: 2, text: "hello from tsx" }] } } };
    const call: NativePart = { type: "toolCall", id: "1", name: "look", input: {} };
    const resultOf = (...content: readonly unknown[]): unknown =>
      messagesOf(assistant(call), user({ type: "toolResult", id: "1", content }))[1]?.content;
    assert.equal(resultOf(element), "hello from tsx");
    assert.match(String(resultOf(data("image/png", png))), /an image, 8 bytes of image\/png/);
    assert.equal(resultOf(), "(The tool gave no output.)");
  });

  it("sends parallel calls with their results, and images of results after all of them", () => {
    const call = (id: string): NativePart => ({ type: "toolCall", id, name: "look", input: { at: id } });
    const result = (id: string, ...content: readonly unknown[]): NativePart => ({
      type: "toolResult",
      id,
      content,
    });
    assert.deepEqual(
      messagesOf(
        assistant(text("Looking."), call("1"), call("2")),
        user(result("1", data("image/png", png), data("cache_control", "x"))),
        user(result("2", { value: "b" })),
      ),
      [
        {
          role: "assistant",
          content: "Looking.",
          toolCalls: [
            { id: "1", name: "look", arguments: '{"at":"1"}' },
            { id: "2", name: "look", arguments: '{"at":"2"}' },
          ],
        },
        { role: "tool", toolCallId: "1", content: "(The result also has an image, 8 bytes of image/png.)" },
        { role: "tool", toolCallId: "2", content: "b" },
        {
          role: "user",
          content: [
            { type: "text", text: "The images returned by the tool calls above, in order:" },
            { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
          ],
        },
      ],
    );
  });

  it("returns reasoning and signatures to the model that they came from, and to no other", () => {
    const metadata = {
      providerFields: { baseUrl: "https://a.test/v1", model: "lab/a", reasoningNames: ["reasoning_content"] },
      toolCalls: [{ id: "1", name: "look", arguments: "", extra: { thought_signature: "s" } }],
    };
    const messages = [
      assistant(
        { type: "reasoning", text: "Hm." },
        { type: "reasoning", text: "", metadata },
        { type: "toolCall", id: "1", name: "look", input: {} },
      ),
      user({ type: "toolResult", id: "1", content: [{ value: "a" }] }),
    ];
    const [own] = nativeRequest("lab/a", messages, none).messages;
    assert.equal(own?.reasoning, "Hm.");
    assert.deepEqual(own?.providerFields, metadata.providerFields);
    assert.deepEqual(own?.toolCalls?.[0]?.extra, { thought_signature: "s" });
    const [other] = nativeRequest("lab/b", messages, none).messages;
    assert.equal(other?.reasoning, undefined);
    assert.equal(other?.providerFields, undefined);
  });

  it("passes on known options, and nothing that is private to VS Code", () => {
    const { parameters, maxTokens } = nativeRequest("lab/a", [user(text("Hi"))], {
      tools: [{ name: "look", description: "Looks", parameters: { type: "object" } }],
      encodeBase64: none.encodeBase64,
      mustCallTool: true,
      modelOptions: {
        temperature: 0.5,
        max_tokens: 99,
        stop: ["x"],
        _conversationId: "c",
        _otelTraceContext: {},
        seed: "7",
      },
      configuration: { reasoningEffort: "low" },
    });
    assert.equal(maxTokens, 99);
    assert.deepEqual(parameters, {
      temperature: 0.5,
      stop: ["x"],
      reasoning_effort: "low",
      tools: [
        {
          type: "function",
          function: { name: "look", description: "Looks", parameters: { type: "object" } },
        },
      ],
      tool_choice: "required",
    });
  });

  it("drops messages without content, which servers reject", () => {
    assert.deepEqual(messagesOf(assistant(), user(text("")), user(text("Hi"))), [
      { role: "user", content: "Hi" },
    ]);
  });
});
