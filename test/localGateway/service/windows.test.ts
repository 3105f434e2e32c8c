import assert from "node:assert/strict";
import { createServer } from "node:http";
import { listenOnLoopback } from "../../../src/localGateway/http/listen.ts";
import { joinLocalGateway } from "../../../src/localGateway/service/joinLocalGateway.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";

describe("local gateway of several windows", () => {
  it("is joined by a window that reads its key, even if the key is stored only a moment later", async () => {
    const gateway = await startLocalGateway();
    let reads = 0;
    const key = (): Promise<string | undefined> =>
      Promise.resolve(++reads < 3 ? undefined : gateway.credentials.apiKey);
    const joined = await joinLocalGateway(gateway.port, key);
    assert.equal(joined?.inferenceBaseUrl, gateway.inferenceBaseUrl);
    await joined.stop();
    await gateway.stop();
  });

  it("tells the other windows whether it was stopped by the user or has gone with its window", async () => {
    for (const [isWish, expected] of [
      [true, "stopped"],
      [false, "dead"],
    ] as const) {
      const gateway = await startLocalGateway();
      const joined = await joinLocalGateway(gateway.port, () => Promise.resolve(gateway.credentials.apiKey));
      await gateway.stop(isWish);
      assert.equal(await joined?.ended, expected);
    }
  });

  it("isn't mistaken for another program on its port, which receives no key", async () => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(`${request.url} ${JSON.stringify(request.headers)}`);
      response.end("0".repeat(64));
    });
    const stranger = await listenOnLoopback(server);
    assert.equal(await joinLocalGateway(stranger.port, () => Promise.resolve("CANARY-KEY")), undefined);
    assert.ok(received.length > 0 && !received.join().includes("CANARY"));
    await stranger.stop();
    assert.equal(await joinLocalGateway(stranger.port, () => Promise.resolve("CANARY-KEY")), undefined);
  });
});
