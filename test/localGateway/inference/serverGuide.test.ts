import assert from "node:assert/strict";
import { DemoServers } from "../../../src/localGateway/gpu/demoServers.ts";
import { describeServers } from "../../../src/localGateway/inference/serverGuide.ts";

describe("The model that is selected first", () => {
  let now = 0;
  let servers: DemoServers;
  beforeEach(() => {
    now = Date.now();
    servers = new DemoServers(12, 1, () => now);
  });
  const ask = (question: string): string => describeServers(question, servers.list());

  it("answers what costs money, with the sum of the running servers and what is unused", () => {
    const text = ask("What costs me money right now, and how do I stop it?");
    const sum = servers
      .list()
      .filter(({ status }) => status === "Running")
      .reduce((total, { price_per_hour }) => total + Number(price_per_hour), 0);
    assert.ok(text.includes(`$${sum.toFixed(2)}/h`), text);
    assert.match(text, /At 0% GPU use: trainer-08 \(\$24\.00\/h\).*Stop Server…/);
  });

  for (const [question, name, other] of [
    ["Which servers are idle?", "| trainer-08 |", "| trainer-01 |"],
    ["Has anything failed?", "| render-04 | Error for 12 minutes: CUDA driver error |", "| trainer-01 |"],
    ["Is eval-03 ready?", "| eval-03 | Provisioning", "| trainer-01 |"],
    ["哪些服务器空闲？", "| trainer-08 |", "| trainer-01 |"],
    ["Hello", "| batch-07 | Stopped", "**Stopped servers"],
  ] as const)
    it(`answers “${question}” from the list as it is now`, () => {
      const text = ask(question);
      assert.ok(text.includes(name), text);
      assert.ok(!text.includes(other), text);
    });

  it("notices that a server was stopped", () => {
    let later = now;
    const changing = new DemoServers(12, 1, () => later);
    const idle = changing.list().find(({ name }) => name === "trainer-08");
    changing.run(idle?.id ?? "", "stop");
    later += 10_000;
    assert.match(describeServers("Which servers are idle?", changing.list()), /None at the moment/);
  });
});
