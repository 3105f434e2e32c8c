import assert from "node:assert/strict";
import { lawfulMessages } from "../../../src/core/conversation/lawfulMessages.ts";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import type { ToolCall } from "../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { interruptedTool } from "../../../src/core/conversation/forkConversation.ts";
import { temporaryStore } from "../../support/storeFolder.ts";
import type {
  ToolCallOrigin,
  ToolPort,
  ToolResult,
  ToolRun,
} from "../../../src/core/conversation/toolPort.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";

/** Tools whose calls wait until the test completes them. */
class ManualTools implements ToolPort {
  readonly callers: ToolCallOrigin[] = [];
  readonly waiting = new Map<string, (result: ToolResult) => void>();

  definitions(names: readonly string[]) {
    return Promise.resolve(names.map((name) => ({ name, description: "", parameters: {} })));
  }

  run({ id }: ToolCall, caller: ToolCallOrigin): ToolRun {
    this.callers.push(caller);
    const result = new Promise<ToolResult>((resolve) => this.waiting.set(id, resolve));
    return { result, stop: () => this.end(id, { outcome: "stopped", text: "The user stopped this call." }) };
  }

  end(id: string, result: ToolResult = { outcome: "done", text: `result ${id}`, tookMs: 5 }): void {
    this.waiting.get(id)?.(result);
  }
}

async function createSession(maxToolRounds = 10) {
  const completions = new ScriptedCompletions();
  const tools = new ManualTools();
  const store = temporaryStore();
  let ids = 0;
  const context = {
    completions,
    tools,
    store,
    maxToolRounds: () => maxToolRounds,
    now: () => 1000,
    createId: () => `m${++ids}`,
    defaultModel: async () => "lab/tools",
    reportError: (error: unknown) => assert.fail(String(error)),
  };
  const conversation = { id: "c1", title: "T", createdAt: 1, updatedAt: 1, model: "lab/tools", messages: [] };
  const session = new ChatSession({ ...conversation, settings: { tools: ["look"] } }, context);
  async function askFor(...calls: readonly string[]): Promise<void> {
    const run = await completions.next();
    for (const [index, id] of calls.entries()) {
      run.emit({ type: "toolCall", index, id, name: "look", arguments: "{}" });
    }
    run.emit({ type: "finish", reason: calls.length > 0 ? "tool_calls" : "stop" });
    run.end();
    await run.settled;
    await settle();
  }
  async function reply(text: string): Promise<void> {
    const run = await completions.next();
    run.emit({ type: "text", text }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    await settle();
  }
  const reopen = (): ChatSession => {
    const stored = store.load("c1");
    assert.ok(stored);
    return new ChatSession(stored, context);
  };
  return { session, completions, tools, askFor, reply, reopen, store };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const roles = ({ state }: ChatSession): string => state.messages.map(({ role }) => role).join(" ");

describe("A conversation with tools", () => {
  it("offers the tools with each request", async () => {
    const { session, completions } = await createSession();
    session.send("q");
    const run = await completions.next();
    assert.deepEqual(run.request.parameters, {
      tools: [{ type: "function", function: { name: "look", description: "", parameters: {} } }],
    });
    run.end();
    await run.settled;
  });

  it("runs the calls of a response in parallel and sends their results in the next request", async () => {
    const { session, completions, tools, askFor } = await createSession();
    session.send("q");
    await askFor("1", "2");
    const [{ conversationId, messageId, tools: names, mayHaveRun } = assert.fail()] = tools.callers;
    assert.deepEqual([conversationId, messageId, names, mayHaveRun], ["c1", "m2", ["look"], false]);
    assert.ok(session.state.isStreaming);
    tools.end("2");
    tools.end("1");
    const run = await completions.next();
    assert.deepEqual(
      lawfulMessages(run.request.messages).map(({ role, content, toolCallId }) => [
        role,
        content,
        toolCallId,
      ]),
      [
        ["user", "q", undefined],
        ["assistant", "", undefined],
        ["tool", "result 1", "1"],
        ["tool", "result 2", "2"],
      ],
      "in the order of the calls",
    );
    run.emit({ type: "text", text: "Done." }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    await settle();
    assert.equal(session.state.isStreaming, false);
    assert.equal(roles(session), "user assistant tool tool assistant");
    assert.deepEqual(session.state.versions, {});
    assert.deepEqual(session.state.messages[2]?.timing, { totalMs: 5 });
  });

  it("keeps showing the version that the user switched to while a tool runs, and continues on the other one", async () => {
    const { session, completions, tools, askFor, reply } = await createSession();
    session.send("q");
    await reply("First");
    const first = session.state.messages.at(-1)?.id ?? "";
    session.regenerate(first);
    await askFor("1");
    session.selectVersion(first);
    tools.end("1");
    await askFor("2");
    assert.equal(session.state.messages.at(-1)?.id, first);
    tools.end("2");
    const run = await completions.next();
    assert.equal(run.request.messages.length, 5);
    run.end();
    await run.settled;
    await settle();
    assert.equal(session.state.isStreaming, false);
    assert.equal(session.state.messages.at(-1)?.id, first);
    session.selectVersion(session.state.versions[first]?.at(-1) ?? "");
    assert.equal(roles(session), "user assistant tool assistant tool assistant");
  });

  it("runs the calls of a response from which the user has switched to another version", async () => {
    const { session, tools, askFor, reply } = await createSession();
    session.send("q");
    await reply("First");
    const first = session.state.messages.at(-1)?.id ?? "";
    session.regenerate(first);
    session.selectVersion(first);
    await askFor("1");
    tools.end("1");
    await reply("Done.");
    assert.equal(session.state.messages.at(-1)?.id, first);
    session.selectVersion(session.state.versions[first]?.at(-1) ?? "");
    assert.equal(roles(session), "user assistant tool assistant");
  });

  it("continues with another model if the user selects one while a response to results waits for its retry", async () => {
    const { session, completions, tools, askFor, reply } = await createSession();
    session.send("q");
    await askFor("1");
    tools.end("1");
    const run = await completions.next();
    const error = new ServiceError({ reason: "rateLimit", message: "Slow down." });
    run.observer.onRetry?.({ attempt: 2, maxAttempts: 4, waitMs: 500, error, retryNow: () => undefined });
    await session.continueWith(session.state.retryView?.messageId ?? "", "lab/other");
    await reply("Done.");
    assert.equal(roles(session), "user assistant tool assistant");
    assert.equal(session.state.messages.at(-1)?.model, "lab/other");
    assert.equal(session.state.model, "lab/other");
  });

  it("reports that it is streaming until the last response has ended", async () => {
    const { session, tools, askFor } = await createSession();
    const streaming: boolean[] = [];
    session.subscribe((event) => {
      if (event.type === "streaming") streaming.push(event.isStreaming);
    });
    session.send("q");
    await askFor("1");
    tools.end("1");
    await askFor();
    assert.equal(streaming.at(-1), false);
    assert.equal(streaming.filter((isStreaming) => !isStreaming).length, 1);
  });

  it("cancels the calls when the user stops, and continues with them if the user wants", async () => {
    const { session, completions, askFor } = await createSession();
    session.send("q");
    await askFor("1");
    session.stop();
    await settle();
    assert.equal(session.state.isStreaming, false);
    assert.equal(session.state.messages.at(-1)?.finishReason, "stopped");
    session.continueTools("m2");
    const run = await completions.next();
    assert.equal(run.request.messages.at(-1)?.content, "The user stopped this call.");
    run.end();
    await run.settled;
  });

  it("waits for a stopped tool until it has ended, even if the conversation is closed meanwhile", async () => {
    const { session, tools, askFor } = await createSession();
    session.send("q");
    await askFor("1");
    const end = tools.end.bind(tools);
    tools.end = () => undefined;
    let hasEnded = false;
    const stopped = session.stopAll().then(() => (hasEnded = true));
    await settle();
    assert.equal(hasEnded, false);
    session.dispose();
    end("1");
    await stopped;
  });

  it("stops at the limit of rounds, says so, and continues if the user wants", async () => {
    const { session, tools, askFor } = await createSession(1);
    session.send("q");
    await askFor("1");
    tools.end("1");
    await askFor("2");
    assert.equal(session.state.isStreaming, false);
    const limited = session.state.messages.at(-1);
    assert.equal(session.state.limitedId, limited?.id);
    assert.equal(tools.callers.length, 1);
    session.continueTools(limited?.id ?? "");
    assert.equal(session.state.limitedId, undefined);
    tools.end("2");
    await askFor();
    assert.equal(roles(session), "user assistant tool assistant tool assistant");
  });

  it("leaves a call open when VS Code exits, and runs it on request later", async () => {
    const { session, completions, tools, askFor, reopen } = await createSession();
    session.send("q");
    await askFor("1", "2");
    tools.end("1");
    await settle();
    session.dispose();
    await settle();
    const again = reopen();
    assert.equal(roles(again), "user assistant tool");
    again.continueTools("m2");
    await settle();
    tools.end("2");
    const run = await completions.next();
    assert.deepEqual(
      run.request.messages.map(({ content }) => content),
      ["q", "", "result 1", "result 2"],
    );
    run.end();
    await run.settled;
  });

  it("stores a running call before it is shown, and its result before the model receives it", async () => {
    const { session, completions, tools, askFor, store } = await createSession();
    const seen: string[] = [];
    const stored = () => store.load("c1")?.messages.map(({ role, status }) => `${role} ${status}`);
    session.subscribe((event) => {
      if (event.type === "messageAdded" || event.type === "messageChanged")
        if (event.message.role === "tool") seen.push(`${event.message.status}: ${stored()?.at(-1)}`);
    });
    session.send("q");
    await askFor("1");
    assert.equal(await tools.callers[0]?.recordStart(), "started");
    assert.deepEqual(seen, ["streaming: tool streaming"]);
    tools.end("1");
    await completions.next();
    assert.deepEqual(seen.slice(1), ["complete: tool complete"]);
    assert.equal(roles(session), "user assistant tool assistant");
    session.stop();
  });

  it("runs nothing and leaves nothing behind if the start of a call can't be stored", async () => {
    const { session, tools, askFor, store } = await createSession();
    session.send("q");
    await askFor("1");
    store.startCall = () => Promise.resolve("unwritten");
    assert.equal(await tools.callers[0]?.recordStart(), "unwritten");
    assert.equal(roles(session), "user assistant");
    assert.equal(store.load("c1")?.messages.length, 2);
    session.stop();
  });

  it("runs a call whose start can't be stored if the user accepts that", async () => {
    const { session, completions, tools, askFor, store } = await createSession();
    session.send("q");
    await askFor("1");
    store.startCall = () => Promise.resolve("unwritten");
    assert.equal(await tools.callers[0]?.recordStart(true), "started");
    assert.equal(store.load("c1")?.messages.at(-1)?.status, "streaming");
    tools.end("1");
    await completions.next();
    assert.equal(roles(session), "user assistant tool assistant");
    session.stop();
  });

  it("leaves the remaining calls to the window that started one of them", async () => {
    const { session, tools, askFor, store } = await createSession();
    session.send("q");
    await askFor("1", "2", "3");
    await tools.callers[0]?.recordStart();
    store.startCall = () => Promise.resolve("taken");
    assert.equal(await tools.callers[1]?.recordStart(), "taken");
    tools.end("2", { outcome: "taken", text: "" });
    await settle();
    assert.ok(session.state.isStreaming, "the call that has started here goes on");
    tools.end("1");
    await settle();
    await settle();
    assert.equal(session.state.isStreaming, false);
    assert.equal(roles(session), "user assistant tool", "neither the other calls nor a new request");
  });

  it("reports that an interrupted call may have run, and stores its result in the same message", async () => {
    const { session, completions, tools, askFor, reopen, store } = await createSession();
    session.send("q");
    await askFor("1");
    await tools.callers[0]?.recordStart();
    session.dispose();
    const running = store.load("c1")?.messages.at(-1) ?? assert.fail();
    store.save({ type: "message", conversationId: "c1", message: interruptedTool(running) });
    const again = reopen();
    again.continueTools("m2");
    await settle();
    assert.equal(tools.callers.at(-1)?.mayHaveRun, true);
    assert.equal(await tools.callers.at(-1)?.recordStart(), "started");
    tools.end("1");
    const run = await completions.next();
    assert.deepEqual(
      run.request.messages.map(({ content }) => content),
      ["q", "", "result 1"],
    );
    assert.equal(roles(again), "user assistant tool assistant");
    run.end();
    await run.settled;
  });

  it("informs the model that a call may have run if the user continues without it", async () => {
    const { session, completions, tools, askFor, reopen, store } = await createSession();
    session.send("q");
    await askFor("1");
    await tools.callers[0]?.recordStart();
    session.dispose();
    store.save({
      type: "message",
      conversationId: "c1",
      message: interruptedTool(store.load("c1")?.messages.at(-1) ?? assert.fail()),
    });
    reopen().send("And now?");
    const run = await completions.next();
    assert.match(String(run.request.messages.at(-2)?.content), /may have run/);
    run.end();
    await run.settled;
  });

  it("doesn't run a call that is running in another window", async () => {
    const { session, tools, askFor, reopen } = await createSession();
    session.send("q");
    await askFor("1");
    await tools.callers[0]?.recordStart();
    const other = reopen();
    other.continueTools("m2");
    await settle();
    assert.equal(tools.callers.length, 1);
    session.stop();
    other.stop();
  });

  it("shows a call once, as soon as the model starts to write it", async () => {
    const { session, completions } = await createSession();
    session.send("x");
    const shown: (readonly ToolCall[])[] = [];
    session.subscribe((event) => {
      if (event.type === "messageChanged") shown.push(event.message.toolCalls);
    });
    const run = await completions.next();
    run.emit(
      { type: "toolCall", index: 0, id: "1", name: "look", arguments: "" },
      { type: "toolCall", index: 0, name: "look", arguments: "{" },
      { type: "toolCall", index: 0, arguments: "}" },
    );
    await settle();
    assert.deepEqual(shown, [[{ id: "1", name: "look", arguments: "" }]]);
    session.stop();
    await run.settled;
    assert.deepEqual(shown.at(-1), [{ id: "1", name: "look", arguments: "{}" }]);
  });

  it("takes a call without name, ID and arguments for none, and ends with the response", async () => {
    const { session, completions, tools } = await createSession();
    session.send("q");
    const run = await completions.next();
    run.emit(
      { type: "toolCall", index: 0, id: "", name: "", arguments: "" },
      { type: "text", text: "Done." },
      { type: "finish", reason: "stop" },
    );
    run.end();
    await run.settled;
    await settle();
    assert.equal(roles(session), "user assistant");
    assert.deepEqual(session.state.messages.at(-1)?.toolCalls, []);
    assert.deepEqual(tools.callers, []);
    assert.equal(session.state.isStreaming, false);
  });

  it("runs nothing if no tool is selected", async () => {
    const { session, tools, askFor } = await createSession();
    session.changeSettings({});
    session.send("q");
    await askFor("1");
    assert.deepEqual(tools.callers, []);
    assert.equal(session.state.isStreaming, false);
  });
});
