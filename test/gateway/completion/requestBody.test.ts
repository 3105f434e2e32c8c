import assert from "node:assert/strict";
import { Adaptations } from "../../../src/core/conversation/adaptations.ts";
import type { CompletionMessage } from "../../../src/core/conversation/completion.ts";
import { demandedOrder, orderMessages } from "../../../src/gateway/completion/requestBody.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";

const user = (content: string): CompletionMessage => ({ role: "user", content });
const assistant = (content: string): CompletionMessage => ({ role: "assistant", content });
const system = (content: string): CompletionMessage => ({ role: "system", content });
const called: CompletionMessage = {
  role: "assistant",
  content: "",
  toolCalls: [
    { id: "1", name: "f", arguments: "{}" },
    { id: "2", name: "f", arguments: "{}" },
  ],
};
const result = (toolCallId: string): CompletionMessage => ({ role: "tool", content: "r", toolCallId });
const told = (messages: readonly CompletionMessage[]): readonly string[] =>
  messages.map(({ role, content }) => `${role}:${typeof content === "string" ? content : content.length}`);

const demands = [
  [400, "Conversation roles must alternate user/assistant/user/assistant/...", "alternate"],
  [422, "Template error: conversation roles must alternate", "alternate"],
  [500, "Jinja Exception: After the optional system message, conversation roles must alternate", "alternate"],
  [400, "Expected last role User or Tool, but roles must be alternating", "alternate"],
  [400, "Unexpected role 'user' after role 'tool'", "alternate"],
  [400, "System message must be at the beginning.", "alternate"],
  [400, "messages: consecutive messages with the same role are not allowed", "alternate"],
  [400, "System role not supported", "noSystem"],
  [400, "Developer instruction is not enabled for models/gemma-3", "noSystem"],
  [400, "Only user and assistant roles are supported!", "noSystem"],
  [400, "Unknown parameter: top_k", undefined],
  [
    400,
    "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
    undefined,
  ],
  [401, "roles must alternate", undefined],
] as const;

describe("The message order that a server requires", () => {
  for (const [status, words, order] of demands) {
    it(`is ${order ?? "none"} for “${words}” (${status})`, () => {
      assert.equal(demandedOrder(status, JSON.stringify({ error: { message: words } })), order);
    });
  }

  it("is detected in linear time in long messages", () => {
    assert.equal(demandedOrder(400, "system role ".repeat(100_000)), undefined);
  });

  it("merges messages of the same role, puts system messages first, and completes tool rounds", () => {
    const messages = [
      user("a"),
      system("s1"),
      user("b"),
      called,
      result("1"),
      result("2"),
      user("c"),
      system("s2"),
    ];
    assert.deepEqual(told(orderMessages(messages, "alternate")), [
      "system:s1\n\ns2",
      "user:a\n\nb",
      "assistant:",
      "tool:r",
      "tool:r",
      "assistant:…",
      "user:c",
    ]);
  });

  it("starts with a user message and keeps attachments", () => {
    const image = { type: "image", mediaType: "image/png", data: "AA" } as const;
    const ordered = orderMessages(
      [assistant("x"), user("a"), { role: "user", content: [image] }],
      "alternate",
    );
    assert.deepEqual(told(ordered), ["user:…", "assistant:x", "user:2"]);
    assert.deepEqual(ordered.at(-1)?.content, [{ type: "text", text: "a" }, image]);
  });

  it("moves the system prompt into the user message if system messages aren't allowed", () => {
    assert.deepEqual(told(orderMessages([system("s"), user("a"), assistant("b"), user("c")], "noSystem")), [
      "user:s\n\na",
      "assistant:b",
      "user:c",
    ]);
  });

  it("is learned from one rejection and remembered for the model", async () => {
    const bodies: { model: string; messages: { role: string }[] }[] = [];
    const transport = createTestTransport();
    const server = await startServer(async (request, response) => {
      const body: (typeof bodies)[number] = JSON.parse(await readRequestBody(request));
      bodies.push(body);
      const roles = body.messages.map(({ role }) => role);
      if (roles.some((role, index) => role === roles[index - 1])) {
        response.writeHead(400).end('{"error":{"message":"Conversation roles must alternate"}}');
      } else response.end('{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}');
    });
    const adaptations = new Adaptations(() => 1);
    const ask = async (model: string): Promise<void> => {
      const client = createTestClient(server.url, { transport, adaptations });
      const messages = [user("a"), user("b")];
      for await (const event of client.complete({ model, messages, stream: true }, {}).events) void event;
    };
    await ask("strict");
    await ask("strict");
    await ask("other");
    assert.deepEqual(
      bodies.map(({ model, messages }) => [model, messages.length]),
      [
        ["strict", 2],
        ["strict", 1],
        ["strict", 1],
        ["other", 2],
        ["other", 1],
      ],
    );
    await transport.close();
    await server.close();
  });
});
