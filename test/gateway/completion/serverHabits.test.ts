import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/core/kernel/json.ts";
import { createInferenceClient } from "../../../src/gateway/completion/inferenceClient.ts";
import { ServerHabits } from "../../../src/gateway/completion/serverHabits.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";

const url = "https://service.example/v1";
const hourMs = 60 * 60 * 1_000;

/** The state that outlives a window. */
class Memory {
  saved: unknown;
  load = (): unknown => this.saved;
  save = (habits: JsonObject): void => void (this.saved = JSON.parse(JSON.stringify(habits)));
}

describe("The request features that a server has rejected", () => {
  it("are remembered in other windows and after a restart", () => {
    const memory = new Memory();
    const first = new ServerHabits(memory, () => 1);
    const other = new ServerHabits(memory, () => 2);
    first.demandOrder(url, "strict", "alternate");
    other.rejectUsage(url);
    other.rejectMembers(url, "strict", ["temperature"]);
    first.rejectMembers(url, "strict", ["tools", "temperature"]);
    const restarted = new ServerHabits(memory, () => 3);
    assert.equal(restarted.orderOf(url, "strict"), "alternate");
    assert.equal(restarted.acceptsUsage(url), false);
    assert.deepEqual(restarted.rejectedMembers(url, "strict"), ["temperature", "tools"]);
    assert.equal(restarted.orderOf(url, "other"), undefined);
    assert.deepEqual(restarted.rejectedMembers(url, "other"), []);
  });

  it("are tried again after a while: parameters after a day, the request format after a week", () => {
    const memory = new Memory();
    let now = 0;
    const habits = new ServerHabits(memory, () => now);
    habits.demandOrder(url, "m", "noSystem");
    habits.rejectMembers(url, "m", ["seed"]);
    now = 23 * hourMs;
    assert.deepEqual(habits.rejectedMembers(url, "m"), ["seed"]);
    now = 25 * hourMs;
    assert.deepEqual(habits.rejectedMembers(url, "m"), []);
    assert.equal(habits.orderOf(url, "m"), "noSystem");
    now = 8 * 24 * hourMs;
    assert.equal(habits.orderOf(url, "m"), undefined);
    assert.equal(
      new ServerHabits(memory, () => -8 * 24 * hourMs).orderOf(url, "m"),
      undefined,
      "learned in the future",
    );
  });

  it("don't apply to another profile, or to the same profile with another address", () => {
    const memory = new Memory();
    const habits = new ServerHabits(memory, () => 1);
    habits.ofProfile("A").rejectUsage(url);
    assert.equal(habits.ofProfile("A").acceptsUsage(url), false);
    assert.equal(habits.ofProfile("B").acceptsUsage(url), true);
    assert.equal(habits.ofProfile("A").acceptsUsage("https://moved.example/v1"), true);
  });

  it("are stored for a limited number of models, the latest ones, even if the stored state is invalid", () => {
    const memory = new Memory();
    memory.saved = { a: 1, b: { at: "x" }, c: null };
    let now = 0;
    const habits = new ServerHabits(memory, () => ++now);
    for (let index = 0; index < 300; index++) habits.demandOrder(url, `m${index}`, "alternate");
    assert.equal(Object.keys(memory.saved ?? {}).length, 200);
    assert.equal(habits.orderOf(url, "m299"), "alternate");
    assert.equal(habits.orderOf(url, "m0"), undefined);
    for (const saved of [undefined, null, 7, [], "x"]) {
      memory.saved = saved;
      assert.equal(habits.acceptsUsage(url), true);
    }
  });

  it("are omitted from the first request of another window once a request without them succeeds", async () => {
    const bodies: Record<string, unknown>[] = [];
    const transport = createTestTransport();
    const server = await startServer(async (request, response) => {
      const body: Record<string, unknown> = JSON.parse(await readRequestBody(request));
      bodies.push(body);
      if (body["temperature"] !== undefined)
        response.writeHead(400).end('{"error":{"message":"Unsupported parameter: temperature"}}');
      else response.end('{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}');
    });
    const memory = new Memory();
    const omissions: unknown[] = [];
    const ask = async (without?: readonly string[]): Promise<void> => {
      const client = createInferenceClient({
        transport,
        baseUrl: `${server.url}/v1`,
        readApiKey: async () => "key",
        timeoutMs: () => 5_000,
        userAgent: "test",
        allowInsecureHttp: false,
        habits: new ServerHabits(memory, () => 1),
      });
      const request = { model: "m", messages: [], stream: true, parameters: { temperature: 1, top_p: 1 } };
      const onOmitted = (omission: unknown): void => void omissions.push(omission);
      const asked = without === undefined ? request : { ...request, without };
      for await (const event of client.complete(asked, { onOmitted }).events) void event;
    };
    await assert.rejects(ask());
    await ask(["temperature"]);
    await ask();
    assert.deepEqual(
      bodies.map(({ temperature, top_p }) => [temperature, top_p]),
      [
        [1, 1],
        [undefined, 1],
        [undefined, 1],
      ],
    );
    const left = { parameters: ["temperature"] };
    assert.deepEqual(omissions, [left, left], "the user learns of it each time");
    await transport.close();
    await server.close();
  });
});
