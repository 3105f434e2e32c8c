import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import { createInferenceClient } from "../../../src/gateway/completion/inferenceClient.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";

const delta = (index: number, content: string, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index, delta: { content }, finish_reason }] })}\n\n`;

describe("A response with several choices", () => {
  const transport = createTestTransport();
  let server: TestServer;
  let respond: (response: ServerResponse) => void;
  let asked: unknown;

  before(async () => {
    server = await startServer(async (request, response) => {
      asked = JSON.parse(await readRequestBody(request));
      respond(response);
    });
  });
  after(async () => {
    await transport.close();
    await server.close();
  });

  async function read(n?: number): Promise<readonly CompletionEvent[]> {
    const client = createInferenceClient({
      transport,
      baseUrl: `${server.url}/v1`,
      readApiKey: async () => "key",
      timeoutMs: () => 20_000,
      userAgent: "test",
      allowInsecureHttp: false,
    });
    const parameters = n === undefined ? {} : { parameters: { n } };
    const events: CompletionEvent[] = [];
    for await (const event of client.complete({ model: "m", messages: [], stream: true, ...parameters }, {})
      .events)
      events.push(event);
    return events;
  }

  /** The text of each choice. */
  function texts(events: readonly CompletionEvent[]): readonly string[] {
    const all: string[] = [];
    for (const event of events) {
      const [index, inner] = event.type === "choice" ? [event.index, event.event] : [0, event];
      if (inner.type === "text") all[index] = (all[index] ?? "") + inner.text;
    }
    return all;
  }

  const finished = (events: readonly CompletionEvent[]) =>
    events.flatMap((event) =>
      event.type === "choice" && event.event.type === "finish" ? [event.index] : [],
    );

  it("is read from a stream, whatever the order of the pieces and however they are packed", async () => {
    respond = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const word of ["one ", "two ", "three "])
        for (const index of [2, 0, 1]) response.write(delta(index, `${index}${word}`));
      const both = [0, 1].map((index) => ({ index, delta: { content: "!" }, finish_reason: "stop" }));
      response.write(`data: ${JSON.stringify({ choices: both })}\n\n`);
      response.end(`${delta(2, "?", "length")}data: [DONE]\n\n`);
    };
    const events = await read(3);
    assert.deepEqual(texts(events), ["0one 0two 0three !", "1one 1two 1three !", "2one 2two 2three ?"]);
    assert.deepEqual(finished(events), [2, 1]);
    assert.deepEqual(Reflect.get(Object(asked), "n"), 3);
  });

  it("is read from a whole response", async () => {
    respond = (response) => {
      const choices = ["a", "b", "c", "d"].map((content, index) => ({
        index,
        message: { content },
        finish_reason: "stop",
      }));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 3 } }));
    };
    const events = await read(3);
    assert.deepEqual(texts(events), ["a", "b", "c"]);
    assert.equal(events.filter(({ type }) => type === "usage").length, 1);
  });

  it("keeps to the first choice if only one was requested, or if the indexes make no sense", async () => {
    respond = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const index of [0, 1, -1, 1.5, 1e9]) response.write(delta(index, `${index}`));
      response.end(`${delta(0, "", "stop")}data: [DONE]\n\n`);
    };
    assert.deepEqual(texts(await read()), ["0"]);
    assert.deepEqual(texts(await read(2)), ["0", "1"]);
  });
});
