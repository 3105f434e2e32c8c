import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import type { CompletionRequest } from "../../../src/core/conversation/completion.ts";
import type { CodeLanguage } from "../../../src/core/responses/exchange/copyCode.ts";
import { requestCode } from "../../../src/core/responses/exchange/copyCode.ts";
import type { Exchange } from "../../../src/core/responses/exchange/exchange.ts";
import { exchangeDocument } from "../../../src/core/responses/exchange/exchangeDocument.ts";
import { ExchangeRecorder } from "../../../src/core/responses/exchange/exchangeRecorder.ts";
import { secretForms } from "../../../src/core/account/redaction.ts";
import type { InferenceClientOptions } from "../../../src/gateway/completion/inferenceClient.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";

const head = { "content-type": "text/event-stream", "x-request-id": "r-1" };
const piece = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n';
const end = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
const question: CompletionRequest = {
  model: "organization/model",
  messages: [{ role: "user", content: "Hi" }],
  stream: true,
};

describe("A recorded exchange", () => {
  const transport = createTestTransport();
  let server: TestServer;
  let listener: RequestListener;

  before(async () => {
    server = await startServer((request, response) => listener(request, response));
  });
  after(async () => {
    await transport.close();
    await server.close();
  });

  /** Sends a request and returns what was recorded, including the response's own error. */
  async function record(
    options: Partial<InferenceClientOptions> = {},
    request = question,
    stopAfter = Infinity,
  ): Promise<Exchange> {
    const client = createTestClient(server.url, { transport, ...options });
    return new Promise((resolve) => {
      const exchange = new ExchangeRecorder({
        purpose: "response",
        model: request.model,
        startedAt: 0,
        monotonic: () => performance.now(),
        onBegun: () => undefined,
        onRecorded: resolve,
      });
      const run = client.complete(request, { exchange });
      async function read(): Promise<void> {
        let count = 0;
        for await (const { type } of run.events) if (type === "text" && ++count >= stopAfter) run.stop();
      }
      // A failure is recorded as well.
      read().catch(() => undefined);
    });
  }

  it("contains the body as it was sent, the headers and the timeline in order", async () => {
    let sent = "";
    listener = async (request, response) => {
      sent = await readRequestBody(request);
      response.writeHead(200, head).end(`${piece}${usage}${end}data: [DONE]\n\n`);
    };
    await record();
    const exchange = await record();
    const [attempt] = exchange.attempts;
    assert.ok(attempt?.stream !== undefined);
    assert.equal(attempt.request.body, sent);
    assert.equal(attempt.request.url, `${server.url}/v1/chat/completions`);
    assert.equal(attempt.request.headers["authorization"], "Bearer [redacted]");
    assert.equal(attempt.request.headers["user-agent"], "inference-gateway/test");
    assert.equal(attempt.response?.statusCode, 200);
    assert.equal(attempt.response.requestId, "r-1");
    assert.deepEqual(attempt.connection, { isReused: true });
    const { startMs, sentMs = NaN, headMs = NaN, stream } = attempt;
    const times = [startMs, sentMs, headMs, stream.firstByteMs, stream.firstDeltaMs ?? NaN, exchange.endMs];
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.equal(stream.textDeltas, 1);
    assert.deepEqual(exchange.usage, { promptTokens: 3, completionTokens: 1 });
    assert.deepEqual([exchange.outcome, exchange.finishReason], ["complete", "stop"]);
  });

  it("contains a new connection if one was opened", async () => {
    listener = (_, response) => response.writeHead(200, { ...head, connection: "close" }).end(piece + end);
    await record();
    const { attempts } = await record();
    assert.deepEqual(attempts[0]?.connection, { isReused: false });
    assert.ok((attempts[0].connectedMs ?? NaN) <= (attempts[0].sentMs ?? NaN));
  });

  it("contains every attempt with its wait and its reason", async () => {
    let count = 0;
    listener = (_, response) => {
      if (++count < 3) response.writeHead(503).end("busy");
      else response.writeHead(200, head).end(piece + end);
    };
    const { attempts, outcome } = await record();
    assert.deepEqual(
      attempts.map(({ response, failure }) => [response?.statusCode, failure?.error.reason, failure?.waitMs]),
      [
        [503, "unavailable", 0],
        [503, "unavailable", 0],
        [200, undefined, undefined],
      ],
    );
    assert.equal(outcome, "complete");
  });

  it("contains the request that was retried without stream_options", async () => {
    listener = async (request, response) => {
      if ((await readRequestBody(request)).includes("stream_options"))
        response.writeHead(400).end('{"error":{"message":"unknown field stream_options"}}');
      else response.writeHead(200, head).end(piece + end);
    };
    const { attempts } = await record();
    assert.deepEqual(
      attempts.map(({ request }) => request.body.includes("stream_options")),
      [true, false],
    );
  });

  it("ends as stopped when the user stops, and as failed if there is no further attempt", async () => {
    listener = (_, response) => response.writeHead(200, head).write(piece);
    assert.equal((await record({}, question, 1)).outcome, "stopped");
    listener = (_, response) => response.writeHead(401).end("no");
    const { outcome, attempts } = await record();
    assert.deepEqual([outcome, attempts.length, attempts[0]?.failure?.error.reason], ["failed", 1, "apiKey"]);
  });

  it("explains why nothing was sent", async () => {
    const { attempts, error, outcome } = await record({ baseUrl: "no url" });
    assert.deepEqual([attempts, error?.reason, outcome], [[], "configuration", "failed"]);
  });

  it("contains no secret in any form, in its document or its code", async () => {
    const key = "sk-CANARY-key-4711/+ä";
    const canaries = [
      key,
      "CANARY-header-0815-abcdef",
      "Y2FuYXJ5LWNhbmFyeS1jYW5hcnk9",
      "CANARYcookie12345",
      "CANARYquery98765",
      "canaryUser",
      "canaryPassword77",
    ];
    const [, header = "", unknown = "", cookie = "", query = "", user = "", password = ""] = canaries;
    listener = (_, response) => {
      response.writeHead(200, {
        ...head,
        "set-cookie": `session=${cookie}`,
        "x-echo": `you sent ${key} and ${header} and ${unknown}`,
        "x-request-id": `r-${key}`,
      });
      response.end(piece + end);
    };
    const exchange = await record(
      {
        readApiKey: async () => key,
        baseUrl: `${server.url.replace("//", `//${user}:${password}@`)}/v1?api-key=${query}&api-version=2024-10-21`,
        headers: { "X-Api-Token": header, "X-Whatever": unknown, Cookie: cookie, "X-Org": "lab" },
      },
      { ...question, messages: [{ role: "user", content: `My key is ${key}.` }] },
    );
    const languages: readonly CodeLanguage[] = ["curl", "python", "javascript"];
    const texts = exchange.attempts.flatMap(({ request }) =>
      languages.map((language) => requestCode(request, language)),
    );
    const all = [JSON.stringify(exchange), exchangeDocument([exchange]), ...texts].join("\n");
    for (const canary of canaries)
      for (const form of secretForms(canary)) assert.ok(!all.includes(form), `${canary} as ${form}`);
    assert.match(all, /api-version=2024-10-21/);
    assert.match(all, /"x-org": ?"lab"/);
  });
});
