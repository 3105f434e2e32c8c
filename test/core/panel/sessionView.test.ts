import assert from "node:assert/strict";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import type { ToWebview } from "../../../src/core/panel/protocol.ts";
import { SessionView } from "../../../src/core/panel/sessionView.ts";
import { ManualSchedule } from "../../support/manualSchedule.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";
import type { ScriptedRun } from "../../support/scriptedCompletions.ts";
import { temporaryStore, StoreFolder, storedMessage } from "../../support/storeFolder.ts";

function createView(
  model: { readonly model?: string } = { model: "lab/echo" },
  messages: readonly Message[] = [],
) {
  const completions = new ScriptedCompletions();
  let ids = 0;
  const session = new ChatSession(
    { id: "c1", title: "New Chat", createdAt: 1, updatedAt: 1, ...model, messages },
    {
      completions,
      store: temporaryStore(),
      now: () => 1,
      createId: () => `m${++ids}`,
      defaultModel: async () => "lab/echo",
      reportError: (error) => assert.fail(String(error)),
    },
  );
  const frames = new ManualSchedule();
  const posted: ToWebview[] = [];
  const open = (): SessionView =>
    new SessionView(session, (message) => posted.push(message), frames.schedule);
  /** Sends a message, and returns once the beginning of its response has been delivered. */
  const respond = async (...beginning: readonly CompletionEvent[]): Promise<ScriptedRun> => {
    session.send("x");
    const run = await completions.next();
    run.emit(...beginning);
    await run.delivered();
    return run;
  };
  return { session, completions, frames, posted, open, respond };
}

const deltas = (posted: readonly ToWebview[]): readonly (readonly [number, string])[] =>
  posted.flatMap((message) =>
    message.type === "delta" ? [[message.textOffset, message.text] as const] : [],
  );

describe("SessionView", () => {
  it("posts the first delta immediately and then one message per frame", async () => {
    const { frames, posted, open, respond } = createView();
    open();
    const run = await respond(
      { type: "text", text: "a" },
      { type: "text", text: "b" },
      { type: "text", text: "c" },
    );
    assert.deepEqual(deltas(posted), [[0, "a"]]);
    frames.runAll();
    assert.deepEqual(deltas(posted), [
      [0, "a"],
      [1, "bc"],
    ]);
    run.end();
    await run.settled;
  });

  it("posts earlier messages after its snapshot", () => {
    const messages = Array.from({ length: 200 }, (_, index) =>
      storedMessage(`m${index}`, index === 0 ? {} : { parentId: `m${index - 1}` }),
    );
    const { frames, posted, open } = createView({}, messages);
    const view = open();
    view.snapshot();
    assert.deepEqual(posted, []);
    frames.runAll();
    assert.deepEqual(
      posted.map(({ type }) => type),
      ["earlier"],
    );
    view.dispose();
  });

  it("posts the model of the first response before its text", async () => {
    const { session, posted, open, respond } = createView({});
    open();
    const run = await respond({ type: "text", text: "a" });
    const named = posted.findIndex(
      (message) => message.type === "messageChanged" && message.change.model === "lab/echo",
    );
    assert.ok(named >= 0 && named < posted.findIndex(({ type }) => type === "delta"));
    assert.deepEqual(deltas(posted), [[0, "a"]]);
    session.stop();
    await run.settled;
  });

  it("posts all text before the end of the message, and leaves no timer running", async () => {
    const { session, completions, frames, posted, open } = createView();
    open();
    session.send("x");
    const run = await completions.next();
    run.emit({ type: "text", text: "a" }, { type: "text", text: "b" }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    const types = posted.map((message) => message.type);
    assert.ok(types.lastIndexOf("delta") < types.indexOf("messageChanged"));
    assert.deepEqual(deltas(posted), [
      [0, "a"],
      [1, "b"],
    ]);
    assert.equal(frames.pending, 0);
  });

  it("continues where the snapshot of a late page ended", async () => {
    const { posted, open, respond } = createView();
    const run = await respond({ type: "reasoning", text: "mmm" }, { type: "text", text: "abc" });
    const snapshot = open().snapshot();
    assert.equal(snapshot.messages.at(-1)?.text, "abc");
    assert.equal(snapshot.isStreaming, true);
    run.emit({ type: "text", text: "d" });
    await run.delivered();
    assert.deepEqual(posted.at(-1), {
      type: "delta",
      messageId: "m2",
      textOffset: 3,
      text: "d",
      reasoningOffset: 3,
      reasoning: "",
    });
    run.end();
    await run.settled;
  });

  it("posts nothing after it is disposed", async () => {
    const { frames, posted, open, respond } = createView();
    const view = open();
    const run = await respond({ type: "text", text: "a" }, { type: "text", text: "b" });
    view.dispose();
    const before = posted.length;
    frames.runAll();
    run.end();
    await run.settled;
    assert.equal(posted.length, before);
  });

  it("follows a response that another window streams until it ends", () => {
    const folder = new StoreFolder();
    const [writer, store] = [folder.open(), folder.open()];
    const answer = storedMessage("m9", { role: "assistant", status: "streaming", text: "so" });
    const conversation = { id: "c1", title: "New Chat", createdAt: 1, updatedAt: 1 };
    writer.save({ type: "conversation", fields: conversation });
    writer.save({ type: "message", conversationId: "c1", message: answer });
    writer.flush();
    const looks = new ManualSchedule();
    const session = new ChatSession(
      { ...conversation, messages: [answer] },
      {
        completions: new ScriptedCompletions(),
        store,
        now: () => 1,
        createId: () => "unused",
        defaultModel: async () => "lab/echo",
        reportError: (error) => assert.fail(String(error)),
        schedule: looks.schedule,
      },
    );
    const posted: ToWebview[] = [];
    const view = new SessionView(session, (message) => posted.push(message), new ManualSchedule().schedule);
    looks.runAll();
    writer.appendDelta("c1", "m9", { kind: "text", text: " far" });
    writer.flush();
    looks.runAll();
    writer.save({
      type: "message",
      conversationId: "c1",
      message: { ...answer, status: "complete", text: "so far so good" },
    });
    writer.flush();
    looks.runAll();
    assert.deepEqual(deltas(posted), [
      [2, " far"],
      [6, " so good"],
    ]);
    assert.deepEqual(posted.at(-1), {
      type: "messageChanged",
      messageId: "m9",
      change: { status: "complete", toolCalls: [] },
      length: "so far so good".length,
    });
    assert.equal(session.state.messages[0]?.text, "so far so good");
    view.dispose();
    session.dispose();
    assert.equal(looks.pending, 0);
    folder.remove();
  });
});
