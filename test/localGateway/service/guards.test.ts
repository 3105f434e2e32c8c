import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { createRequestRecord } from "../../support/requestRecord.ts";
import type { RequestRecord } from "../../support/requestRecord.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";

describe("The local gateway as an HTTP server", () => {
  let gateway: RunningLocalGateway;
  let onRequest: (record: RequestRecord) => void = () => undefined;

  before(async () => {
    gateway = await startLocalGateway({
      port: 0,
      onRequest: (...call) => onRequest(createRequestRecord(...call)),
    });
  });
  after(() => gateway.stop());

  const askAs = (host: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const outgoing = request(`${gateway.gatewayUrl}/healthz`, { headers: { host }, agent: false });
      outgoing.once("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      outgoing.once("error", reject).end();
    });
  async function call(
    path: string,
    init: RequestInit = {},
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly error: unknown }> {
    const authorization = { authorization: `Bearer ${gateway.credentials.apiKey}` };
    const headers = { ...authorization, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(`${gateway.gatewayUrl}${path}`, { ...init, headers });
    const body: unknown = await response.json();
    const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : undefined;
    return { status: response.status, headers: response.headers, error };
  }
  const json = { "content-type": "application/json" };
  const codeOf = ({ error }: { readonly error: unknown }): unknown => isRecord(error) && error["code"];

  it("accepts the names of this machine", async () => {
    for (const host of ["127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:80"])
      assert.equal(await askAs(host), 200);
  });
  it("rejects every other host name, as in DNS rebinding", async () => {
    for (const host of [
      "example.com",
      "localhost.example.com",
      "127.0.0.1.example.com:80",
      "10.0.0.1",
      "0.0.0.0",
    ]) {
      assert.equal(await askAs(host), 403, host);
    }
  });
  it("doesn't allow web pages to read its responses", async () => {
    const { headers } = await call("/v1/models", { headers: { origin: "https://example.com" } });
    assert.deepEqual([...headers.keys()].filter((name) => name.startsWith("access-control-")), []); // prettier-ignore
  });
  it("gives every request an ID", async () => {
    for (const path of ["/healthz", "/v1/models", "/gpu/api/v1/servers", "/nothing"]) {
      assert.match((await call(path)).headers.get("x-request-id") ?? "", /^req-/);
    }
  });
  it("responds with 404 and 405 in JSON", async () => {
    assert.equal((await call("/nothing")).status, 404);
    assert.equal((await call("/v1/rerank", { method: "POST", headers: json, body: "{}" })).status, 404);
    assert.equal((await call("/gpu/api/v1/nothing")).status, 404);
    const wrong = await call("/v1/chat/completions");
    assert.equal(wrong.status, 405);
    assert.equal(wrong.headers.get("allow"), "POST");
    assert.equal((await call("/gpu/api/v1/servers", { method: "POST" })).headers.get("allow"), "GET");
  });
  it("requires the specified content type", async () => {
    const answer = await call("/v1/chat/completions", { method: "POST", body: "{}" });
    assert.equal(answer.status, 415);
  });
  it("refuses a body of more than 64 MB after it has been sent", async () => {
    const body = Buffer.alloc(65 * 1024 * 1024, " ");
    assert.equal((await call("/v1/chat/completions", { method: "POST", headers: json, body })).status, 413);
  });

  const model = "demo-lab/echo-omni";
  const user = { role: "user", content: "Hi" };
  const bodies: readonly (readonly [unknown, string])[] = [
    [[], "invalid_json"],
    [{}, "invalid_value"],
    [{ model: 1, messages: [user] }, "invalid_value"],
    [{ model }, "invalid_value"],
    [{ model, messages: [] }, "invalid_value"],
    [{ model, messages: "Hi" }, "invalid_value"],
    [{ model, messages: [{ content: "Hi" }] }, "invalid_value"],
    [{ model, messages: [{ role: "robot", content: "Hi" }] }, "invalid_value"],
    [{ model, messages: [{ role: "user" }] }, "invalid_value"],
    [{ model, messages: [{ role: "user", content: [{ type: "smell" }] }] }, "invalid_value"],
    [{ model, messages: [user], stream: "yes" }, "invalid_value"],
    [{ model, messages: [user], max_tokens: 0 }, "invalid_value"],
    [{ model, messages: [user], max_tokens: 1.5 }, "invalid_value"],
    [{ model, messages: [user], n: 2 }, "invalid_value"],
    [{ model, messages: [user], stream_options: { include_usage: true } }, "invalid_value"],
    [{ model, messages: [user], tool_choice: "required" }, "invalid_value"],
    [{ model, messages: [user], response_format: { type: "xml" } }, "invalid_value"],
  ];
  for (const [body, code] of bodies) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      const text = JSON.stringify(body);
      const answer = await call("/v1/chat/completions", { method: "POST", headers: json, body: text });
      assert.equal(answer.status, 400);
      assert.equal(codeOf(answer), code);
    });
  }
  it("requires the key as a bearer token", async () => {
    const { apiKey } = gateway.credentials;
    for (const authorization of ["", apiKey, `Basic ${apiKey}`, `Bearer ${apiKey}x`, "Bearer "]) {
      assert.equal((await call("/v1/models", { headers: { authorization } })).status, 401, authorization);
    }
  });

  it("reports where credentials were sent, but not their values", async () => {
    const recorded = new Promise<RequestRecord>((resolve) => (onRequest = resolve));
    const { stsToken } = gateway.credentials;
    await call("/gpu/api/v1/servers?token=secret1&signature=secret2&x=secret3", {
      headers: { cookie: `STS-Token=${stsToken}; other=secret4`, "x-auth-type": "AK" },
    });
    const record = await recorded;
    assert.deepEqual(record.carriers, [
      "header authorization",
      "header x-auth-type",
      "query token",
      "query signature",
      "cookie STS-Token",
    ]);
    const text = JSON.stringify(record);
    for (const secret of ["secret1", "secret2", "secret3", "secret4", stsToken, gateway.credentials.apiKey]) {
      assert.ok(!text.includes(secret));
    }
  });
  it("reuses a connection, and closes all of them when it stops", async () => {
    const other = await startLocalGateway({ port: 0 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<Socket>();
    for (let turn = 0; turn < 5; turn++) {
      const outgoing = request(`${other.gatewayUrl}/healthz`, { agent }).end();
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      sockets.add(response.socket);
      await once(response.resume(), "end");
    }
    const [socket] = sockets;
    assert.ok(socket !== undefined && sockets.size === 1);
    const closed = once(socket, "close");
    await other.stop();
    await closed;
    agent.destroy();
    await assert.rejects(fetch(`${other.gatewayUrl}/healthz`));
  });
  it("reports that a port is taken", () =>
    assert.rejects(startLocalGateway({ port: gateway.port }), /is in use/));
  it("generates credentials that can't be guessed from the response seed", async () => {
    const other = await startLocalGateway({ port: 0, seed: 1 });
    const another = await startLocalGateway({ port: 0, seed: 1 });
    await Promise.all([other.stop(), another.stop()]);
    for (const [name, secret] of Object.entries(other.credentials)) {
      assert.ok(!Object.values(another.credentials).includes(secret), name);
    }
  });
});
