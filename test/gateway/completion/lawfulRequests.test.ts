import assert from "node:assert/strict";
import fc from "fast-check";
import type {
  CompletionMessage,
  CompletionRequest,
  ContentPart,
} from "../../../src/core/conversation/completion.ts";
import { lawfulMessages } from "../../../src/core/conversation/lawfulMessages.ts";
import { createRequestBody } from "../../../src/gateway/completion/requestBody.ts";
import { assertLawful } from "../../support/strictServer.ts";

const baseUrl = "https://service.example/v1";
const half = "\ud83d";
const png = "iVBORw0KGgoAAAAN";
const jpeg = "/9j/4AAQSkZJRgAB";
const pdf = Buffer.from("%PDF-1.7 ").toString("base64");
const ogg = Buffer.from("OggS\0\0\0\0\0").toString("base64");

const image = (mediaType: string, data: string) => ({ type: "image", mediaType, data }) as const;
const parts: readonly ContentPart[] = [
  { type: "text", text: "a" },
  { type: "text", text: "" },
  { type: "text", text: " \n" },
  { type: "text", text: `b${half}`, title: "b.txt" },
  image("image/png", png),
  image("image/png", jpeg),
  image("image/bmp", jpeg),
  image("image/png", pdf),
  image("image/png", ""),
  { type: "audio", format: "mp3", data: ogg },
];
const ids = ["1", "2", "call:0", "call:0_2", ""];
const inputs = [
  "{}",
  "null",
  "[]",
  '"x"',
  '{"a":',
  "",
  `{"a":"\\ud83d"}`,
  '{"\\udc00": 1}',
  `{"a":"${half}"}`,
];
const names = ["f", "functions.read file", "", "ä".repeat(80)];

const body = (messages: readonly CompletionMessage[], more: Partial<CompletionRequest> = {}): string =>
  createRequestBody({ model: "m", messages, stream: true, ...more }, { baseUrl }).body;

/** Any history: what models, other extensions, imports and interrupted windows leave behind. */
const content = fc.oneof(
  fc.constantFrom("", "\n\n", "text", `cut ${half}`),
  fc.array(fc.constantFrom(...parts), { maxLength: 3 }),
);
const id = fc.constantFrom(...ids);
const call = fc.record({ id, name: fc.constantFrom(...names), arguments: fc.constantFrom(...inputs) });
const anyHistory: fc.Arbitrary<readonly CompletionMessage[]> = fc.array(
  fc.oneof(
    fc.record({ role: fc.constant("system" as const), content }),
    fc.record({ role: fc.constant("user" as const), content }),
    fc.record({
      role: fc.constant("assistant" as const),
      content: fc.constantFrom("", "\n\n", "said"),
      toolCalls: fc.array(call, { maxLength: 3 }),
    }),
    { weight: 2, arbitrary: fc.record({ role: fc.constant("tool" as const), content, toolCallId: id }) },
  ),
  { maxLength: 14 },
);

describe("A request to a strict server", () => {
  it("is accepted whatever the history: orphans, repeated IDs, halves of emoji, lying media types, blank texts", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        assertLawful(body(history));
        const lawful = lawfulMessages(history);
        assert.deepEqual(lawfulMessages(lawful), lawful, "nothing changes when it is made lawful again");
      }),
      { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 3_000) },
    );
  });

  it("doesn't contain what isn't the image or audio that it is declared as", () => {
    const html = Buffer.from("<!DOCTYPE html>").toString("base64");
    for (const part of [image("image/png", html), { type: "audio", format: "mp3", data: html } as const]) {
      const [message] = lawfulMessages([{ role: "user", content: [part] }]);
      assert.match(String(message?.content), /^\(The \w+ was left out because its bytes aren't those of/);
    }
  });

  it("has the images of two results after both, even if each came in a message of its own", () => {
    const calls = ["a", "b"].map((id) => ({ id, name: "shot", arguments: "{}" }));
    const messages: readonly CompletionMessage[] = [
      { role: "user", content: "go" },
      ...calls.map((call) => ({ role: "assistant", content: "", toolCalls: [call] }) as const),
      { role: "tool", toolCallId: "b", content: "fine" },
      { role: "user", content: "Thanks" },
      { role: "tool", toolCallId: "a", content: [image("image/png", png)] },
    ];
    const lawful = lawfulMessages(messages);
    assert.deepEqual(
      lawful.map(({ role, toolCallId = "" }) => role + toolCallId),
      ["user", "assistant", "toola", "toolb", "user", "user"],
    );
    assert.equal(lawful[2]?.content, "(The result follows as an image.)");
  });

  it("has one ID per call, and the same for its result", () => {
    const round = (path: string): readonly CompletionMessage[] => [
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "list_dir:0", name: "list_dir", arguments: path }],
      },
      { role: "tool", toolCallId: "list_dir:0", content: path },
    ];
    const lawful = lawfulMessages([...round('{"path":"."}'), ...round('{"path":"/"}')]);
    assert.deepEqual(
      lawful.map(({ toolCalls, toolCallId }) => toolCalls?.[0]?.id ?? toolCallId),
      ["list_dir:0", "list_dir:0", "list_dir:0_2", "list_dir:0_2"],
    );
  });

  it("has U+FFFD in place of half an emoji, and everything else as it was", () => {
    const text = `cut ${half} end, whole 😀, escaped \\ud83d`;
    const messages = JSON.parse(body([{ role: "user", content: text }], { parameters: { user: half } }));
    assert.equal(messages.messages[0].content, "cut \ufffd end, whole 😀, escaped \\ud83d");
    assert.equal(messages.user, "\ufffd");
  });

  it("names what it leaves out: formats that no server reads, and input that the model can't read", () => {
    const content: readonly ContentPart[] = [
      { type: "text", text: "Look" },
      { ...image("image/png", pdf), title: "plan.pdf" },
      image("image/png", png),
    ];
    assert.equal(
      lawfulMessages([{ role: "user", content }], () => false)[0]?.content,
      "Look\n\n(The image “plan.pdf” was left out because its format, PDF, can't be sent.)\n\n(The image was left out because this model doesn't support image input.)",
    );
  });
});
