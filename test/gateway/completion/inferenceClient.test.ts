import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import type {
  CompletionEvent,
  CompletionRequest,
  RetryNotice,
} from "../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type {
  InferenceClient,
  InferenceClientOptions,
} from "../../../src/gateway/completion/inferenceClient.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";

const question: CompletionRequest = {
  model: "organization/model",
  messages: [{ role: "user", content: "Hi" }],
  stream: true,
};
const head = { "content-type": "text/event-stream" };
const piece = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
const end = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

function answer(response: ServerResponse): void {
  response.writeHead(200, head).end(piece + end);
}

async function readAll(events: AsyncIterable<CompletionEvent>): Promise<CompletionEvent[]> {
  const all: CompletionEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function isReason(reason: string): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.reason === reason;
}

describe("The inference client", () => {
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

  function createClient(options: Partial<InferenceClientOptions> = {}): InferenceClient {
    return createTestClient(server.url, { transport, ...options });
  }

  it("sends the request as the interface specifies", async () => {
    let seen:
      { readonly url: string | undefined; readonly headers: object; readonly body: string } | undefined;
    listener = async (request, response) => {
      seen = { url: request.url, headers: request.headers, body: await readRequestBody(request) };
      answer(response);
    };
    const request: CompletionRequest = {
      ...question,
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
            { type: "audio", format: "wav", data: "UklGRi4uLi5XQVZF" },
          ],
        },
        { role: "assistant", content: "", toolCalls: [{ id: "1", name: "f", arguments: "{}" }] },
        { role: "tool", content: "42", toolCallId: "1" },
      ],
      maxTokens: 7,
      parameters: { temperature: 0 },
    };
    const client = createClient({
      baseUrl: `${server.url}/v1/`,
      headers: { "X-Org": "o", Authorization: "no" },
    });
    await readAll(client.complete(request, {}).events);
    const { authorization, accept, ...headers } = Object.fromEntries(Object.entries(seen?.headers ?? {}));
    assert.equal(seen?.url, "/v1/chat/completions");
    assert.equal(authorization, "Bearer the-key");
    assert.equal(accept, "text/event-stream, application/json");
    assert.equal(headers["accept-encoding"], "identity");
    assert.equal(headers["user-agent"], "inference-gateway/test");
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["x-org"], "o");
    assert.deepEqual(JSON.parse(seen?.body ?? ""), {
      model: "organization/model",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 7,
      temperature: 0,
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            { type: "input_audio", input_audio: { data: "UklGRi4uLi5XQVZF", format: "wav" } },
          ],
        },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
        },
        { role: "tool", content: "42", tool_call_id: "1" },
      ],
    });
  });

  it("reads a non-streaming response", async () => {
    listener = async (request, response) => {
      const body: unknown = JSON.parse(await readRequestBody(request));
      assert.ok(!JSON.stringify(body).includes("stream_options"));
      response.writeHead(200, { "content-type": "application/json", "x-request-id": "req-1" });
      response.end('{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}');
    };
    const ids: (string | undefined)[] = [];
    const run = createClient().complete(
      { ...question, stream: false },
      { onResponse: ({ requestId }) => ids.push(requestId) },
    );
    assert.deepEqual(await readAll(run.events), [
      { type: "text", text: "a" },
      { type: "finish", reason: "stop" },
    ]);
    assert.deepEqual(ids, ["req-1"]);
  });

  it("retries without stream_options if a strict server rejects it, and remembers that", async () => {
    const bodies: string[] = [];
    listener = async (request, response) => {
      const body = await readRequestBody(request);
      bodies.push(body);
      if (!body.includes("stream_options")) return answer(response);
      response.writeHead(422, { "content-type": "application/json" });
      response.end('{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}');
    };
    const client = createClient();
    assert.equal((await readAll(client.complete(question, {}).events)).length, 2);
    assert.equal((await readAll(client.complete(question, {}).events)).length, 2);
    assert.deepEqual(
      bodies.map((body) => body.includes("stream_options")),
      [true, false, false],
    );
  });

  it("reuses one connection for several turns", async () => {
    listener = (request, response) => {
      request.resume();
      answer(response);
    };
    const client = createClient();
    await readAll(client.complete(question, {}).events);
    const before = server.socketCount;
    for (let turn = 0; turn < 5; turn++) await readAll(client.complete(question, {}).events);
    assert.equal(server.socketCount, before);
  });

  it("sends nothing without a key, except to this machine", async () => {
    listener = (request, response) => {
      assert.equal(request.headers.authorization, undefined);
      request.resume();
      answer(response);
    };
    const readApiKey = async (): Promise<undefined> => undefined;
    assert.equal((await readAll(createClient({ readApiKey }).complete(question, {}).events)).length, 2);
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const elsewhere = createClient({ readApiKey, log, baseUrl: "https://service.example/v1" });
    await assert.rejects(readAll(elsewhere.complete(question, {}).events), isReason("missingCredential"));
    assert.deepEqual(lines, []);
  });

  it("sends a request without a key if the profile doesn't require one", async () => {
    const open = {
      readApiKey: async () => undefined,
      isKeyOptional: true,
      baseUrl: "https://nobody.invalid/v1",
    };
    const client = createClient({
      ...open,
      retryPolicy: () => ({ maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 0, maxServerWaitMs: 0 }),
    });
    await assert.rejects(readAll(client.complete(question, {}).events), isReason("unreachable"));
  });

  it("reports an invalid base URL", async () => {
    const client = createClient({ baseUrl: "service.example/v1" });
    await assert.rejects(readAll(client.complete(question, {}).events), isReason("configuration"));
  });

  it("closes the socket immediately on stop, and ends without an error", async () => {
    let closed: Promise<unknown> | undefined;
    listener = (request, response) => {
      request.resume();
      closed = once(response, "close");
      response.writeHead(200, head).write(piece);
    };
    const run = createClient().complete(question, {});
    const events: CompletionEvent[] = [];
    for await (const event of run.events) {
      events.push(event);
      run.stop();
    }
    await closed;
    assert.deepEqual(events, [{ type: "text", text: "a" }]);
  });

  it("closes the socket when the reader stops reading", async () => {
    let closed: Promise<unknown> | undefined;
    listener = (request, response) => {
      request.resume();
      closed = once(response, "close");
      response.writeHead(200, head).write(piece);
    };
    for await (const event of createClient().complete(question, {}).events) {
      assert.equal(event.type, "text");
      break;
    }
    await closed;
  });

  it("ends without an error if stopped before the first byte", async () => {
    const arrived = new Promise<ServerResponse>((resolve) => {
      listener = (request, response) => {
        request.resume();
        resolve(response);
      };
    });
    const run = createClient().complete(question, {});
    const events = readAll(run.events);
    const response = await arrived;
    run.stop();
    assert.deepEqual(await events, []);
    if (!response.closed) await once(response, "close");
  });

  it("reports the wait before a retry, which can be skipped", async () => {
    let count = 0;
    listener = (request, response) => {
      request.resume();
      count++;
      if (count < 3) response.writeHead(503, { "retry-after": "60" }).end();
      else answer(response);
    };
    const notices: RetryNotice[] = [];
    const run = createClient().complete(question, {
      onRetry(notice) {
        notices.push(notice);
        setImmediate(() => notice.retryNow());
      },
    });
    assert.equal((await readAll(run.events)).length, 2);
    assert.deepEqual(
      notices.map(({ attempt, waitMs, error }) => [attempt, waitMs, error.reason]),
      [
        [2, 60_000, "unavailable"],
        [3, 60_000, "unavailable"],
      ],
    );
  });

  it("ends the wait before a retry on stop", async () => {
    listener = (request, response) => {
      request.resume();
      response.writeHead(429, { "retry-after": "60" }).end();
    };
    const run = createClient().complete(question, { onRetry: () => setImmediate(() => run.stop()) });
    assert.deepEqual(await readAll(run.events), []);
  });

  it("retries if the connection breaks before the first event, and never after it", async () => {
    let count = 0;
    listener = (request, response) => {
      request.resume();
      count++;
      if (count === 1) return void request.socket.destroy();
      response.writeHead(200, head).write(piece, () => request.socket.destroy());
    };
    const events: CompletionEvent[] = [];
    const run = createClient().complete(question, {});
    await assert.rejects(async () => {
      for await (const event of run.events) events.push(event);
    }, isReason("truncated"));
    assert.deepEqual(events, [{ type: "text", text: "a" }]);
    assert.equal(count, 2);
  });

  it("retries if only usage and sources had arrived when the response failed, and keeps those of the last attempt", async () => {
    let count = 0;
    listener = (request, response) => {
      request.resume();
      count++;
      const aside = { usage: { prompt_tokens: count }, citations: [`https://example.com/${count}`] };
      const text = `data: ${JSON.stringify({ choices: [], ...aside })}\n\n`;
      response.writeHead(200, head).write(text, () => request.socket.destroy());
    };
    const events: CompletionEvent[] = [];
    const run = createClient().complete(question, {});
    await assert.rejects(async () => {
      for await (const event of run.events) events.push(event);
    }, isReason("unreachable"));
    assert.ok(count > 1);
    assert.equal(events.length, 2);
    const sources = events.flatMap((event) => (event.type === "sources" ? event.sources : []));
    assert.deepEqual(sources, [{ url: `https://example.com/${count}` }]);
    const usages = events.flatMap((event) => (event.type === "usage" ? event.usage.promptTokens : []));
    assert.deepEqual(usages, [count]);
  });

  it("treats a response as complete if the connection resets after the finish reason", async () => {
    listener = (request, response) => {
      request.resume();
      const text = `${piece}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n`;
      response.writeHead(200, head).write(text, () => request.socket.destroy());
    };
    const events = await readAll(createClient().complete(question, {}).events);
    assert.deepEqual(events.at(-1), { type: "finish", reason: "stop" });
  });

  it("pauses the socket while the reader lags behind, and loses nothing", async () => {
    const count = 50_000;
    listener = (request, response) => {
      request.resume();
      response.writeHead(200, head).end(piece.repeat(count) + end);
    };
    let texts = 0;
    for await (const event of createClient().complete(question, {}).events) {
      if (event.type === "text") texts++;
      if (texts % 5_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(texts, count);
  });

  it("lists the models", async () => {
    listener = (request, response) => {
      assert.equal(request.url, "/v1/models");
      assert.equal(request.headers.authorization, "Bearer the-key");
      response.end('{"data":[{"id":"organization/model"}]}');
    };
    const models = await createClient().listModels(new AbortController().signal);
    assert.deepEqual(models, [{ id: "organization/model" }]);
  });

  it("reports a broken connection if a model list is cut off", async () => {
    listener = (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"data":[', () => response.socket?.destroy());
    };
    const { signal } = new AbortController();
    await assert.rejects(createClient().listModels(signal), isReason("unreachable"));
  });

  it("distinguishes an invalid key from a malformed model list", async () => {
    const { signal } = new AbortController();
    listener = (_, response) => void response.writeHead(401).end();
    await assert.rejects(createClient().listModels(signal), isReason("apiKey"));
    listener = (_, response) => void response.end("<html><title>Welcome</title></html>");
    await assert.rejects(createClient().listModels(signal), isReason("malformed"));
  });

  it("redacts a key that the server repeats, in an error status or in the response", async () => {
    const echo = JSON.stringify({ error: { message: "No such key: the-key", code: "the-key" } });
    for (const statusCode of [401, 200]) {
      listener = (request, response) => {
        request.resume();
        response.writeHead(statusCode, { "x-request-id": "the-key" }).end(echo);
      };
      const error = await readAll(createClient().complete(question, {}).events).catch(
        (failure: unknown) => failure,
      );
      assert.ok(error instanceof ServiceError);
      assert.doesNotMatch(JSON.stringify(error.facts), /the-key/);
    }
  });

  it("logs exchanges without secrets", async () => {
    listener = (request, response) => {
      request.resume();
      answer(response);
    };
    const lines: string[] = [];
    await readAll(createClient({ log: (line) => lines.push(line) }).complete(question, {}).events);
    assert.match(lines.join("\n"), /POST http:.*\/v1\/chat\/completions returned 200/);
    assert.doesNotMatch(lines.join("\n"), /the-key/);
  });
});
