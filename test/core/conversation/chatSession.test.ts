import assert from "node:assert/strict";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { temporaryStore } from "../../support/storeFolder.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";
import { createSession } from "./createSession.ts";

describe("ChatSession", () => {
  it("receives a response, keeps it and stores it", async () => {
    const { session, completions, store } = createSession();
    session.send("Hello");
    const run = await completions.next();
    run.emit(
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Hi " },
      { type: "text", text: "there" },
    );
    run.emit({ type: "usage", usage: { totalTokens: 9 } }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    const answer = session.state.messages.at(-1);
    assert.equal(answer?.text, "Hi there");
    assert.equal(answer?.reasoning, "hm");
    assert.equal(answer?.status, "complete");
    assert.equal(answer?.model, "lab/echo");
    assert.deepEqual(answer?.usage, { totalTokens: 9 });
    assert.deepEqual(store.load("c1")?.messages, session.state.messages);
    assert.equal(session.state.isStreaming, false);
  });

  it("sends the whole conversation with the next turn", async () => {
    const { session, completions } = createSession();
    session.send("one");
    const first = await completions.next();
    first.emit({ type: "text", text: "1" }, { type: "finish", reason: "stop" });
    first.end();
    await first.settled;
    session.send("two");
    const second = await completions.next();
    assert.deepEqual(second.request.messages, [
      { role: "user", content: "one" },
      { role: "assistant", content: "1" },
      { role: "user", content: "two" },
    ]);
    second.end();
    await second.settled;
  });

  it("keeps the partial response when the user stops, and marks it as stopped", async () => {
    const { session, completions } = createSession();
    session.send("count");
    const run = await completions.next();
    run.emit({ type: "text", text: "1 2 3" });
    await run.delivered();
    session.stop();
    await run.settled;
    assert.equal(run.isStopped, true);
    assert.equal(session.state.messages.at(-1)?.status, "stopped");
    assert.equal(session.state.messages.at(-1)?.text, "1 2 3");
    assert.equal(session.state.messages.at(-1)?.error, undefined);
  });

  it("accepts one turn at a time and no empty messages", async () => {
    const { session, completions } = createSession();
    session.send("   ");
    assert.equal(session.state.messages.length, 0);
    session.send("one");
    session.send("two");
    session.retry();
    const run = await completions.next();
    run.end();
    await run.settled;
    assert.deepEqual(
      session.state.messages.map(({ role }) => role),
      ["user", "assistant"],
    );
  });

  it("uses its first message as its title", async () => {
    const { session, completions, store } = createSession();
    session.send("How do I\n list servers?");
    assert.equal(session.state.title, "How do I list servers?");
    assert.equal(store.load("c1")?.title, "How do I list servers?");
    const run = await completions.next();
    run.end();
    await run.settled;
  });

  it("joins the fragments of several tool calls", async () => {
    const { session, completions } = createSession();
    session.send("x");
    const run = await completions.next();
    run.emit(
      { type: "toolCall", index: 1, id: "b", name: "two", arguments: "{}" },
      { type: "toolCall", index: 0, id: "a", name: "one", arguments: '{"x"' },
      { type: "toolCall", index: 0, arguments: ":1}" },
      { type: "finish", reason: "tool_calls" },
    );
    run.end();
    await run.settled;
    assert.deepEqual(session.state.messages.at(-1)?.toolCalls, [
      { id: "a", name: "one", arguments: '{"x":1}' },
      { id: "b", name: "two", arguments: "{}" },
    ]);
  });

  it("can be stopped before its model is loaded", async () => {
    const store = temporaryStore();
    const session = new ChatSession(
      { id: "c1", title: "New Chat", createdAt: 1, updatedAt: 1, messages: [] },
      {
        completions: new ScriptedCompletions(),
        store,
        now: () => 1,
        createId: () => `${Math.random()}`,
        defaultModel: () => new Promise(() => undefined),
        reportError: (error) => assert.fail(String(error)),
      },
    );
    session.send("x");
    session.stop();
    assert.equal(session.state.isStreaming, false);
    assert.equal(session.state.messages.at(-1)?.status, "stopped");
  });

  it("stops at once and accepts no more text, even from a port that continues", async () => {
    const { session, completions, store } = createSession();
    session.send("x");
    const run = await completions.next();
    run.emit({ type: "text", text: "seen" });
    await run.delivered();
    run.emit({ type: "text", text: " unseen" });
    session.stop();
    assert.equal(run.isStopped, true);
    assert.equal(session.state.messages.at(-1)?.status, "stopped");
    await run.settled;
    assert.equal(session.state.messages.at(-1)?.text, "seen");
    assert.equal(store.load("c1")?.messages.at(-1)?.text, "seen");
  });

  it("doesn't let a stopped turn interfere with the next one", async () => {
    const { session, completions } = createSession();
    session.send("one");
    const first = await completions.next();
    session.stop();
    session.send("two");
    const second = await completions.next();
    first.fail(new ServiceError({ reason: "unreachable", message: "Gone." }));
    first.observer.onRetry?.({
      attempt: 2,
      maxAttempts: 3,
      waitMs: 9,
      error: new ServiceError({ reason: "unavailable", message: "Busy." }),
      retryNow: () => assert.fail(),
    });
    await first.settled;
    assert.equal(session.state.isStreaming, true);
    assert.equal(session.state.retryView, undefined);
    second.emit({ type: "text", text: "2" }, { type: "finish", reason: "stop" });
    second.end();
    await second.settled;
    assert.equal(session.state.messages.at(-1)?.text, "2");
  });

  it("returns whether a message was sent, empty or refused as busy", async () => {
    const { session, completions } = createSession();
    assert.equal(session.send("  "), "empty");
    assert.equal(session.send("x"), "sent");
    assert.equal(session.send("y"), "busy");
    (await completions.next()).end();
  });

  it("keeps the response and notifies the other listeners when one listener throws", async () => {
    const { session, completions, events, reported } = createSession();
    session.subscribe(() => {
      throw new Error("disposed");
    });
    const heard: string[] = [];
    session.subscribe(({ type }) => heard.push(type));
    session.send("x");
    const run = await completions.next();
    run.emit({ type: "text", text: "y" }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    assert.equal(session.state.messages.at(-1)?.status, "complete");
    assert.equal(heard.length, events.length);
    assert.equal(reported.length, events.length);
  });

  it("keeps a partial response as truncated when VS Code exits", async () => {
    const { session, completions, store } = createSession();
    session.send("x");
    const run = await completions.next();
    run.emit({ type: "text", text: "half" });
    await run.delivered();
    session.dispose();
    assert.equal(run.isStopped, true);
    const answer = store.load("c1")?.messages.at(-1);
    assert.deepEqual([answer?.status, answer?.text, answer?.error?.reason], ["failed", "half", "truncated"]);
  });

  it("requests nothing after it was closed, when nobody could stop the response", async () => {
    const { session, completions, store } = createSession();
    session.send("x");
    const run = await completions.next();
    run.fail(new ServiceError({ reason: "service", message: "No." }));
    await run.settled;
    session.dispose();
    const stored = store.load("c1");
    session.retry();
    session.regenerate(session.state.messages[1]?.id ?? "");
    session.compare(["lab/other"], { text: "y", attachments: [] });
    assert.equal(session.state.isOpen, false);
    assert.deepEqual(store.load("c1"), stored);
  });

  it("keeps two conversations separate while both are streaming", async () => {
    const [one, two] = [createSession(), createSession()];
    one.session.send("a");
    two.session.send("b");
    const [first, second] = [await one.completions.next(), await two.completions.next()];
    for (let i = 0; i < 5; i++) {
      first.emit({ type: "text", text: "1" });
      second.emit({ type: "text", text: "2" });
    }
    await Promise.all([first.delivered(), second.delivered()]);
    assert.equal(one.session.state.messages.at(-1)?.text, "11111");
    assert.equal(two.session.state.messages.at(-1)?.text, "22222");
    first.end();
    second.end();
  });
});
