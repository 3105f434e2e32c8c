import assert from "node:assert/strict";
import type { SignedRequestDraft } from "../../../src/core/servers/actions/signedRequest.ts";
import {
  answerOf,
  modelRequestOf,
  sendApiRequest,
  sentRequestOf,
} from "../../../src/gateway/completion/sendApiRequest.ts";
import { readRequestBody } from "../../support/httpServer.ts";
import { failureOf, Harness } from "../http/transportHarness.ts";

const apiKey = "canary-api-key-0001";

describe("Sending a request to the inference service", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  function send(baseUrl: string, draft: SignedRequestDraft, renewedKey?: string) {
    const options = {
      baseUrl,
      transport: harness.transport(),
      readApiKey: () => Promise.resolve(apiKey),
      renewApiKey: () => Promise.resolve(renewedKey),
      timeoutMs: () => 5_000,
      userAgent: "inference-gateway-test",
      allowInsecureHttp: false,
    };
    return sendApiRequest(options, draft, new AbortController().signal);
  }

  it("is described for inspection without its key and other credentials", () => {
    const draft: SignedRequestDraft = {
      base: "inference",
      method: "POST",
      path: "/embeddings",
      parameters: [
        ["a b", "c&d"],
        ["api_key", apiKey],
      ],
      body: '{"model":"m","input":"x"}',
    };
    const { url, headers, body } = sentRequestOf("https://a.example/v1/?team=1", draft);
    assert.equal(url, "https://a.example/v1/embeddings?team=1&a+b=c%26d&api_key=%5Bredacted%5D");
    assert.equal(headers["authorization"], "Bearer [redacted]");
    assert.equal(body, draft.body);
  });

  it("sends method, path, parameters and body below the base URL, with the API key", async () => {
    let seen = "";
    const server = await harness.server((request, response) => {
      void readRequestBody(request).then((body) => {
        seen = `${request.method} ${request.url} ${request.headers.authorization} ${body}`;
        response.setHeader("content-type", "application/json");
        response.end(`{"data":[{"embedding":[0.25]}],"echo":"${apiKey}"}`);
      });
    });
    const answer = await send(`${server.url}/v1/`, {
      base: "inference",
      method: "POST",
      path: "/embeddings",
      parameters: [["a b", "c&d"]],
      body: '{"input":"x"}',
    });
    assert.equal(seen, `POST /v1/embeddings?a+b=c%26d Bearer ${apiKey} {"input":"x"}`);
    assert.deepEqual([answer.statusCode, answer.contentType], [200, "application/json"]);
    assert.match(answer.text, /0\.25/);
    assert.equal(JSON.stringify(answer).includes(apiKey), false);
  });

  it("is recognized as one that a model charges for, with the tokens that the response reports", () => {
    const post = (value: unknown) => modelRequestOf({ method: "POST", body: JSON.stringify(value) });
    assert.equal(modelRequestOf({ method: "GET" }), undefined);
    assert.equal(post({ name: "x" }), undefined);
    assert.equal(post({ model: "m", region: "eu" }), undefined);
    assert.deepEqual(post({ model: "m", input: "x" }), {
      ...{ model: "m", input: '{"model":"m","input":"x"}', maxTokens: 0 },
    });
    assert.equal(post({ model: "m", messages: [], max_tokens: 7 })?.maxTokens, 7);
    const image = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    assert.ok((post({ model: "m", input: [image] })?.input.length ?? 0) < 5_000);
    const answer = (text: string, statusCode = 200) =>
      answerOf({ method: "POST", url: "", tookMs: 1, text, statusCode });
    assert.deepEqual(answer('{"usage":{"prompt_tokens":5,"total_tokens":5}}'), {
      isGood: true,
      usage: { promptTokens: 5, totalTokens: 5, completionTokens: 0 },
    });
    const stream =
      'data: {"choices":[]}\n\ndata: {"usage":{"prompt_tokens":2,"completion_tokens":3}}\n\ndata: [DONE]\n';
    assert.deepEqual(answer(stream).usage, { promptTokens: 2, completionTokens: 3 });
    assert.deepEqual(answer("no JSON", 500), { isGood: false });
  });

  it("shows any response, with a sentence about an error", async () => {
    const server = await harness.server((_, response) => {
      response.writeHead(401).end('{"error":{"message":"no"}}');
    });
    const answer = await send(`${server.url}/v1`, { method: "DELETE", path: "/files/1", parameters: [] });
    assert.deepEqual([answer.statusCode, answer.method], [401, "DELETE"]);
    assert.match(answer.problem ?? "", /rejected the API key/);
  });

  it("doesn't leave the connection of an endless refusal open after its key was renewed", async () => {
    let onClosed = (): void => undefined;
    const closed = new Promise<void>((resolve) => (onClosed = resolve));
    const server = await harness.server((request, response) => {
      if (request.headers.authorization !== `Bearer ${apiKey}`) return response.end("{}");
      response.on("close", () => onClosed());
      return response.writeHead(401).write("x".repeat(1_000_000));
    });
    const draft = { method: "GET", path: "/models", parameters: [] } as const;
    const answer = await send(`${server.url}/v1`, draft, "canary-api-key-0002");
    assert.equal(answer.statusCode, 200);
    await closed;
  });

  it("sends nothing outside the base URL", async () => {
    const server = await harness.server((_, response) => response.end());
    const failure = await failureOf(
      send(`${server.url}/v1`, { method: "GET", path: "/../admin", parameters: [] }),
    );
    assert.match(failure.message, /outside the profile's inference service/);
    assert.deepEqual(server.urls, []);
  });
});
