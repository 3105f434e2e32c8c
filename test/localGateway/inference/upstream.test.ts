import assert from "node:assert/strict";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { findUpstreams } from "../../../src/localGateway/inference/findUpstreams.ts";
import { parseUpstream } from "../../../src/localGateway/inference/upstream.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";

describe("A model server used by the local gateway", () => {
  let gateway: RunningLocalGateway;
  let model: TestServer;
  let seen: { url: string | undefined; headers: IncomingHttpHeaders; body: string } | undefined;
  let answer: (response: ServerResponse) => void;

  before(async () => {
    model = await startServer(async (request, response) => {
      seen = { url: request.url, headers: request.headers, body: await readRequestBody(request) };
      answer(response);
    });
    gateway = await startLocalGateway({ port: 0, upstream: `${model.url}/v1/` });
  });
  after(async () => {
    await gateway.stop();
    await model.close();
  });

  function ask(body: string, signal?: AbortSignal): Promise<Response> {
    return fetch(`${gateway.inferenceBaseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.credentials.apiKey}`, "content-type": "application/json" },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  it("receives the body unchanged, without the key", async () => {
    answer = (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}");
    const body = '{ "model":"any:latest", "messages":[],"x":"ü" }';
    assert.equal(await (await ask(body)).text(), "{}");
    assert.equal(seen?.url, "/v1/chat/completions");
    assert.equal(seen.body, body);
    assert.ok(!JSON.stringify(seen.headers).includes(gateway.credentials.apiKey));
  });
  it("streams its response", async () => {
    const pieces: ServerResponse[] = [];
    answer = (response) => {
      pieces.push(response);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
    };
    const reader = (await ask("{}")).body?.getReader();
    const first = await reader?.read();
    assert.equal(Buffer.from(first?.value ?? []).toString(), "data: 1\n\n");
    pieces[0]?.end("data: 2\n\n");
    const second = await reader?.read();
    assert.equal(Buffer.from(second?.value ?? []).toString(), "data: 2\n\n");
  });
  it("is notified when the client disconnects", async () => {
    const stop = new AbortController();
    const closed = new Promise((resolve) => {
      answer = (response) => {
        response.once("close", resolve);
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      };
    });
    const reader = (await ask("{}", stop.signal)).body?.getReader();
    await reader?.read();
    stop.abort();
    await closed;
  });
  it("has its errors and Retry-After headers passed on", async () => {
    answer = (response) => response.writeHead(429, { "retry-after": "7" }).end("busy");
    const response = await ask("{}");
    assert.equal(response.status, 429);
    assert.equal(response.headers.get("retry-after"), "7");
    assert.equal(await response.text(), "busy");
  });
  it("cuts off the client's response when it cuts off its own", async () => {
    answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n", () => response.destroy());
    };
    await assert.rejects(async () => (await ask("{}")).text());
  });
  it("can't redirect the gateway elsewhere", async () => {
    answer = (response) => response.writeHead(302, { location: "http://127.0.0.1:9/" }).end();
    assert.equal((await ask("{}")).status, 502);
  });
  it("provides its model list", async () => {
    answer = (response) => response.end('{"data":[{"id":"any:latest"}]}');
    const headers = { authorization: `Bearer ${gateway.credentials.apiKey}` };
    const response = await fetch(`${gateway.inferenceBaseUrl}/models`, { headers });
    assert.match(await response.text(), /any:latest/);
    assert.equal(seen?.url, "/v1/models");
  });
  it("is named in the error if it doesn't respond", async () => {
    const gone = await startServer(() => undefined);
    await gone.close();
    const other = await startLocalGateway({ port: 0, upstream: `${gone.url}/v1` });
    const headers = { authorization: `Bearer ${other.credentials.apiKey}` };
    const response = await fetch(`${other.inferenceBaseUrl}/models`, { headers });
    await other.stop();
    assert.equal(response.status, 502);
    assert.match(await response.text(), /Is it running\?/);
  });
  it("must run on this machine", () => {
    for (const url of ["https://example.com/v1", "http://10.0.0.1/v1", "http://localhost.example.com/v1"]) {
      assert.throws(() => parseUpstream(url, false), /isn't on this machine/);
      assert.equal(parseUpstream(url, true).href, url);
    }
    assert.throws(() => parseUpstream("file:///etc/passwd", true), /isn't an HTTP URL/);
  });
});

describe("Looking for model servers", () => {
  const portOf = ({ url }: TestServer): number => Number(new URL(url).port);

  it("finds only those that list models", async () => {
    const good = await startServer((_, response) => response.end('{"data":[{"id":"a"},{"id":"b"},{}]}'));
    const other = await startServer((_, response) => response.end("<html>"));
    const locked = await startServer((_, response) => response.writeHead(401).end("{}"));
    const gone = await startServer(() => undefined);
    await gone.close();
    const servers = { good, other, locked, gone };
    const candidates = Object.entries(servers).map(([name, server]) => ({ name, port: portOf(server) }));
    const found = await findUpstreams(candidates);
    await Promise.all([good.close(), other.close(), locked.close()]);
    assert.deepEqual(found, [{ name: "good", url: `${good.url}/v1`, models: ["a", "b"] }]);
  });
  it("doesn't wait for one that never responds", async () => {
    const silent = await startServer(() => undefined);
    const found = findUpstreams([{ name: "silent", port: portOf(silent) }]);
    assert.deepEqual(await found, []);
    await silent.close();
  });
});
