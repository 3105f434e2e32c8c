import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import type { ToolCall } from "../../../src/core/conversation/completion.ts";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import type {
  ToolCallOrigin,
  ToolPort,
  ToolResult,
  ToolRun,
} from "../../../src/core/conversation/toolPort.ts";
import type { ToWebview } from "../../../src/core/panel/protocol.ts";
import { SessionView } from "../../../src/core/panel/sessionView.ts";
import { eventually } from "../../support/eventually.ts";
import { ManualSchedule } from "../../support/manualSchedule.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";
import { fillConversation, StoreFolder } from "../../support/storeFolder.ts";

/** Tools that ask before each call, and do their work immediately when they are allowed to. */
class AskingTools implements ToolPort {
  readonly asking = new Map<string, (isAllowed: boolean) => void>();
  readonly done: string[] = [];

  definitions() {
    return Promise.resolve([]);
  }

  run({ id }: ToolCall, caller: ToolCallOrigin): ToolRun {
    const isAllowed = new Promise<boolean>((resolve) => this.asking.set(id, resolve));
    const work = async (): Promise<ToolResult> => {
      if (!(await isAllowed)) return { outcome: "stopped", text: "" };
      const start = await caller.recordStart();
      if (start !== "started") return { outcome: start === "taken" ? "taken" : "failed", text: "" };
      this.done.push(id);
      return { outcome: "done", text: `result ${id}` };
    };
    const result = work().finally(() => this.asking.delete(id));
    return { result, stop: () => this.asking.get(id)?.(false) };
  }
}

/** One window: its store, its session for the conversation, and the tools and requests for which it asks. */
class Window {
  readonly store: ConversationStore;
  readonly completions = new ScriptedCompletions();
  readonly tools = new AskingTools();
  readonly looks = new ManualSchedule();
  readonly session: ChatSession;
  readonly posted: ToWebview[] = [];
  readonly #view: SessionView;

  constructor(name: string, store: ConversationStore) {
    this.store = store;
    let ids = 0;
    const mark = store.changeMark("c1");
    const conversation = store.load("c1") ?? assert.fail();
    this.session = new ChatSession(conversation, {
      tools: this.tools,
      ...{ completions: this.completions, store, mark, now: () => ids, createId: () => `${name}${++ids}` },
      defaultModel: () => Promise.resolve("lab/echo"),
      reportError: (error) => assert.match(String(error), /refused by the test/u),
      schedule: this.looks.schedule,
    });
    this.#view = new SessionView(
      this.session,
      (message) => this.posted.push(message),
      new ManualSchedule().schedule,
    );
  }

  get texts(): readonly string[] {
    return this.session.state.messages.map(({ status, text }) =>
      status === "streaming" ? `${text}…` : text,
    );
  }

  /** Writes pending changes and reads what the other windows have stored. */
  look(): void {
    this.store.flush();
    this.looks.runAll();
  }

  close(): void {
    this.#view.dispose();
    this.session.dispose();
  }
}

/** Waits long enough for pending writes and promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("A conversation that is open in two windows", () => {
  let folder: StoreFolder;
  let one: Window;
  let other: Window;
  beforeEach(() => {
    folder = new StoreFolder();
    const store = folder.open();
    fillConversation(store, "c1", 1);
    one = new Window("a", store);
    other = new Window("b", folder.open());
  });
  afterEach(() => {
    for (const window of [one, other]) window.close();
    folder.remove();
  });

  it("shows new turns in both windows as they arrive", async () => {
    one.session.send("How are you?");
    const run = await one.completions.next();
    run.emit({ type: "text", text: "Well" });
    await run.delivered();
    one.look();
    other.look();
    assert.deepEqual(other.texts.slice(1), ["How are you?", "Well…"]);
    run.emit({ type: "text", text: ", thanks." });
    run.end();
    await run.settled;
    one.look();
    other.look();
    assert.deepEqual(other.texts, one.texts);
    assert.deepEqual(
      other.posted.map(({ type }) => type),
      [...["messageAdded", "messageAdded", "delta", "messageChanged"]],
    );
    other.session.send("And now?");
    other.look();
    one.look();
    assert.deepEqual(one.texts.slice(3), ["And now?", "…"]);
  });

  it("keeps simultaneous messages from both windows as versions of each other", async () => {
    one.session.send("from one");
    other.session.send("from other");
    await Promise.all([one.completions.next(), other.completions.next()]);
    for (const window of [one, other, one]) window.look();
    assert.deepEqual(one.texts.slice(1), ["from one", "…"]);
    assert.deepEqual(other.texts.slice(1), ["from other", "…"]);
    assert.deepEqual(one.session.state.versions, { a1: ["a1", "b1"] });
    assert.deepEqual(other.session.state.versions, { b1: ["b1", "a1"] });
    one.session.stop();
    other.session.stop();
    assert.equal(folder.open().load("c1")?.messages.length, 5);
  });

  it("shares title, model and settings, and keeps them when the other window adds a turn", async () => {
    one.session.rename("Greetings");
    one.session.selectModel("lab/other");
    one.session.changeSettings({ systemPrompt: "Be brief." });
    one.look();
    other.look();
    const { title, model, settings } = other.session.state;
    assert.deepEqual([title, model, settings], ["Greetings", "lab/other", { systemPrompt: "Be brief." }]);
    assert.deepEqual(
      other.posted.map(({ type }) => type),
      ["title", "settings"],
    );
    other.session.send("Hi");
    other.look();
    const stored = one.store.load("c1");
    assert.deepEqual([stored?.title, stored?.settings], ["Greetings", { systemPrompt: "Be brief." }]);
    await other.completions.next();
    other.session.stop();
  });

  /** A response with two calls, which both windows ask about. */
  async function askInBoth(): Promise<void> {
    one.session.changeSettings({ tools: ["pay"] });
    one.session.send("Pay both.");
    const run = await one.completions.next();
    for (const [index, id] of ["first", "second"].entries())
      run.emit({ type: "toolCall", index, id, name: "pay", arguments: "{}" });
    run.emit({ type: "finish", reason: "tool_calls" });
    run.end();
    await run.settled;
    one.look();
    other.look();
    other.session.continueTools("a2");
    await settle();
    assert.deepEqual([...one.tools.asking.keys()], ["first", "second"]);
    assert.deepEqual([...other.tools.asking.keys()], ["first", "second"]);
  }

  it("runs a tool call only once if it is allowed in both windows at the same time", async () => {
    await askInBoth();
    for (const window of [other, one]) window.tools.asking.get("first")?.(true);
    await settle();
    assert.deepEqual([...one.tools.done, ...other.tools.done], ["first"]);
    const [winner, loser] = one.tools.done.length > 0 ? [one, other] : [other, one];
    assert.equal(loser.session.state.isStreaming, false, "it leaves the conversation to the other window");
    assert.deepEqual([...loser.tools.asking.keys()], []);
    winner.tools.asking.get("second")?.(true);
    const run = await winner.completions.next();
    run.emit({ type: "text", text: "Paid." });
    run.end();
    await run.settled;
    for (const window of [winner, loser]) window.look();
    assert.deepEqual(winner.texts.slice(2), ["", "result first", "result second", "Paid."]);
    assert.deepEqual(loser.texts, winner.texts);
    assert.deepEqual(loser.session.state.versions, {});
  });

  it("withdraws the confirmation prompt of a tool call that the other window has started", async () => {
    await askInBoth();
    one.tools.asking.get("first")?.(true);
    await settle();
    one.look();
    other.look();
    await settle();
    assert.deepEqual([...other.tools.asking.keys()], []);
    assert.equal(other.session.state.isStreaming, false);
    assert.deepEqual(other.texts.slice(3), ["result first"]);
    assert.deepEqual([...one.tools.asking.keys()], ["second"]);
    one.session.stop();
  });

  it("shows a response whose window seemed to be dead as streaming again, until its end", async () => {
    one.session.send("Tell me.");
    const run = await one.completions.next();
    run.emit({ type: "text", text: "Once" });
    await run.delivered();
    one.look();
    other.look();
    const database = new DatabaseSync(folder.file);
    database.exec("DELETE FROM claim WHERE kind = 'window'");
    database.close();
    other.look();
    assert.deepEqual(other.texts.slice(2), ["Once"]);
    // Whatever pieces there are of it are joined.
    assert.equal(other.store.load("c1")?.messages.at(-1)?.status, "failed");
    assert.equal(await one.store.persist(), true, "which says that it is alive");
    run.emit({ type: "text", text: " upon a time" });
    await run.delivered();
    one.look();
    other.look();
    assert.deepEqual(other.texts.slice(2), ["Once upon a time…"]);
    run.emit({ type: "text", text: " there was" });
    await run.delivered();
    one.look();
    other.posted.length = 0;
    other.look();
    assert.deepEqual(other.posted, [
      {
        ...{ type: "delta", messageId: "a2", textOffset: 16, text: " there was" },
        ...{ reasoningOffset: 0, reasoning: "" },
      },
    ]);
    run.end();
    await run.settled;
    one.look();
    other.look();
    assert.deepEqual(other.texts, one.texts);
    assert.equal(other.session.state.messages.at(-1)?.status, "complete");
  });

  it("keeps its own pending changes instead of the stored state while the file is busy", async () => {
    const holder = new DatabaseSync(folder.file);
    other.session.rename("Theirs");
    other.look();
    holder.exec("BEGIN IMMEDIATE");
    one.session.rename("Mine");
    one.look();
    assert.equal(one.session.state.title, "Mine");
    holder.exec("ROLLBACK");
    holder.close();
    // A file that was locked for longer is tried again a moment later.
    await eventually(() => {
      one.look();
      other.look();
      assert.deepEqual([one.session.state.title, other.session.state.title], ["Mine", "Mine"]);
    });
  });

  it("is stored again completely if one window continues after the other deleted it permanently", async () => {
    other.store.save({ type: "delete", id: "c1" });
    other.look();
    other.close();
    other.store.close();
    one.look();
    assert.equal(one.store.load("c1"), undefined);
    one.session.send("Still there?");
    one.store.flush();
    await one.completions.next();
    one.session.stop();
    assert.deepEqual(
      one.store
        .load("c1")
        ?.messages.map(({ text }) => text)
        .slice(1),
      ["Still there?", ""],
    );
    assert.equal(one.store.load("c1")?.messages.length, 3);
  });

  it("is stored again completely if the file was lost while it was open", async () => {
    one.session.send("Tell me.");
    const run = await one.completions.next();
    run.emit({ type: "text", text: "Once" });
    await run.delivered();
    one.store.flush();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(folder.file + suffix, { force: true });
    one.look();
    run.emit({ type: "text", text: " more" });
    await run.delivered();
    one.look();
    const stored = folder.open().load("c1");
    assert.equal(stored?.title, "Title of c1");
    assert.deepEqual(stored.messages.map(({ text }) => text).slice(1), ["Tell me.", "Once more"]);
    assert.equal(stored.messages.length, 3);
    one.session.stop();
  });

  it("reads a response in the other window only when it has grown", async () => {
    one.session.send("Tell me.");
    const run = await one.completions.next();
    const grow = async (text: string): Promise<void> => {
      run.emit({ type: "text", text });
      await run.delivered();
      one.look();
    };
    await grow("Once");
    other.look();
    let mark = other.store.changeMark("c1");
    const next = () => {
      const changes = other.store.loadChanges("c1", mark) ?? assert.fail();
      mark = changes.mark;
      return changes.messages.map(({ text }) => text);
    };
    assert.deepEqual(next(), ["Once"], "where it is not known how much is known");
    await grow(" upon");
    await grow(" a time");
    assert.deepEqual(next(), ["Once upon a time"]);
    assert.deepEqual(next(), []);
    other.look();
    assert.deepEqual(other.texts.slice(2), ["Once upon a time…"]);
    run.emit({ type: "reasoningEnd", dropped: 0 });
    await grow(" there");
    run.end();
    await run.settled;
    one.look();
    assert.equal(next().length, 1);
    other.look();
    assert.deepEqual(other.texts, one.texts);
  });

  it("removes a message that the other window removes, and shows its replacement", async () => {
    one.session.send("Tell me.");
    const failed = await one.completions.next();
    failed.fail(new Error("refused by the test"));
    await failed.settled;
    one.look();
    other.look();
    assert.equal(other.session.state.messages.at(-1)?.status, "failed");
    one.session.regenerate("a2");
    const run = await one.completions.next();
    run.emit({ type: "text", text: "Here it is." });
    run.end();
    await run.settled;
    one.look();
    other.look();
    assert.deepEqual(other.texts.slice(1), ["Tell me.", "Here it is."]);
    assert.equal(other.session.state.find("a2"), undefined);
    assert.deepEqual(other.session.state.versions, {});
  });

  it("reads only what is new", async () => {
    fillConversation(one.store, "c2", 50);
    other.look();
    other.posted.length = 0;
    fillConversation(one.store, "c2", 50);
    other.look();
    assert.deepEqual(other.posted, []);
    const mark = other.store.changeMark("c1");
    one.session.send("one more");
    one.look();
    assert.equal(other.store.loadChanges("c1", mark)?.messages.length, 2);
    await one.completions.next();
    one.session.stop();
  });
});
