import assert from "node:assert/strict";
import { deferCompletion } from "../../../src/core/conversation/deferCompletion.ts";
import type {
  CompletionEvent,
  CompletionPort,
  CompletionRequest,
} from "../../../src/core/conversation/completion.ts";

const request: CompletionRequest = { model: "a/b", messages: [], stream: true };

class ScriptedPort implements CompletionPort {
  readonly calls: string[] = [];

  complete(): ReturnType<CompletionPort["complete"]> {
    this.calls.push("complete");
    async function* events(): AsyncGenerator<CompletionEvent> {
      yield { type: "text", text: "hi" };
      yield { type: "finish", reason: "stop" };
    }
    return {
      events: events(),
      stop: () => void this.calls.push("stop"),
    };
  }
}

describe("deferCompletion", () => {
  it("passes on the events of the port once it is loaded", async () => {
    const types: string[] = [];
    const run = deferCompletion(async () => new ScriptedPort()).complete(request, {});
    for await (const event of run.events) types.push(event.type);
    assert.deepEqual(types, ["text", "finish"]);
  });

  it("sends nothing if it is stopped while the port is loading", async () => {
    const port = new ScriptedPort();
    const run = deferCompletion(async () => port).complete(request, {});
    run.stop();
    for await (const event of run.events) assert.fail(event.type);
    assert.deepEqual(port.calls, []);
  });

  it("forwards stop to the active run", async () => {
    const port = new ScriptedPort();
    const run = deferCompletion(async () => port).complete(request, {});
    for await (const event of run.events) {
      if (event.type !== "text") continue;
      run.stop();
    }
    assert.deepEqual(port.calls, ["complete", "stop"]);
  });

  it("fails with the reason if the port could not be loaded", async () => {
    const run = deferCompletion(() => Promise.reject(new Error("no profile"))).complete(request, {});
    await assert.rejects(async () => {
      for await (const event of run.events) assert.fail(event.type);
    }, /no profile/);
  });
});
