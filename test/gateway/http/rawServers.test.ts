import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { runWithRetries } from "../../../src/gateway/http/retry.ts";
import type { HttpRequest } from "../../../src/gateway/http/transport.ts";
import { Harness } from "./transportHarness.ts";

const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";

describe("Servers with unusual HTTP behavior", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  /**
   * Calls back with each request's socket, the number of connections, and the number of the request on this connection.
   */
  async function listen(
    onRequest: (socket: Socket, connections: number, requests: number) => void,
  ): Promise<{ readonly url: URL; connections(): number }> {
    let connections = 0;
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      connections++;
      const mine = connections;
      let requests = 0;
      socket.on("error", () => undefined);
      socket.on("data", (data) => {
        if (data.includes("\r\n\r\n")) onRequest(socket, mine, ++requests);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    harness.onClose(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    return { url: new URL(`http://127.0.0.1:${port}/`), connections: () => connections };
  }

  function post(url: URL): HttpRequest {
    return {
      method: "POST",
      url,
      headers: {},
      body: "{}",
      signal: new AbortController().signal,
      timeoutMs: 5_000,
      isAuthenticated: false,
      allowInsecureHttp: false,
    };
  }

  async function ask(transport: ReturnType<Harness["transport"]>, url: URL): Promise<string> {
    const { statusCode, body } = await transport.request(post(url));
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(Buffer.from(chunk));
    return `${statusCode} ${Buffer.concat(chunks).toString()}`;
  }

  const informational: readonly (readonly [string, string])[] = [
    ["102 Processing", "HTTP/1.1 102 Processing\r\n\r\n"],
    ["103 Early Hints", "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"],
  ];
  for (const [name, head] of informational) {
    it(`may send an unsolicited ${name} before the response, even on a reused connection`, async () => {
      const server = await listen((socket) => void socket.write(head + ok));
      const transport = harness.transport();
      for (let count = 0; count < 3; count++) assert.equal(await ask(transport, server.url), "200 ok");
      assert.equal(server.connections(), 1);
    });
  }

  for (const [name, close] of [
    ["ended", (socket: Socket) => void socket.end()],
    ["reset", (socket: Socket) => void socket.resetAndDestroy()],
  ] as const) {
    it(`may leave a reused connection ${name}, which is replaced immediately`, async () => {
      const server = await listen((socket, connections, requests) => {
        if (connections === 1 && requests === 2) close(socket);
        else socket.write(ok);
      });
      const transport = harness.transport();
      assert.equal(await ask(transport, server.url), "200 ok");
      assert.equal(await ask(transport, server.url), "200 ok");
      assert.equal(server.connections(), 2);
    });
  }

  it("may close the connection with the last byte of a response, after which it is replaced", async () => {
    const server = await listen((socket, connections) => {
      if (connections === 1) socket.end(ok);
      else socket.write(ok);
    });
    const transport = harness.transport();
    for (let count = 0; count < 3; count++) assert.equal(await ask(transport, server.url), "200 ok");
  });

  it("receive a request at most as often as it may be attempted, however many connections were idle", async () => {
    let isDown = false;
    let requests = 0;
    const server = await listen((socket) => {
      if (isDown) requests++;
      if (isDown) socket.end();
      else setTimeout(() => socket.write(ok), 50);
    });
    const transport = harness.transport();
    await Promise.all(Array.from({ length: 10 }, () => ask(transport, server.url)));
    isDown = true;
    const policy = { maxAttempts: 4, baseDelayMs: 1, maxDelayMs: 1, maxServerWaitMs: 1 };
    const { signal } = new AbortController();
    await assert.rejects(runWithRetries(() => ask(transport, server.url), { policy, signal }));
    assert.equal(requests, 4);
  });

  it("don't receive a request again that was lost on a new connection", async () => {
    let requests = 0;
    const server = await listen((socket) => {
      requests++;
      socket.end();
    });
    await assert.rejects(ask(harness.transport(), server.url));
    assert.equal(requests, 1);
  });
});
