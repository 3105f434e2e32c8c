import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { newResponse, newQuestion } from "../../../src/core/conversation/forkConversation.ts";
import { summarize } from "../../../src/core/conversation/summarize.ts";
import { estimateTokens } from "../../../src/core/compose/meter/estimateTokens.ts";
import { fittingCompletions } from "../../../src/core/compose/meter/fittingCompletions.ts";
import type { TokenCounts } from "../../../src/core/kernel/errors.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";

function turns(count: number, length: number): readonly Message[] {
  return Array.from({ length: count }, (_, index): readonly Message[] => {
    const words = `turn ${index} `.padEnd(length, "x");
    const origin = { id: `q${index}`, createdAt: 1 };
    const answer = newResponse({ id: `a${index}`, createdAt: 1 }, {});
    return [newQuestion(origin, words, []), { ...answer, status: "complete", text: `reply ${index}` }];
  }).flat();
}

describe("A summary of a conversation", () => {
  const transport = createTestTransport();
  let server: TestServer;
  let room = Infinity;
  let reply = "The summary.";
  let asked: string[] = [];
  let roles: string[] = [];
  let contextLength: number | undefined;

  before(async () => {
    server = await startServer(async (request, response) => {
      const body: { messages: { role: string; content: string }[] } = JSON.parse(
        await readRequestBody(request),
      );
      roles = body.messages.map(({ role }) => role);
      const content = body.messages.map((message) => message.content).join("\n");
      asked.push(content);
      if (content.length > room)
        response
          .writeHead(400)
          .end('{"error":{"code":"context_length_exceeded","message":"This is too long for the context."}}');
      else
        response.end(JSON.stringify({ choices: [{ message: { content: reply }, finish_reason: "stop" }] }));
    });
  });
  after(async () => {
    await transport.close();
    await server.close();
  });
  beforeEach(() => {
    [room, reply, asked, contextLength] = [Infinity, "The summary.", [], undefined];
  });

  const begin = (messages: readonly Message[], tokens?: TokenCounts) =>
    summarize(
      fittingCompletions(createTestClient(server.url, { transport }), {
        contextLength: () => contextLength,
        ...{ supports: () => true, lacksTools: () => false, policy: () => undefined },
        ...{ count: estimateTokens, factor: () => 1 },
      }),
      messages,
      { model: "m", ...(tokens === undefined ? {} : { tokens }) },
    );

  it("is written from the text of the attached files, too", async () => {
    const file = { type: "text", title: "limits.md", text: "max_rows = 4711" } as const;
    await begin([newQuestion({ id: "q", createdAt: 1 }, "Use these limits.", [file])]).summary;
    assert.match(asked[0] ?? "", /\[the file limits\.md\]\nmax_rows = 4711/);
  });

  it("is requested once with all messages if they fit", async () => {
    const summary = await begin(turns(3, 20)).summary;
    assert.deepEqual(summary, { text: "The summary.", leftOut: 0 });
    assert.equal(asked.length, 1);
    for (const words of ["turn 0", "reply 0", "turn 2", "reply 2"])
      assert.ok(asked[0]?.includes(words), words);
  });

  it("leaves out the oldest messages until the rest fits, and counts them", async () => {
    room = 6_000;
    const summary = await begin(turns(20, 1_000)).summary;
    assert.equal(summary?.text, "The summary.");
    assert.ok(summary.leftOut >= 20 && summary.leftOut < 40, String(summary.leftOut));
    assert.ok(asked.at(-1)?.includes("reply 19"));
    assert.ok(!asked.at(-1)?.includes("turn 0 "));
    assert.ok(asked.length > 1);
  });

  it("fits on the first attempt if the server has reported its limit", async () => {
    room = 6_000;
    await begin(turns(20, 1_000), { limit: 3_000, requested: 9_000 }).summary;
    assert.equal(asked.length, 1);
  });

  it("is requested once, with what fits, if the length of the context is known", async () => {
    contextLength = 2_000;
    const summary = await begin(turns(20, 1_000)).summary;
    assert.equal(asked.length, 1);
    assert.ok(summary !== undefined && summary.leftOut > 0 && summary.leftOut < 40, String(summary?.leftOut));
    assert.ok(asked[0]?.includes("reply 19"));
    assert.ok(!asked[0]?.includes("turn 0 "));
  });

  it("shortens a message, a file or a tool result that is too long on its own", async () => {
    contextLength = 2_000;
    const long = "words of it ".repeat(2_000);
    const call = { id: "c", name: "read", arguments: "{}" };
    const called = { ...newResponse({ id: "a", createdAt: 1 }, {}), status: "complete" } as const;
    const result = { ...called, id: "t", role: "tool", text: long, toolCallId: "c" } as const;
    const question = newQuestion({ id: "q", createdAt: 1 }, "Use these.", []);
    const file = { type: "text", title: "limits.md", text: long } as const;
    for (const messages of [
      [newQuestion({ id: "q", createdAt: 1 }, long, [])],
      [{ ...question, attachments: [file] }],
      [question, { ...called, toolCalls: [call] }, result],
    ]) {
      assert.deepEqual(await begin(messages).summary, { text: "The summary.", leftOut: 0 });
      assert.match(asked.at(-1) ?? "", /words of it[^]+characters were left out here/);
      assert.deepEqual(roles, ["user"]);
    }
  });

  it("is requested with roles that strict servers accept: in turns, and without calls that need their tools", async () => {
    await begin(turns(3, 20)).summary;
    assert.deepEqual(roles, ["user", "assistant", "user", "assistant", "user"]);
  });

  it("fails with the server's reason if nothing fits, after a limited number of requests", async () => {
    room = 0;
    await assert.rejects(begin(turns(20, 5_000)).summary ?? assert.fail(), { reason: "contextLength" });
    assert.ok(asked.length <= 6, String(asked.length));
  });

  it("fails if the model returns nothing", async () => {
    reply = " ";
    await assert.rejects(begin(turns(2, 10)).summary ?? assert.fail(), /returned no summary/);
  });

  it("is undefined after a stop", async () => {
    const run = begin(turns(2, 10));
    run.stop();
    assert.equal(await run.summary, undefined);
  });
});
