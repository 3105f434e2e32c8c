import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { ConversationState } from "../../../src/core/conversation/conversationState.ts";
import {
  interruptedTool,
  newQuestion,
  newRunningTool,
} from "../../../src/core/conversation/forkConversation.ts";
import { withCallIds } from "../../../src/core/conversation/streamingResponse.ts";
import type { ToolPort, ToolResult } from "../../../src/core/conversation/toolPort.ts";
import { openCalls, ToolRounds } from "../../../src/core/conversation/toolRounds.ts";
import { temporaryStore } from "../../support/storeFolder.ts";

function message(parts: Partial<Message>): Message {
  const empty = { text: "", attachments: [], reasoning: "", toolCalls: [] };
  return { id: "m", role: "assistant", status: "complete", createdAt: 0, ...empty, ...parts };
}

function asking(...ids: readonly string[]): Message {
  return message({ toolCalls: ids.map((id) => ({ id, name: "tool", arguments: "{}" })) });
}

const done: ToolResult = { outcome: "done", text: "ok" };

/** Tool rounds in a conversation whose model gives these responses, one after the other. */
function createRounds(first: Message, answers: readonly Message[], { maxRounds = 10 } = {}) {
  const log: string[] = [];
  const stopped: string[] = [];
  const reported: unknown[] = [];
  let ids = 0;
  const context = {
    store: temporaryStore(),
    now: () => 1,
    createId: () => `t${++ids}`,
    reportError: (error: unknown) => reported.push(error),
  };
  const conversation = { id: "c1", title: "T", createdAt: 1, updatedAt: 1, settings: { tools: ["tool"] } };
  const state = new ConversationState({ ...conversation, messages: [] }, context);
  state.addMessage(newQuestion({ id: "q", createdAt: 1 }, "q", []));
  const caller = { ...first, id: "a0", parentId: "q" };
  state.addMessage(caller);
  state.subscribe((event) => {
    if (event.type === "messageAdded" && event.message.role === "tool")
      log.push(`${event.message.toolCallId} ${event.message.finishReason}`);
  });
  let result: (id: string) => Promise<ToolResult> = () => Promise.resolve(done);
  const port: ToolPort = {
    definitions: () => Promise.resolve([]),
    run: ({ id }) => ({ result: result(id), stop: () => void stopped.push(id) }),
  };
  const rounds = new ToolRounds({
    state,
    port,
    maxRounds: () => maxRounds,
    complete(parentId) {
      const index = log.filter((line) => line === "asked").length;
      log.push("asked");
      const answer = { ...(answers[index] ?? message({ status: "failed" })), id: `a${index + 1}`, parentId };
      state.addMessage(answer);
      return Promise.resolve(answer);
    },
    reportError: (error) => reported.push(error),
  });
  return {
    state,
    rounds,
    log,
    stopped,
    reported,
    follow: () => rounds.follow(caller),
    answerWith: (next: typeof result) => (result = next),
  };
}

describe("Rounds of tool calls", () => {
  it("end at once if the response requests no tool", async () => {
    const { follow, log, state } = createRounds(message({}), []);
    await follow();
    assert.deepEqual([log, state.limitedId, state.isRunningTools], [[], undefined, false]);
  });

  it("run all calls, send the results, and continue until the model is done", async () => {
    const { follow, log, state } = createRounds(asking("1", "2"), [asking("3"), message({ text: "Done." })]);
    await follow();
    assert.deepEqual(log, ["1 done", "2 done", "asked", "3 done", "asked"]);
    assert.equal(state.limitedId, undefined);
  });

  it("end when the model's next response fails", async () => {
    const { follow, log, state } = createRounds(asking("1"), []);
    await follow();
    assert.deepEqual([log, state.limitedId], [["1 done", "asked"], undefined]);
  });

  it("end when the next response is stopped, even if it contains tool calls", async () => {
    const { follow, log } = createRounds(asking("1"), [{ ...asking("2"), status: "stopped" }]);
    await follow();
    assert.deepEqual(log, ["1 done", "asked"]);
  });

  for (const finishReason of ["length", "max_tokens"])
    it(`neither run nor repeat calls that were cut off (${finishReason}), and inform the model and the user`, async () => {
      const cut = { ...asking("1", "2"), finishReason };
      const { follow, log, state } = createRounds(cut, [cut, cut]);
      await follow();
      assert.deepEqual(log, ["1 failed", "2 failed"]);
      assert.match(state.messages.at(-1)?.text ?? "", /cut off at the token limit/u);
    });

  it("don't run the calls of a round beyond the limit", async () => {
    const { follow, log, state } = createRounds(asking("1"), [asking("2"), asking("3")], { maxRounds: 2 });
    await follow();
    assert.deepEqual(log, ["1 done", "asked", "2 done", "asked"]);
    assert.equal(state.limitedId, "a2");
  });

  it("run no more calls of one response than the limit, and inform the model about the others", async () => {
    const calls = Array.from({ length: 22 }, (_, index) => String(index + 1));
    const { follow, log } = createRounds(asking(...calls), [message({ text: "Done." })]);
    await follow();
    const run = calls.slice(0, 20).map((id) => `${id} done`);
    assert.deepEqual(log, [...run, "21 skipped", "22 skipped", "asked"]);
  });

  it("stop every running call and send no more requests when the user stops", async () => {
    const { follow, rounds, answerWith, log, stopped, state } = createRounds(asking("1", "2"), [message({})]);
    const waiting = new Map<string, (result: ToolResult) => void>();
    answerWith((id) => new Promise((resolve) => waiting.set(id, resolve)));
    const end = follow();
    assert.equal(state.isRunningTools, true);
    rounds.stop();
    for (const resolve of waiting.values()) resolve({ outcome: "stopped", text: "" });
    await end;
    assert.deepEqual(stopped, ["1", "2"]);
    assert.deepEqual(log, ["1 stopped", "2 stopped"]);
    assert.equal(state.isRunningTools, false);
  });

  it("end and report the error if a tool run rejects although it must never reject", async () => {
    const { follow, answerWith, log, reported, state } = createRounds(asking("1"), []);
    const broken = new Error("no result");
    answerWith(() => Promise.reject(broken));
    await follow();
    assert.deepEqual([log, reported, state.isRunningTools], [[], [broken], false]);
  });
});

describe("The tool calls of a response", () => {
  it("keep asking about an interrupted call when its stored message is read again, and stop for one that runs elsewhere", async () => {
    const { follow, rounds, state, stopped, answerWith } = createRounds(asking("1"), [message({})]);
    const origin = { id: "r1", parentId: "a0", createdAt: 1 };
    const cutOff = interruptedTool(newRunningTool(origin, "1"));
    state.addMessage(cutOff);
    let end: (result: ToolResult) => void = () => undefined;
    answerWith(() => new Promise((resolve) => (end = resolve)));
    const followed = follow();
    rounds.takeIn([cutOff]);
    assert.deepEqual(stopped, []);
    rounds.takeIn([newRunningTool(origin, "1")]);
    assert.deepEqual(stopped, ["1"]);
    end({ outcome: "stopped", text: "" });
    await followed;
  });

  it("get their own IDs if the server sent none or duplicates", () => {
    const { toolCalls } = asking("a", "", "a");
    const ids = withCallIds("m", toolCalls).map(({ id }) => id);
    assert.deepEqual(ids, ["a", "m-1", "m-2"]);
    assert.deepEqual(withCallIds("m", toolCalls), withCallIds("m", toolCalls));
  });

  it("are open until a message after the response answers them", () => {
    const path = [asking("1", "2"), message({ role: "tool", toolCallId: "2" }), message({})];
    assert.deepEqual(
      openCalls(path, 0).map(({ id }) => id),
      ["1"],
    );
    assert.deepEqual(openCalls(path, 2), []);
  });
});
