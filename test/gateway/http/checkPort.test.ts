import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { checkPort } from "../../../src/gateway/http/checkPort.ts";

const never = new AbortController().signal;

function listen(): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => undefined));
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function portOf(server: Server): number {
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

describe("The check of a port", () => {
  it("distinguishes an open port from a refused connection and an unknown host", async () => {
    const server = await listen();
    const port = portOf(server);
    assert.equal(await checkPort("127.0.0.1", port, 5_000, never), "open");
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await checkPort("127.0.0.1", port, 5_000, never), "refused");
    assert.equal(await checkPort("nobody.invalid", port, 5_000, never), "unknownName");
  });

  it("sends no data", async () => {
    const received: number[] = [];
    const server = await listen();
    const closed = new Promise<void>((resolve) => {
      server.on("connection", (socket) => {
        socket.on("data", (chunk) => received.push(chunk.length));
        socket.on("close", () => resolve());
      });
    });
    await checkPort("127.0.0.1", portOf(server), 5_000, never);
    await closed;
    server.close();
    assert.deepEqual(received, []);
  });

  it("ends when the user cancels", async () => {
    const abort = new AbortController();
    const canceled = checkPort("192.0.2.1", 22, 60_000, abort.signal);
    abort.abort(new Error("enough"));
    await assert.rejects(canceled, /enough/);
    await assert.rejects(async () => checkPort("192.0.2.1", 22, 60_000, abort.signal), /enough/);
  });
});
