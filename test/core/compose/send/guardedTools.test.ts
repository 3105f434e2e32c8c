import assert from "node:assert/strict";
import { guardedTools } from "../../../../src/core/compose/send/guardedPorts.ts";
import type { ResultGuard } from "../../../../src/core/compose/send/guardedPorts.ts";
import type { ToolResult } from "../../../../src/core/conversation/toolPort.ts";

const call = { id: "1", name: "read", arguments: "{}" };
const caller = {
  conversationId: "c",
  messageId: "m",
  path: [],
  tools: ["read"],
  mayHaveRun: false,
  recordStart: () => Promise.resolve("started" as const),
};

function runWith(guard: ResultGuard, result: ToolResult = { outcome: "done", text: "secret", tookMs: 5 }) {
  const stops: string[] = [];
  const tools = guardedTools(
    {
      definitions: async () => [],
      run: () => ({ result: Promise.resolve(result), stop: () => stops.push("stop") }),
    },
    guard,
  );
  return { run: tools.run(call, caller), stops };
}

describe("Tools with a secret guard", () => {
  it("pass their result to the guard with the tool and conversation, and return what the guard returns", async () => {
    const heard: unknown[] = [];
    const { run } = runWith(async (text, from) => {
      heard.push(text, from);
      return "masked";
    });
    assert.deepEqual(await run.result, { outcome: "done", text: "masked", tookMs: 5 });
    assert.deepEqual(heard, ["secret", { tool: "read", conversationId: "c" }]);
  });

  it("return nothing from a withheld result", async () => {
    const { run } = runWith(async () => undefined, {
      outcome: "done",
      text: "secret",
      images: [{ type: "image", mediaType: "image/png", data: "secret" }],
    });
    const result = await run.result;
    assert.equal(result.outcome, "declined");
    assert.ok(!JSON.stringify(result).includes('secret"'));
  });

  it("are stopped while the user is being asked", async () => {
    const { run, stops } = runWith(() => new Promise(() => undefined));
    run.stop();
    assert.equal((await run.result).outcome, "stopped");
    assert.deepEqual(stops, ["stop"]);
  });

  it("report how long a stopped tool had run", async () => {
    const { run } = runWith(() => new Promise(() => undefined), { outcome: "stopped", text: "", tookMs: 7 });
    run.stop();
    assert.equal((await run.result).tookMs, 7);
  });
});
