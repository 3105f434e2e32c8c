import assert from "node:assert/strict";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { temporaryStore } from "../../support/storeFolder.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";
import { createSession } from "./createSession.ts";

describe("ChatSession", () => {
  it("keeps the partial response when the connection breaks, with the reason", async () => {
    const { session, completions } = createSession();
    session.send("count");
    const run = await completions.next();
    run.emit({ type: "text", text: "1 2" });
    await run.delivered();
    run.fail(new ServiceError({ reason: "truncated", message: "The answer was cut." }));
    await run.settled;
    const answer = session.state.messages.at(-1);
    assert.equal(answer?.status, "failed");
    assert.equal(answer?.text, "1 2");
    assert.equal(answer?.error?.reason, "truncated");
  });

  it("explains an empty response to a conversation that fills the model's context, with the numbers", async () => {
    const { session, completions } = createSession();
    session.send("x");
    const run = await completions.next();
    run.emit(
      { type: "usage", usage: { promptTokens: 36_120, completionTokens: 0 } },
      { type: "finish", reason: "stop" },
    );
    run.end();
    await run.settled;
    const { error } = session.state.messages.at(-1) ?? {};
    assert.equal(error?.reason, "contextLength");
    assert.match(error.message, /36,120 tokens, and the limit is 32,768/);
  });

  it("shows no details of an unknown error", async () => {
    const { session, completions, reported } = createSession();
    session.send("x");
    const run = await completions.next();
    run.fail(new Error("canary-secret"));
    await run.settled;
    assert.equal(reported.length, 1);
    assert.doesNotMatch(JSON.stringify(session.state.messages), /canary-secret/);
    assert.equal(session.state.messages.at(-1)?.status, "failed");
  });

  it("replaces an empty failed response on retry but keeps a partial one as a version", async () => {
    const { session, completions, store } = createSession();
    session.send("x");
    const first = await completions.next();
    first.fail(new ServiceError({ reason: "unavailable", message: "Busy." }));
    await first.settled;
    session.retry();
    const second = await completions.next();
    second.emit({ type: "text", text: "part" });
    await second.delivered();
    second.fail(new ServiceError({ reason: "truncated", message: "Cut." }));
    await second.settled;
    session.retry();
    const third = await completions.next();
    third.emit({ type: "text", text: "whole" }, { type: "finish", reason: "stop" });
    third.end();
    await third.settled;
    assert.deepEqual(
      session.state.messages.map(({ role, text, status }) => [role, text, status]),
      [
        ["user", "x", "complete"],
        ["assistant", "whole", "complete"],
      ],
    );
    const [, whole] = session.state.messages;
    const texts = (session.state.versions[whole?.id ?? ""] ?? []).map((id) => session.state.find(id)?.text);
    assert.deepEqual(texts, ["part", "whole"]);
    assert.equal(store.load("c1")?.messages.length, 3);
  });

  it("retries with fewer messages after a response was rejected as too long, using the server's numbers", async () => {
    const { session, completions } = createSession();
    session.send("x");
    const tokens = { limit: 4_096, requested: 5_000 };
    const first = await completions.next();
    first.fail(new ServiceError({ reason: "contextLength", message: "Too long.", tokens }));
    await first.settled;
    session.retryShorter(session.state.messages.at(-1)?.id ?? "");
    const second = await completions.next();
    assert.deepEqual(second.request.shorten, tokens);
    assert.equal(second.request.whenTooLong, "oldest");
    second.emit({ type: "text", text: "fits" }, { type: "finish", reason: "stop" });
    second.end();
    await second.settled;
    assert.deepEqual(
      session.state.messages.map(({ text }) => text),
      ["x", "fits"],
    );
    session.retryShorter(session.state.messages.at(-1)?.id ?? "");
    assert.equal(session.state.isStreaming, false);
  });

  it("retries without the parameter or the input that the model rejects", async () => {
    const { session, completions } = createSession();
    session.send("x");
    for (const [facts, adaptation] of [
      [{ reason: "unsupportedParameter", parameter: "temperature" }, "field:temperature"],
      [{ reason: "unsupportedInput", input: "image" }, "input:image"],
    ] as const) {
      const run = await completions.next();
      run.fail(new ServiceError({ ...facts, message: "No." }));
      await run.settled;
      session.retryWithoutRejected(session.state.messages.at(-1)?.id ?? "");
      const again = await completions.next();
      assert.deepEqual(again.request.adaptations, [adaptation]);
      again.fail(new ServiceError({ reason: "service", message: "No." }));
      await again.settled;
      session.retry();
    }
    (await completions.next()).end();
  });

  it("reports the retry wait of one of several responses, which can be stopped without the others", async () => {
    const { session, completions } = createSession();
    session.compare(["lab/a", "lab/b"], { text: "x", attachments: [] });
    const run = await completions.next();
    const error = new ServiceError({ reason: "rateLimit", message: "Slow down." });
    run.observer.onRetry?.({ attempt: 2, maxAttempts: 4, waitMs: 500, error, retryNow: () => undefined });
    assert.deepEqual(session.state.retryView, {
      attempt: 2,
      maxAttempts: 4,
      dueAt: 1500,
      error: error.facts,
      messageId: session.state.comparison[0],
      isCompared: true,
    });
    session.stop(session.state.retryView?.messageId);
    assert.equal(session.state.retryView, undefined);
    assert.equal(session.state.messages.at(-1)?.status, "streaming");
    session.stop();
  });

  it("reports the start and end of a retry wait", async () => {
    const { session, completions } = createSession();
    session.send("x");
    const run = await completions.next();
    const error = new ServiceError({ reason: "rateLimit", message: "Slow down." });
    let isHurried = false;
    const retryNow = (): void => void (isHurried = true);
    run.observer.onRetry?.({ attempt: 2, maxAttempts: 4, waitMs: 500, error, retryNow });
    assert.deepEqual(session.state.retryView, {
      attempt: 2,
      maxAttempts: 4,
      dueAt: 1500,
      error: error.facts,
      messageId: session.state.messages[1]?.id,
    });
    session.retryNow();
    assert.equal(isHurried, true);
    run.observer.onResponse?.({});
    assert.equal(session.state.retryView, undefined);
    run.end();
    await run.settled;
  });

  it("leaves a complete response alone when a retry is requested", async () => {
    const { session, completions } = createSession();
    session.send("x");
    const run = await completions.next();
    run.emit({ type: "text", text: "done" }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    session.retry();
    assert.equal(session.state.isStreaming, false);
    assert.equal(session.state.messages.length, 2);
  });

  it("requests a missing response again", async () => {
    const { session, completions } = createSession();
    session.send("x");
    const first = await completions.next();
    first.fail(new ServiceError({ reason: "unreachable", message: "Gone." }));
    await first.settled;
    session.retry();
    const second = await completions.next();
    assert.deepEqual(second.request.messages, [{ role: "user", content: "x" }]);
    second.end();
  });

  it("fails with the reason if no model is available, and reports it", async () => {
    const reported: unknown[] = [];
    const session = new ChatSession(
      { id: "c1", title: "New Chat", createdAt: 1, updatedAt: 1, messages: [] },
      {
        completions: new ScriptedCompletions(),
        store: temporaryStore(),
        now: () => 1,
        createId: () => `${Math.random()}`,
        defaultModel: () => Promise.reject(new ServiceError({ reason: "apiKey", message: "Set a key." })),
        reportError: (error) => reported.push(error),
      },
    );
    const failed = new Promise<void>((resolve) => {
      session.subscribe((event) => event.type === "messageChanged" && resolve());
    });
    session.send("x");
    await failed;
    assert.equal(session.state.messages.at(-1)?.error?.reason, "apiKey");
    await Promise.resolve();
    assert.equal(reported.length, 1);
  });
});
