import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { createAuthority } from "../../support/certificates.ts";
import { failureOf, get, Harness, post, readText } from "./transportHarness.ts";

describe("Connection failures", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  async function rawServer(onData: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => onData(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    harness.onClose(() => new Promise((resolve) => server.close(() => resolve())));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function closedPort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  it("name an unknown host", async () => {
    const request = get("https://gpu.invalid/v1/models?token=canary");
    const error = await failureOf(harness.transport().request(request));
    assert.equal(error.reason, "unreachable");
    assert.match(error.message, /gpu\.invalid (not found|could not be looked up)/);
    assert.match(error.message, /GET https:\/\/gpu\.invalid\/v1\/models\?token\)/);
  });

  it("name a port without a listener", async () => {
    const port = await closedPort();
    for (const host of ["127.0.0.1", "localhost"]) {
      const error = await failureOf(harness.transport().request(get(`http://${host}:${port}/`)));
      assert.equal(error.reason, "unreachable");
      assert.match(error.message, /refused the connection/);
    }
  });

  it("report a connection that breaks before the response", async () => {
    const url = await rawServer((socket) => socket.resetAndDestroy());
    const error = await failureOf(harness.transport().request(post(url, "{}")));
    assert.equal(error.reason, "unreachable");
    assert.match(error.message, /closed the connection/);
  });

  it("report a connection that breaks during the response, and keep what was received", async () => {
    const server = await harness.server((request, response) => {
      response.write("kept", () => request.socket.resetAndDestroy());
    });
    const response = await harness.transport().request(get(server.url));
    let kept = "";
    const reading = (async () => {
      for await (const chunk of response.body as AsyncIterable<Uint8Array>)
        kept += Buffer.from(chunk).toString();
    })();
    assert.equal((await failureOf(reading)).reason, "unreachable");
    assert.ok("kept".startsWith(kept));
  });

  it("report a response that is shorter than announced", async () => {
    const url = await rawServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"));
    const response = await harness.transport().request(get(url));
    assert.equal((await failureOf(readText(response))).reason, "unreachable");
  });

  it("report a server that doesn't speak HTTP", async () => {
    const url = await rawServer((socket) => socket.end("220 mail.example ESMTP\r\n"));
    const error = await failureOf(harness.transport().request(get(url)));
    assert.equal(error.reason, "malformed");
  });

  it("report a plain HTTP server at an https address", async () => {
    const server = await harness.server((_, response) => response.end());
    const request = get(server.url.replace("http:", "https:"));
    const error = await failureOf(harness.transport().request(request));
    assert.deepEqual([error.reason, error.facts.scheme], ["wrongScheme", "http"]);
    assert.match(error.message, /doesn't use TLS on this port.*Use http/);
  });

  it("report an https server at an http address, whatever it does with the request", async () => {
    const certificate = createAuthority("Somebody").issue(["127.0.0.1"]);
    const closing = await harness.server((_, response) => response.end(), certificate);
    const request = get(closing.url.replace("https:", "http:"));
    const error = await failureOf(harness.transport().request(request));
    assert.deepEqual([error.reason, error.facts.scheme], ["wrongScheme", "https"]);
    assert.match(error.message, /uses TLS on this port.*Use https/);
    assert.equal(closing.urls.length, 0);
  });

  it("don't mistake a server that only closes the connection or sends garbage for an https server", async () => {
    for (const words of ["", "\u0015\u0003\u0001", "SSH-2.0-OpenSSH_9.6\r\n"]) {
      const url = await rawServer((socket) => socket.end(words));
      const error = await failureOf(harness.transport().request(get(url)));
      assert.notEqual(error.reason, "wrongScheme", words);
    }
  });

  it("report a header that can't be sent", async () => {
    const server = await harness.server((_, response) => response.end());
    const headers = { "x-organization": "canary\r\nx-evil: 1" };
    const error = await failureOf(harness.transport().request(get(server.url, { headers })));
    assert.equal(error.reason, "configuration");
    assert.equal(server.urls.length, 0);
  });

  it("never contain a header, a body or a query value", async () => {
    const canaries = ["canary-header", "canary-body", "canary-query"];
    const url = await rawServer((socket) => socket.resetAndDestroy());
    const cases = [url, "https://gpu.invalid", `http://127.0.0.1:${await closedPort()}`];
    for (const base of cases) {
      const request = post(`${base}/x?token=canary-query`, "canary-body", {
        headers: { authorization: "Bearer canary-header" },
      });
      const error = await failureOf(harness.transport().request(request));
      const shown = [
        error.message,
        error.stack,
        JSON.stringify(error),
        JSON.stringify(error.facts),
        inspectAll(error),
      ];
      for (const canary of canaries) assert.ok(!shown.join("\n").includes(canary), `${canary} in ${base}`);
    }
  });
});

function inspectAll(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? "";
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)));
  return [...own, error.cause === undefined ? "" : inspectAll(error.cause)].join("\n");
}
