import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setImmediate as nextLoop, setTimeout as sleep } from "node:timers/promises";
import { failureOf, get, Harness, post, readText } from "./transportHarness.ts";

describe("The undici transport", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  it("sends method, path, query, headers and body unchanged", async () => {
    const seen: unknown[] = [];
    const server = await harness.server((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => {
        seen.push(request.method, request.url, request.headers["content-type"], body);
        response.writeHead(201, { "x-answer": ["a", "b"] }).end("done");
      });
    });
    const response = await harness.transport().request(post(`${server.url}/v1/x?a=%20b`, '{"é":1}'));
    assert.equal(await readText(response), "done");
    assert.equal(response.statusCode, 201);
    assert.equal(response.headers["x-answer"], "a, b");
    assert.deepEqual(seen, ["POST", "/v1/x?a=%20b", "application/json", '{"é":1}']);
  });

  it("sends its user agent and requests no compression", async () => {
    const server = await harness.server((request, response) =>
      response.end(`${request.headers["user-agent"]} ${request.headers["accept-encoding"]}`),
    );
    const response = await harness.transport().request(get(server.url));
    assert.equal(await readText(response), "inference-gateway-test identity");
  });

  it("reports when the request was sent and the response arrived, by the given clock", async () => {
    const server = await harness.server((_, response) => response.end());
    let now = 1_000;
    const response = await harness.transport({}, { now: () => (now += 10) }).request(get(server.url));
    assert.deepEqual([response.sentAt, response.receivedAt], [1_010, 1_020]);
  });

  it("shares no connection between profiles, or with an earlier credential generation", async () => {
    const server = await harness.server((_, response) => response.end("x"));
    const transport = harness.transport();
    const ask = async (profileName: string, generation: number): Promise<void> => {
      const owner = { profileName, generation };
      await readText(await transport.request(get(server.url, { owner })));
      await nextLoop();
    };
    await ask("A", 0);
    await ask("A", 0);
    assert.equal(server.sockets.length, 1);
    await ask("B", 0);
    assert.equal(server.sockets.length, 2);
    await ask("A", 1);
    assert.equal(server.sockets.length, 3);
    await server.socketClosed(0);
    await ask("B", 0);
    assert.equal(server.sockets.length, 3);
  });

  it("lets a response of an earlier generation finish", async () => {
    let finish = (): void => undefined;
    const server = await harness.server((request, response) => {
      if (request.url !== "/slow") return void response.end("quick");
      response.write("begun ");
      finish = () => response.end("ended");
    });
    const transport = harness.transport();
    const owner = { profileName: "A", generation: 0 };
    const slow = await transport.request(get(`${server.url}/slow`, { owner }));
    await readText(await transport.request(get(server.url, { owner: { ...owner, generation: 1 } })));
    finish();
    assert.equal(await readText(slow), "begun ended");
  });

  it("doesn't reuse a connection from before a long sleep", async () => {
    const server = await harness.server((_, response) => void response.end("{}"));
    let now = Date.now();
    const transport = harness.transport({}, { now: () => now });
    const ask = async (): Promise<void> => {
      await readText(await transport.request(get(server.url)));
      await nextLoop();
    };
    await ask();
    now += 8 * 3_600_000;
    await ask();
    await ask();
    assert.equal(server.sockets.length, 2);
  });

  it("reuses one connection for several turns", async () => {
    const server = await harness.server((_, response) => response.end("x"));
    const transport = harness.transport();
    for (let turn = 0; turn < 4; turn++) {
      await readText(await transport.request(post(server.url, "{}")));
      await nextLoop();
    }
    assert.equal(server.sockets.length, 1);
  });

  it("runs any number of simultaneous streams to one origin", async () => {
    const server = await harness.server((_, response) => response.write("x"));
    const transport = harness.transport();
    const requests = Array.from({ length: 20 }, () => transport.request(get(server.url)));
    const responses = await Promise.all(requests);
    assert.equal(server.sockets.length, 20);
    for (const { body } of responses) body.destroy();
  });

  it("opens a new connection after the server has closed the idle one", async () => {
    const server = await harness.server((_, response) => response.end("x"));
    const transport = harness.transport();
    await readText(await transport.request(get(server.url)));
    server.sockets[0]?.end();
    await server.socketClosed();
    assert.equal(await readText(await transport.request(get(server.url))), "x");
    assert.equal(server.sockets.length, 2);
  });

  it("reports a reused connection that breaks before the response as unreachable", async () => {
    let count = 0;
    const server = await harness.server((request, response) => {
      if (count++ === 0) response.end("x");
      else request.socket.destroy();
    });
    const transport = harness.transport();
    await readText(await transport.request(get(server.url)));
    const error = await failureOf(transport.request(post(server.url, "{}")));
    assert.equal(error.reason, "unreachable");
  });

  it("yields the body as it arrives", async () => {
    let finish = (): void => undefined;
    const server = await harness.server((_, response) => {
      response.write("first");
      finish = () => void response.end("second");
    });
    const response = await harness.transport().request(get(server.url));
    const [chunk] = (await once(response.body, "data")) as [Buffer];
    assert.equal(chunk.toString(), "first");
    finish();
    assert.equal(await readText(response), "second");
  });

  it("passes on the HTTP chunks of one read together, however many there are, and everything received before a failure", async () => {
    const server = await harness.server((_, response) => {
      response.socket?.cork();
      for (let index = 0; index < 1_000; index++) response.write(`${index};`);
      response.socket?.uncork();
      setTimeout(() => {
        response.write("last", () => response.destroy());
      }, 20);
    });
    const response = await harness.transport().request(get(server.url));
    const chunks: string[] = [];
    response.body.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
    await new Promise((resolve) => response.body.once("close", resolve));
    assert.equal(chunks.join(""), `${Array.from({ length: 1_000 }, (_, index) => `${index};`).join("")}last`);
    assert.ok(chunks.length < 50, `${chunks.length} chunks`);
  });

  it("passes on long and short HTTP chunks in their order, to a fast and to a slow reader", async () => {
    const lengths = [1, 20_000, 5, 5, 9_000, 8_191, 30_000, 2, 70_000, 3];
    const chunks = Array.from({ length: 100 }, (_, index) =>
      `${index},`.padEnd(lengths[index % lengths.length] ?? 0, "x"),
    );
    const server = await harness.server((_, response) => {
      response.socket?.cork();
      for (const chunk of chunks) response.write(chunk);
      response.socket?.uncork();
      response.end();
    });
    const transport = harness.transport();
    assert.equal(await readText(await transport.request(get(server.url))), chunks.join(""));
    const { body } = await transport.request(get(server.url));
    let text = "";
    for await (const piece of body as AsyncIterable<Buffer>) {
      text += piece.toString();
      await nextLoop();
    }
    assert.equal(text, chunks.join(""));
  });

  it("lets a slow reader pause the server, however long it pauses", async () => {
    const megabytes = 32;
    const server = await harness.server((_, response) => response.end(Buffer.alloc(megabytes * 1024 * 1024)));
    const response = await harness.transport().request(get(server.url, { timeoutMs: 300 }));
    while (response.body.readableLength < response.body.readableHighWaterMark) await nextLoop();
    await sleep(900);
    let length = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) length += chunk.byteLength;
    assert.equal(length, megabytes * 1024 * 1024);
  });
});

describe("The undici transport: stop", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  it("closes the socket in the middle of the body and rejects with the signal's reason", async () => {
    const server = await harness.server((_, response) => response.write("x"));
    const controller = new AbortController();
    const response = await harness.transport().request(get(server.url, { signal: controller.signal }));
    const reason = new Error("stopped by the user");
    const failed = assert.rejects(readText(response), reason);
    controller.abort(reason);
    await failed;
    await server.socketClosed();
  });

  it("closes the socket while the server is processing", async () => {
    const controller = new AbortController();
    const reason = new Error("stopped by the user");
    const server = await harness.server(() => controller.abort(reason));
    await assert.rejects(
      harness.transport().request(post(server.url, "{}", { signal: controller.signal })),
      reason,
    );
    await server.socketClosed();
  });

  it("closes the socket while connecting", async () => {
    const controller = new AbortController();
    // Accepts connections but never starts TLS.
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      closed = once(socket, "close");
      socket.once("data", () => controller.abort(new Error("stopped")));
    });
    let closed: Promise<unknown> = Promise.resolve();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    harness.onClose(() => new Promise((resolve) => server.close(() => resolve())));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await assert.rejects(harness.transport().request(get(url, { signal: controller.signal })), /stopped/);
    await closed;
  });

  it("sends nothing if it was already stopped", async () => {
    const server = await harness.server((_, response) => response.end());
    await assert.rejects(harness.transport().request(get(server.url, { signal: AbortSignal.abort() })));
    assert.equal(server.sockets.length, 0);
  });

  it("closes the socket when the reader destroys the body", async () => {
    const server = await harness.server((_, response) => response.write("x"));
    const response = await harness.transport().request(get(server.url));
    response.body.destroy();
    await server.socketClosed();
  });

  it("doesn't affect other streams", async () => {
    const answers: (() => void)[] = [];
    const server = await harness.server((_, response) => {
      response.write("x");
      answers.push(() => void response.end("y"));
    });
    const transport = harness.transport();
    const controller = new AbortController();
    const stopped = await transport.request(get(server.url, { signal: controller.signal }));
    const other = await transport.request(get(server.url));
    controller.abort();
    await assert.rejects(readText(stopped));
    for (const answer of answers) answer();
    assert.equal(await readText(other), "xy");
  });

  it("closes every connection on close", async () => {
    const server = await harness.server((_, response) => response.end());
    const transport = harness.transport();
    await readText(await transport.request(get(server.url)));
    await transport.close();
    await server.socketClosed();
  });
});

describe("The undici transport: timeout", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  it("gives up on a server that doesn't respond, naming the setting and the time", async () => {
    const server = await harness.server(() => undefined);
    const error = await failureOf(harness.transport().request(get(`${server.url}/v1`, { timeoutMs: 200 })));
    assert.equal(error.reason, "timeout");
    assert.match(error.message, /didn't respond within 0\.2 s.*inferenceGateway\.requestTimeout/);
    assert.match(error.message, /GET http:\/\/127\.0\.0\.1:\d+\/v1/);
    await server.socketClosed();
  });

  it("gives up on a server that stops in the middle of the response", async () => {
    const server = await harness.server((_, response) => response.write("x"));
    const response = await harness.transport().request(get(server.url, { timeoutMs: 200 }));
    await once(response.body, "readable");
    const error = await failureOf(readText(response));
    assert.equal(error.reason, "timeout");
    assert.match(error.message, /stopped responding mid-stream/);
    await server.socketClosed();
  });

  it("distinguishes a failed connection from a missing response", async () => {
    const server = createServer((socket) => void socket.on("error", () => undefined).resume());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    harness.onClose(() => new Promise((resolve) => server.close(() => resolve())));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const error = await failureOf(harness.transport().request(get(url, { timeoutMs: 200 })));
    assert.deepEqual([error.reason, error.facts.code], ["timeout", "UND_ERR_CONNECT_TIMEOUT"]);
  });

  it("lets a stream last much longer than the timeout as long as data arrives", async () => {
    const server = await harness.server(async (_, response) => {
      for (let count = 0; count < 12; count++) {
        response.write("x");
        await sleep(100);
      }
      response.end();
    });
    const response = await harness.transport().request(get(server.url, { timeoutMs: 600 }));
    assert.equal(await readText(response), "x".repeat(12));
  });
});
