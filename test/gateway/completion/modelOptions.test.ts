import assert from "node:assert/strict";
import type { CompletionRequest } from "../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { readOutputLimit } from "../../../src/gateway/errors/tokenCounts.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";

describe("A request to a model with options", () => {
  const transport = createTestTransport();
  let server: TestServer;
  let asked: unknown;

  before(async () => {
    server = await startServer(async (request, response) => {
      asked = JSON.parse(await readRequestBody(request));
      if (Number(Reflect.get(Object(asked), "max_tokens") ?? 0) > 4096) {
        const message = "max_tokens is too large: 9999. This model supports at most 4096 completion tokens.";
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message, param: "max_tokens" } }));
        return;
      }
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"choices":[{"index":0,"message":{"content":"whole"},"finish_reason":"stop"}]}');
    });
  });
  after(async () => {
    await transport.close();
    await server.close();
  });

  async function send(parameters: CompletionRequest["parameters"] = {}): Promise<string> {
    const client = createTestClient(server.url, {
      transport,
      modelOptions: (model) =>
        model === "m" ? { stream: false, maxOutputTokens: 500, systemRole: "developer" } : {},
    });
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ] as const;
    let text = "";
    for await (const event of client.complete({ model: "m", messages, stream: true, parameters }, {}).events)
      if (event.type === "text") text += event.text;
    return text;
  }

  it("isn't streamed, limits the response, and uses the role of the system prompt", async () => {
    assert.equal(await send(), "whole");
    assert.deepEqual(asked, {
      model: "m",
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      max_tokens: 500,
      stream: false,
    });
  });

  it("keeps a limit from the chat settings, under any of its names", async () => {
    for (const name of ["max_tokens", "max_completion_tokens"]) {
      await send({ [name]: 100 });
      assert.equal(Reflect.get(Object(asked), name), 100);
      assert.equal(Reflect.get(Object(asked), "max_tokens"), name === "max_tokens" ? 100 : undefined);
    }
  });

  it("reports the server's limit when it rejects a larger one", async () => {
    await assert.rejects(send({ max_tokens: 9999 }), (error: unknown) => {
      assert.ok(error instanceof ServiceError);
      assert.deepEqual([error.facts.parameter, error.facts.tokenLimit], ["max_tokens", 4096]);
      return true;
    });
  });

  it("reads the limit from the wording of many servers", () => {
    for (const words of [
      "max_tokens is too large: 100000. This model supports at most 4096 completion tokens, whereas you provided 100000.",
      "max_tokens: 100000 > 4096, which is the maximum allowed number of output tokens for this model",
      "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]",
      "max_tokens must be less than or equal to 4,096, but got 100000",
      "`max_tokens` must be between 1 and 4096",
      "The maximum value for max_tokens is 4096",
      "max_tokens cannot be greater than 4096",
    ])
      assert.equal(readOutputLimit(words), 4096, words);
    assert.equal(readOutputLimit("max_tokens is not supported"), undefined);
  });
});
