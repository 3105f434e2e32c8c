import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import type { ToolResult } from "../../../src/core/conversation/toolPort.ts";
import { openCalls, ToolRounds, withCallIds } from "../../../src/core/conversation/toolRounds.ts";
import type { RoundsHost } from "../../../src/core/conversation/toolRounds.ts";

function message(parts: Partial<Message>): Message {
  const empty = { text: "", attachments: [], reasoning: "", toolCalls: [] };
  return { id: "m", role: "assistant", status: "complete", createdAt: 0, ...empty, ...parts };
}

function asking(...ids: readonly string[]): Message {
  return message({ toolCalls: ids.map((id) => ({ id, name: "tool", arguments: "{}" })) });
}

const done: ToolResult = { outcome: "done", text: "ok" };

class FakeHost implements RoundsHost {
  readonly added: string[] = [];
  readonly stopped: string[] = [];
  readonly answers: Message[];
  result: (id: string) => Promise<ToolResult> = () => Promise.resolve(done);

  constructor(...answers: Message[]) {
    this.answers = answers;
  }

  run({ id }: { readonly id: string }) {
    return { result: this.result(id), stop: () => void this.stopped.push(id) };
  }

  addResult({ id }: { readonly id: string }, { outcome }: ToolResult): Promise<void> {
    this.added.push(`${id} ${outcome}`);
    return Promise.resolve();
  }

  openCalls(answer: Message) {
    return answer.toolCalls;
  }

  hasStarted() {
    return false;
  }

  ask(): Promise<Message | undefined> {
    this.added.push("asked");
    return Promise.resolve(this.answers.shift());
  }
}

describe("The rounds of tools", () => {
  it("end at once where nothing is asked for", async () => {
    const host = new FakeHost();
    assert.equal(
      (await new ToolRounds(host, { maxRounds: 10, maxCalls: 3 }).follow(message({}))).end,
      "done",
    );
    assert.deepEqual(host.added, []);
  });

  it("run all calls, ask again, and go on until the model is done", async () => {
    const host = new FakeHost(asking("3"), message({ text: "Done." }));
    assert.equal(
      (await new ToolRounds(host, { maxRounds: 10, maxCalls: 3 }).follow(asking("1", "2"))).end,
      "done",
    );
    assert.deepEqual(host.added, ["1 done", "2 done", "asked", "3 done", "asked"]);
  });

  it("end when the model's next answer fails", async () => {
    const host = new FakeHost();
    assert.equal(
      (await new ToolRounds(host, { maxRounds: 10, maxCalls: 3 }).follow(asking("1"))).end,
      "done",
    );
    assert.deepEqual(host.added, ["1 done", "asked"]);
  });

  it("leave the calls alone that are one round too many", async () => {
    const host = new FakeHost(asking("2"), asking("3"));
    assert.equal(
      (await new ToolRounds(host, { maxRounds: 2, maxCalls: 3 }).follow(asking("1"))).end,
      "limit",
    );
    assert.deepEqual(host.added, ["1 done", "asked", "2 done", "asked"]);
  });

  it("run no more calls of one response than the limit, and tell the model of the others", async () => {
    const host = new FakeHost(message({ text: "Done." }));
    const limits = { maxRounds: 10, maxCalls: 2 };
    assert.equal((await new ToolRounds(host, limits).follow(asking("1", "2", "3", "4"))).end, "done");
    assert.deepEqual(host.added, ["1 done", "2 done", "3 skipped", "4 skipped", "asked"]);
  });

  it("stop every call under way and ask no more when the user stops", async () => {
    const host = new FakeHost(message({}));
    const waiting = new Map<string, (result: ToolResult) => void>();
    host.result = (id) => new Promise((resolve) => waiting.set(id, resolve));
    const rounds = new ToolRounds(host, { maxRounds: 10, maxCalls: 3 });
    const end = rounds.follow(asking("1", "2"));
    rounds.stop();
    for (const resolve of waiting.values()) resolve({ outcome: "stopped", text: "" });
    assert.equal((await end).end, "stopped");
    assert.deepEqual(host.stopped, ["1", "2"]);
    assert.deepEqual(host.added, ["1 stopped", "2 stopped"]);
  });
});

describe("The calls of an answer", () => {
  it("get ids of their own where the server sent none or the same", () => {
    const { toolCalls } = asking("a", "", "a");
    const ids = withCallIds("m", toolCalls).map(({ id }) => id);
    assert.deepEqual(ids, ["a", "m-1", "m-2"]);
    assert.deepEqual(withCallIds("m", toolCalls), withCallIds("m", toolCalls));
  });

  it("are open until a message behind the answer answers them", () => {
    const path = [asking("1", "2"), message({ role: "tool", toolCallId: "2" }), message({})];
    assert.deepEqual(
      openCalls(path, 0).map(({ id }) => id),
      ["1"],
    );
    assert.deepEqual(openCalls(path, 2), []);
  });
});
