import assert from "node:assert/strict";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { forkConversation, forkTitle, splitFork } from "../../../src/core/conversation/forkConversation.ts";
import { temporaryStore } from "../../support/storeFolder.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";

function createSession() {
  const completions = new ScriptedCompletions();
  const store = temporaryStore();
  let ids = 0;
  const context = {
    completions,
    store,
    now: () => 1000,
    createId: () => `m${++ids}`,
    defaultModel: async () => "lab/echo",
    reportError: () => undefined,
  };
  const conversation = {
    id: "c1",
    title: "New Chat",
    createdAt: 1,
    updatedAt: 1,
    model: "lab/echo",
    messages: [],
  };
  const session = new ChatSession(conversation, context);
  async function answer(text: string): Promise<void> {
    const run = await completions.next();
    run.emit({ type: "text", text }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
  }
  async function breakOff(text: string): Promise<void> {
    const run = await completions.next();
    run.emit({ type: "text", text });
    await run.delivered();
    run.fail(new ServiceError({ reason: "truncated", message: "Cut." }));
    await run.settled;
  }
  const reopen = (): ChatSession => {
    const stored = store.load("c1");
    assert.ok(stored);
    return new ChatSession(stored, context);
  };
  return { session, completions, answer, breakOff, reopen };
}

const texts = (messages: readonly Message[]): readonly string[] => messages.map(({ text }) => text);
const last = ({ state }: ChatSession): Message =>
  state.messages.at(-1) ?? assert.fail("There is no message.");

describe("Versions of a conversation", () => {
  it("are created by regenerating, and nothing is overwritten", async () => {
    const { session, answer } = createSession();
    session.send("q");
    await answer("one");
    session.regenerate(last(session).id);
    await answer("two");
    assert.deepEqual(texts(session.state.messages), ["q", "two"]);
    const [first = "", second] = session.state.versions[last(session).id] ?? [];
    assert.equal(second, last(session).id);
    session.selectVersion(first);
    assert.deepEqual(texts(session.state.messages), ["q", "one"]);
  });

  it("are created with another model if one is named", async () => {
    const { session, completions, answer } = createSession();
    session.send("q");
    await answer("one");
    session.regenerate(last(session).id, "lab/other");
    const run = await completions.next();
    assert.equal(run.request.model, "lab/other");
    assert.equal(session.state.model, "lab/echo");
    run.end();
    await run.settled;
  });

  it("are created by editing a message, and the old one keeps its replies", async () => {
    const { session, answer } = createSession();
    session.send("q1");
    await answer("a1");
    session.send("q2");
    await answer("a2");
    const [question] = session.state.messages;
    assert.equal(session.edit(question?.id ?? "", "q1, better", []), "sent");
    await answer("b1");
    assert.deepEqual(texts(session.state.messages), ["q1, better", "b1"]);
    session.selectVersion(question?.id ?? "");
    assert.deepEqual(texts(session.state.messages), ["q1", "a1", "q2", "a2"]);
  });

  it("are restored after a restart, with the selected one", async () => {
    const { session, answer, reopen } = createSession();
    session.send("q");
    await answer("one");
    const first = last(session).id;
    session.regenerate(first);
    await answer("two");
    session.selectVersion(first);
    assert.deepEqual(texts(reopen().state.messages), ["q", "one"]);
    session.send("more");
    await answer("three");
    assert.deepEqual(texts(reopen().state.messages), ["q", "one", "more", "three"]);
  });

  it("send the model only the messages on the selected path", async () => {
    const { session, completions, answer } = createSession();
    session.send("q");
    await answer("one");
    session.regenerate(last(session).id);
    const run = await completions.next();
    assert.deepEqual(run.request.messages, [{ role: "user", content: "q" }]);
    run.end();
    await run.settled;
  });

  it("can't be created while a response is streaming", async () => {
    const { session, completions } = createSession();
    session.send("q");
    const run = await completions.next();
    session.regenerate(last(session).id);
    assert.equal(session.edit(session.state.messages[0]?.id ?? "", "x", []), "busy");
    assert.equal(session.state.messages.length, 2);
    run.end();
    await run.settled;
  });
});

describe("An interrupted response", () => {
  it("is continued in a version that starts with the received text and shows the seam", async () => {
    const { session, completions, breakOff } = createSession();
    session.send("count");
    await breakOff("1 2 ");
    const broken = last(session).id;
    session.continueResponse(broken);
    const run = await completions.next();
    assert.deepEqual(run.request.messages.slice(0, 2), [
      { role: "user", content: "count" },
      { role: "assistant", content: "1 2 " },
    ]);
    assert.equal(run.request.messages[2]?.role, "user");
    run.emit({ type: "text", text: "3 4" }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    assert.equal(last(session).text, "1 2 3 4");
    assert.deepEqual(last(session).seams, [4]);
    assert.equal(session.state.find(broken)?.text, "1 2 ");
  });

  it("keeps its sources when it is continued, followed by new ones", async () => {
    const { session, completions } = createSession();
    const [first, second] = [{ url: "https://a.example", title: "A" }, { url: "https://b.example" }];
    session.send("q");
    const run = await completions.next();
    run.emit(
      { type: "text", text: "So [1]" },
      { type: "sources", sources: [first] },
      { type: "finish", reason: "length" },
    );
    run.end();
    await run.settled;
    session.continueResponse(last(session).id);
    const next = await completions.next();
    next.emit({ type: "text", text: " and" });
    await next.delivered();
    assert.deepEqual(last(session).sources, [first]);
    next.emit({ type: "sources", sources: [second, { url: first.url }] }, { type: "finish", reason: "stop" });
    next.end();
    await next.settled;
    assert.deepEqual(last(session).sources, [first, second]);
  });

  it("can be interrupted and continued again", async () => {
    const { session, breakOff, answer } = createSession();
    session.send("count");
    await breakOff("1 ");
    session.continueResponse(last(session).id);
    await breakOff("2 ");
    session.continueResponse(last(session).id);
    await answer("3");
    assert.equal(last(session).text, "1 2 3");
    assert.deepEqual(last(session).seams, [2, 4]);
  });

  it("is not continued if it ended normally or is empty", async () => {
    const { session, answer } = createSession();
    session.send("q");
    await answer("whole");
    session.continueResponse(last(session).id);
    assert.equal(session.state.isStreaming, false);
  });
});

describe("Comparing models", () => {
  it("sends the message to all of them and continues with the chosen response", async () => {
    const { session, completions, answer } = createSession();
    session.send("q");
    await answer("first");
    session.compare(["lab/a", "lab/b"]);
    const [a, b] = [await completions.next(), await completions.next()];
    assert.deepEqual([a.request.model, b.request.model], ["lab/a", "lab/b"]);
    a.emit({ type: "text", text: "from a" });
    b.emit({ type: "text", text: "from b" });
    await Promise.all([a.delivered(), b.delivered()]);
    assert.deepEqual(texts(session.state.messages), ["q", "from a", "from b"]);
    assert.equal(session.state.comparison.length, 2);
    a.end();
    b.end();
    await Promise.all([a.settled, b.settled]);
    session.selectVersion(session.state.comparison[0] ?? "");
    assert.deepEqual(texts(session.state.messages), ["q", "from a"]);
    assert.equal(session.state.comparison.length, 0);
    assert.equal(session.state.versions[last(session).id]?.length, 3);
  });

  it("sends a new message to all of them, and titles the conversation after it", async () => {
    const { session, completions } = createSession();
    session.compare(["lab/a", "lab/b"], { text: "Which one?", attachments: [] });
    const [a, b] = [await completions.next(), await completions.next()];
    assert.deepEqual(a.request.messages, [{ role: "user", content: "Which one?" }]);
    assert.deepEqual(b.request.messages, a.request.messages);
    assert.equal(session.state.title, "Which one?");
    assert.deepEqual(texts(session.state.messages), ["Which one?", "", ""]);
    session.stop();
    await Promise.all([a.settled, b.settled]);
  });

  it("sends nothing if the message is empty", () => {
    const { session } = createSession();
    session.compare(["lab/a", "lab/b"], { text: " ", attachments: [] });
    assert.deepEqual(session.state.messages, []);
    assert.equal(session.state.isStreaming, false);
  });

  it("stops one response and lets the other continue", async () => {
    const { session, completions } = createSession();
    session.send("q");
    const first = await completions.next();
    first.end();
    await first.settled;
    session.compare(["lab/a", "lab/b"]);
    const [a, b] = [await completions.next(), await completions.next()];
    session.stop(session.state.comparison[0]);
    assert.deepEqual([a.isStopped, b.isStopped], [true, false]);
    assert.equal(session.state.isStreaming, true);
    b.end();
    await b.settled;
    assert.equal(session.state.isStreaming, false);
  });
});

describe("The settings of a conversation", () => {
  it("are included in the request if they are set, and stay with the response", async () => {
    const { session, completions, reopen } = createSession();
    session.changeSettings({ systemPrompt: "Be brief.", parameters: { temperature: 0.2 } });
    session.send("q");
    const run = await completions.next();
    assert.deepEqual(run.request.messages[0], { role: "system", content: "Be brief." });
    assert.deepEqual(run.request.parameters, { temperature: 0.2 });
    run.end();
    await run.settled;
    session.changeSettings({});
    assert.deepEqual(last(session).settings, { systemPrompt: "Be brief.", parameters: { temperature: 0.2 } });
    assert.deepEqual(last(reopen()).settings?.systemPrompt, "Be brief.");
    session.regenerate(last(session).id);
    const again = await completions.next();
    assert.equal(again.request.messages[0]?.role, "user");
    assert.equal(again.request.parameters, undefined);
    again.end();
    await again.settled;
  });
});

describe("A fork", () => {
  it("at a user message puts its text into the composer instead of copying it", async () => {
    const { session, answer } = createSession();
    session.send("q1");
    await answer("a1");
    session.send("q2");
    await answer("a2");
    const [, first, second] = session.state.messages;
    assert.deepEqual(splitFork(session.state.pathTo(second?.id ?? "")), {
      path: session.state.pathTo(first?.id ?? ""),
      draft: { text: "q2", attachments: [] },
    });
    assert.deepEqual(splitFork(session.state.pathTo(first?.id ?? "")), {
      path: session.state.pathTo(first?.id ?? ""),
    });
  });

  it("has its own title, even if a fork is forked", () => {
    assert.equal(forkTitle("Needle", ["Needle"]), "Needle (2)");
    assert.equal(forkTitle("Needle", ["Needle", "Needle (2)", "Other (7)"]), "Needle (3)");
    assert.equal(forkTitle("Needle (2)", ["Needle", "Needle (2)", "Needle (3)"]), "Needle (4)");
    assert.equal(forkTitle("f (x)", ["f (x)"]), "f (x) (2)");
    assert.equal(forkTitle("(2)", ["(2)"]), "(2) (2)");
    assert.equal(forkTitle("New Chat", ["New Chat"]), "New Chat");
  });

  it("copies all messages up to the selected one into a separate chain", async () => {
    const { session, answer } = createSession();
    session.send("q1");
    await answer("a1");
    const end = last(session).id;
    session.send("q2");
    await answer("a2");
    let ids = 0;
    const fork = forkConversation(
      { title: session.state.title, path: session.state.pathTo(end) },
      { createId: () => `f${++ids}`, now: 5 },
    );
    assert.deepEqual(texts(fork.messages), ["q1", "a1"]);
    assert.equal(fork.messages[1]?.parentId, fork.messages[0]?.id);
    assert.equal(
      fork.messages.some(({ id }) => id === end),
      false,
    );
  });
});
