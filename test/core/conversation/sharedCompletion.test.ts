import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import { InMemoryConversationStore } from "../../../src/core/conversation/inMemoryConversationStore.ts";
import { SharedCompletion, deferCompletion } from "../../../src/core/conversation/sharedCompletion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";
import type { ScriptedRun } from "../../support/scriptedCompletions.ts";
import type {
  CompletionEvent,
  CompletionPort,
  CompletionRequest,
} from "../../../src/core/conversation/completion.ts";

function open() {
  const completions = new ScriptedCompletions();
  let ids = 0;
  const session = new ChatSession(
    { id: "c1", title: "New Chat", createdAt: 1, updatedAt: 1, model: "lab/one", messages: [] },
    {
      completions,
      store: new InMemoryConversationStore(),
      now: () => 1000,
      createId: () => `m${++ids}`,
      defaultModel: async () => "lab/one",
      reportError: () => undefined,
    },
  );
  const draft = async (): Promise<ScriptedRun> => {
    session.draftResponses(3, { text: "Draft", attachments: [] });
    return await completions.next();
  };
  const versions = () =>
    session.state
      .versionsOf(session.state.messages[1] ?? assert.fail("There is no response."))
      .map((id) => session.state.find(id) ?? assert.fail(id));
  const texts = () => versions().map(({ text }) => text);
  return { session, completions, draft, versions, texts };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

const choice = (index: number, text: string) =>
  ({ type: "choice", index, event: { type: "text", text } }) as const;

describe("Three responses to one message", () => {
  it("are versions that come from one request, whose usage counts once", async () => {
    const { session, draft, versions, texts } = open();
    const run = await draft();
    assert.equal(run.request.parameters?.["n"], 3);
    run.emit({ type: "text", text: "a" }, choice(1, "b"), choice(2, "c"), choice(1, "b"));
    run.emit({ type: "usage", usage: { promptTokens: 5, completionTokens: 9 } });
    run.emit({ type: "finish", reason: "stop" });
    run.end();
    await settled();
    assert.deepEqual(texts(), ["a", "bb", "c"]);
    assert.equal(session.state.messages.length, 2);
    assert.equal(session.state.messages[1]?.text, "a");
    assert.equal(session.state.isStreaming, false);
    assert.deepEqual(
      versions().map(({ status, usage }) => [status, usage?.completionTokens]),
      [
        ["complete", 9],
        ["complete", undefined],
        ["complete", undefined],
      ],
    );
  });

  it("are requested separately if the server ignores or rejects the requested number", async () => {
    for (const isRejected of [false, true]) {
      const { completions, draft, texts } = open();
      const run = await draft();
      if (isRejected) run.fail(new ServiceError({ reason: "badRequest", message: "n", statusCode: 400 }));
      else {
        run.emit({ type: "text", text: "first" });
        run.end();
      }
      for (const text of isRejected ? ["1", "2", "3"] : ["2", "3"]) {
        const own = await completions.next();
        assert.equal(own.request.parameters?.["n"], undefined);
        own.emit({ type: "text", text });
        own.end();
      }
      await settled();
      assert.deepEqual(texts(), [isRejected ? "1" : "first", "2", "3"]);
    }
  });

  it("are all stopped by Stop, while one can be stopped alone", async () => {
    const { session, draft, versions } = open();
    const run = await draft();
    run.emit({ type: "text", text: "a" }, choice(1, "b"), choice(2, "c"));
    await settled();
    session.stop(versions()[1]?.id);
    assert.equal(run.isStopped, false);
    run.emit(choice(2, "c"));
    await settled();
    session.stop();
    assert.equal(run.isStopped, true);
    assert.deepEqual(
      versions().map(({ text, status }) => [text, status]),
      [
        ["a", "stopped"],
        ["b", "stopped"],
        ["cc", "stopped"],
      ],
    );
  });

  it("keep what was received before the connection was lost, and only the complete ones count as complete", async () => {
    const { draft, versions } = open();
    const run = await draft();
    run.emit({ type: "text", text: "a" }, choice(1, "b"), choice(2, "c"));
    run.emit({ type: "choice", index: 1, event: { type: "finish", reason: "stop" } });
    await settled();
    run.fail(new ServiceError({ reason: "truncated", message: "cut" }));
    await settled();
    assert.deepEqual(
      versions().map(({ text, status, error }) => [text, status, error?.reason]),
      [
        ["a", "failed", "truncated"],
        ["b", "complete", undefined],
        ["c", "failed", "truncated"],
      ],
    );
  });

  it("arrive even if the first one was stopped before it was requested, and can be stopped", async () => {
    const completions = new ScriptedCompletions();
    const shared = new SharedCompletion(completions, 3);
    const request = { model: "lab/one", messages: [], stream: true };
    const second = shared.port(1).complete(request, {});
    const third = shared.port(2).complete(request, {});
    const run = await completions.next();
    run.emit({ type: "text", text: "a" }, choice(1, "b"), choice(2, "c"));
    for (const { events } of [second, third])
      assert.equal((await events[Symbol.asyncIterator]().next()).value?.type, "text");
    second.stop();
    assert.equal(run.isStopped, false);
    third.stop();
    assert.equal(run.isStopped, true);
  });
});

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
