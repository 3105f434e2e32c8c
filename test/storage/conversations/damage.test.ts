import assert from "node:assert/strict";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import { completionMessages } from "../../../src/core/conversation/completionMessages.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

const pageSize = 4096;

function overwritePages(file: string, first: number, count: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(count * pageSize, 0xaa), 0, count * pageSize, first * pageSize);
  closeSync(descriptor);
}

/** Flips the lowest bit of the byte at which the text starts in the file. The text must occur exactly once. */
function flipBit(file: string, text: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf(text);
  assert.ok(at > 0 && bytes.indexOf(text, at + 1) === -1, `${text} is in the file once`);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(file, bytes);
}

describe("A flipped bit in the conversations file", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  function storeTurns(): void {
    const store = folder.open();
    store.save({
      type: "conversation",
      fields: { id: "c1", title: "Title", createdAt: 1, updatedAt: 1, model: "lab/echo" },
    });
    const call = { id: "call", name: "look", arguments: '{"at":"the tool arguments"}' };
    const messages = [
      storedMessage("m1", { text: "Pay 100 to Alice." }),
      storedMessage("m2", {
        role: "assistant",
        parentId: "m1",
        text: "Paid 100.",
        reasoning: "Thinking hard.",
      }),
      storedMessage("m3", {
        ...{ parentId: "m2", text: "And then?" },
        attachments: [{ type: "text", text: "the words of a file", title: "a.txt" }],
      }),
      storedMessage("m4", { role: "assistant", parentId: "m3", text: "Let me look.", toolCalls: [call] }),
      storedMessage("m5", {
        ...{ role: "tool", parentId: "m4", toolCallId: "call" },
        text: "the tool result",
      }),
      storedMessage("m6", { role: "assistant", parentId: "m5", text: "That is all." }),
    ];
    for (const message of messages) store.save({ type: "message", conversationId: "c1", message });
    store.close();
  }

  const changes = [
    ["a question", "Pay 100", "m1"],
    ["a response", "Paid 100", "m2"],
    ["reasoning", "Thinking hard", "m2"],
    ["an attachment", "the words of a file", "m3"],
    ["the arguments of a tool call", "the tool arguments", "m4"],
    ["a tool result", "the tool result", "m5"],
  ] as const;
  for (const [what, text, id] of changes)
    it(`is detected in ${what}, which is then omitted from requests until the user includes it`, () => {
      storeTurns();
      flipBit(folder.file, text);
      const store = folder.open();
      const conversation = store.load("c1") ?? assert.fail();
      assert.deepEqual(
        conversation.messages.flatMap((message) => (message.isDamaged === true ? [message.id] : [])),
        [id],
      );
      assert.deepEqual(folder.problems, [], "the file itself is sound");
      const damaged = conversation.messages.find((message) => message.id === id) ?? assert.fail();
      const sent = (): string => JSON.stringify(completionMessages(session.state.messages));
      let ids = 0;
      const session = new ChatSession(conversation, {
        ...{ completions: new ScriptedCompletions(), store, now: () => 1, createId: () => `n${++ids}` },
        defaultModel: () => Promise.resolve("lab/echo"),
        reportError: (error) => assert.fail(String(error)),
      });
      session.send("Go on.");
      const words = JSON.stringify(damaged.text).slice(1, -1);
      assert.ok(!sent().includes(words), sent());
      assert.ok(session.state.unsentIds.includes(id));
      session.stop();
      session.includeMessage(id);
      assert.ok(sent().includes(words), sent());
      assert.ok(!session.state.unsentIds.includes(id));
      store.flush();
      const after = folder
        .open()
        .load("c1")
        ?.messages.find((message) => message.id === id);
      assert.equal(after?.isDamaged, true, "what is stored again is not taken for sound");
    });
});

describe("A damaged conversations file", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  /** Ten conversations with 50 messages each, closed; about 1,100 pages. */
  function createFile(): void {
    const store = folder.open();
    for (let i = 0; i < 10; i++) fillConversation(store, `c${i}`, 50, 8_000);
    store.close();
  }

  function countMessages(store: Awaited<ReturnType<StoreFolder["open"]>>): number {
    return store.list().reduce((sum, { id }) => sum + (store.load(id)?.messages.length ?? 0), 0);
  }

  it("loses only the rows in the damaged part", () => {
    createFile();
    overwritePages(folder.file, 500, 20);
    const store = folder.open();
    const kept = countMessages(store);
    assert.ok(kept >= 470 && kept < 500, `${kept} of 500 messages`);
    assert.match(folder.problems[0] ?? "", new RegExp(`${kept} messages were recovered from it`));
  });

  it("is recovered from its remaining half", () => {
    createFile();
    truncateSync(folder.file, Math.floor(statSync(folder.file).size / 2));
    const kept = countMessages(folder.open());
    assert.ok(kept > 200 && kept < 500, `${kept} of 500 messages`);
  });

  it("is set aside unchanged, once", () => {
    createFile();
    writeFileSync(folder.file, "no database, whatever the name says".repeat(1000));
    const damaged = readFileSync(folder.file);
    folder.open().close();
    folder.open();
    const names = readdirSync(dirname(folder.file)).filter((name) => name.includes(".damaged-"));
    assert.equal(names.length, 1);
    assert.deepEqual(readFileSync(join(dirname(folder.file), names[0] ?? "")), damaged);
    assert.equal(folder.problems.length, 1);
  });

  it("is deleted two weeks after it was set aside, because it may contain messages deleted since", () => {
    createFile();
    writeFileSync(folder.file, "no database, whatever the name says".repeat(1000));
    const day = 86_400_000;
    const setAsideAt = Date.now();
    folder.open(() => setAsideAt).close();
    const aside = () => readdirSync(dirname(folder.file)).filter((name) => name.includes(".damaged-"));
    assert.match(folder.problems[0] ?? "", /The damaged file is deleted after 14 days/u);
    folder.open(() => setAsideAt + 13 * day).close();
    assert.equal(aside().length, 1);
    folder.open(() => setAsideAt + 15 * day).close();
    assert.deepEqual(aside(), []);
  });

  it("is replaced while a store has it open, and later writes are kept", () => {
    createFile();
    const store = folder.open();
    overwritePages(folder.file, 2, 900);
    store.save({ type: "conversation", fields: { id: "new", title: "New", createdAt: 2, updatedAt: 2 } });
    store.save({ type: "message", conversationId: "new", message: storedMessage("m1") });
    store.list().forEach(({ id }) => store.load(id));
    store.close();
    const again = folder.open();
    assert.equal(again.load("new")?.messages[0]?.text, "text of m1");
    assert.match(folder.problems[0] ?? "", /was damaged/);
  });

  it("names recovered messages after the first question if the conversation's own row is lost", async () => {
    createFile();
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(folder.file);
    database.exec("PRAGMA foreign_keys = OFF; DELETE FROM conversation WHERE id = 'c4'");
    database.close();
    overwritePages(folder.file, 500, 1);
    const store = folder.open();
    assert.match(store.load("c4")?.title ?? "", /^0 x/);
  });

  it("is replaced only once, by the faster of two windows", () => {
    createFile();
    const slow = folder.open();
    overwritePages(folder.file, 2, 900);
    const fast = folder.open();
    fillConversation(fast, "fresh", 3);
    fillConversation(slow, "late", 3);
    assert.equal(slow.load("fresh")?.messages.length, 3);
    assert.equal(fast.load("late")?.messages.length, 3);
    assert.equal(folder.problems.length, 1);
  });

  it("is set aside if another program created it", async () => {
    mkdirSync(dirname(folder.file));
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(folder.file);
    database.exec("CREATE TABLE message (id TEXT, body TEXT); PRAGMA user_version = 1");
    database.close();
    const store = folder.open();
    fillConversation(store, "c1", 2);
    assert.equal(store.load("c1")?.messages.length, 2);
    assert.match(folder.problems[0] ?? "", /No messages could be recovered/);
  });
});
