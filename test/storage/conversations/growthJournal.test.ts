import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { GrowthFormat, formatOwner } from "../../../src/storage/conversations/growthFormat.ts";
import { GrowthJournal } from "../../../src/storage/conversations/growthJournal.ts";
import { createLease } from "../../../src/storage/database/streamLease.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

describe("The journal of growing messages", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  const journals = (): readonly string[] =>
    readdirSync(dirname(folder.file))
      .filter((name) => name.includes(".grow"))
      .map((name) => join(dirname(folder.file), name));

  /** Number of pieces in the database that contain the text. */
  function piecesWith(text: string): number {
    const database = new DatabaseSync(folder.file);
    const row = database
      .prepare("SELECT count(*) AS count FROM message_chunk WHERE instr(text, ?) > 0")
      .get(text);
    database.close();
    return Number(row?.["count"]);
  }

  const journaled = (): string =>
    journals()
      .map((path) => readFileSync(path, "utf8"))
      .join("");

  async function openStreaming(): Promise<ConversationArchive> {
    const store = await folder.open();
    fillConversation(store, "c1", 1);
    store.saveMessage("c1", storedMessage("m1", { role: "assistant", status: "streaming", text: "Start. " }));
    store.flush();
    return store;
  }

  /** Appends the text and waits until it is on disk, which is in the journal unless the machine is very slow. */
  async function grow(store: ConversationArchive, text: string): Promise<void> {
    store.appendDelta("c1", "m1", { kind: "text", text });
    const escaped = JSON.stringify(text).slice(1, -1);
    while (!journaled().includes(escaped) && piecesWith(text) === 0) await setTimeout(10);
  }

  const textIn = (store: ConversationArchive): string | undefined =>
    store.load("c1")?.messages.find(({ id }) => id === "m1")?.text;

  it("receives the growth of a message instead of the database", async () => {
    const store = await openStreaming();
    await grow(store, "one ");
    assert.equal(piecesWith("one "), 0);
    for (const text of ["two\n", "drei – „vier“ "]) await grow(store, text);
    assert.equal(textIn(store), "Start. one two\ndrei – „vier“ ");
    assert.doesNotMatch(journaled(), /one/, "kept although the database has it");
    store.close();
    assert.deepEqual(journals(), []);
  });

  it("is read by other windows, and its owner then continues without a gap or duplicate", async () => {
    const store = await openStreaming();
    const other = await folder.open();
    const mark = other.changeMark("c1");
    await grow(store, "æ one ");
    assert.equal(textIn(other), "Start. æ one ");
    store.appendDelta("c1", "m1", { kind: "text", text: "two " });
    await grow(store, "three ");
    const changes = other.loadChanges("c1", mark);
    assert.equal(changes?.messages[0]?.text, "Start. æ one two three ");
    await grow(store, "four ");
    assert.ok(changes !== undefined);
    assert.equal(other.loadChanges("c1", changes.mark)?.grown[0]?.text, "four ");
    await grow(store, "five ");
    store.flush();
    assert.equal(textIn(store), "Start. æ one two three four five ");
    assert.equal(textIn(other), "Start. æ one two three four five ");
  });

  it("is read by a window that can't write, because another one was suspended while it wrote", async () => {
    const store = await openStreaming();
    await grow(store, "æ one ");
    await grow(store, "two ");
    const suspended = new DatabaseSync(folder.file);
    suspended.exec("BEGIN IMMEDIATE");
    const other = await folder.open();
    const mark = other.changeMark("c1");
    assert.equal(textIn(other), "Start. æ one two ");
    const sliced = await other.loadInSlices("c1", () => Promise.resolve());
    assert.equal(sliced?.messages.find(({ id }) => id === "m1")?.text, "Start. æ one two ");
    await grow(store, "three ");
    assert.equal(textIn(other), "Start. æ one two three ");
    suspended.exec("ROLLBACK");
    suspended.close();
    other.flush();
    const changes = other.loadChanges("c1", mark);
    assert.equal(changes?.messages[0]?.text, "Start. æ one two three ");
    await grow(store, "four ");
    assert.ok(changes !== undefined);
    assert.equal(other.loadChanges("c1", changes.mark)?.grown[0]?.text, "four ");
    assert.equal(textIn(store), "Start. æ one two three four ");
  });

  it("is written to the database and removed when its window no longer exists", async () => {
    (await openStreaming()).close();
    const owner = { ...createLease(1), host: "" };
    const at = { text: "Start. ".length - 2, reasoning: 0 };
    const growth = { conversationId: "c1", messageId: "m1", at, text: ". and end", reasoning: "why" };
    const left = `${folder.file}.growth-left`;
    writeFileSync(left, Buffer.concat([formatOwner(owner), new GrowthFormat().format(growth)]));
    appendFileSync(left, '[0,13,3," and mo');
    const store = await folder.open();
    const message = store.load("c1")?.messages.at(-1);
    assert.deepEqual([message?.text, message?.reasoning], ["Start. and end", "why"]);
    while (journals().length > 0) await setTimeout(10);
    assert.equal(textIn(store), "Start. and end");
  });

  it("adds nothing to a message that its window has finished", async () => {
    const store = await openStreaming();
    await grow(store, "a long way round");
    const [journal = ""] = journals();
    const copy = readFileSync(journal, "utf8");
    store.saveMessage("c1", storedMessage("m1", { role: "assistant", text: "Short." }));
    store.flush();
    writeFileSync(`${folder.file}.growth-stale`, copy);
    assert.equal(textIn(await folder.open()), "Short.");
  });

  for (const removed of ["message", "conversation"] as const)
    it(`has no gap in the database when another ${removed} is deleted while the message grows`, async () => {
      const store = await openStreaming();
      fillConversation(store, "c2", 2);
      await grow(store, "a long beginning, which stays in the journal ");
      if (removed === "message") store.deleteMessage("c2", "c2-0");
      else store.deleteConversation("c2");
      store.appendDelta("c1", "m1", { kind: "text", text: "one " });
      store.appendDelta("c1", "m1", { kind: "text", text: "two" });
      assert.equal(textIn(store), "Start. a long beginning, which stays in the journal one two");
    });

  it("is emptied before the message continues with other text", async () => {
    const store = await openStreaming();
    await grow(store, "This is a thought. ");
    const replaced = { role: "assistant", status: "streaming", text: "", reasoning: "This." } as const;
    store.saveMessage("c1", storedMessage("m1", replaced));
    assert.doesNotMatch(journaled(), /thought/);
    await grow(store, "Text.");
    assert.equal(textIn(store), "Text.");
  });

  it("adds nothing that another window has read before the message continued with other text", async () => {
    const store = await openStreaming();
    const other = await folder.open();
    await grow(store, "This is a thought. ");
    const blocker = new DatabaseSync(folder.file);
    blocker.exec("BEGIN IMMEDIATE");
    other.load("c1");
    blocker.exec("ROLLBACK");
    blocker.close();
    const replaced = { role: "assistant", status: "streaming", text: "", reasoning: "This." } as const;
    store.saveMessage("c1", storedMessage("m1", replaced));
    store.flush();
    other.flush();
    assert.equal(textIn(other), "");
    store.appendDelta("c1", "m1", { kind: "text", text: "Text." });
    store.flush();
    assert.equal(textIn(other), "Text.");
  });

  it("stays while its window exists, no matter how long nothing has been streaming there", async () => {
    const store = await openStreaming();
    await grow(store, "one ");
    store.flush();
    const [journal = ""] = journals();
    utimesSync(journal, 1, 1);
    const other = await folder.open();
    await other.persist();
    assert.ok(existsSync(journal));
  });

  it("is created again if it was removed, without a gap", async () => {
    const store = await openStreaming();
    await grow(store, "one ");
    for (const path of journals()) rmSync(path);
    await grow(store, "two ");
    assert.equal(piecesWith("one "), 1);
    await grow(store, "three ");
    assert.equal(textIn(await folder.open()), "Start. one two three ");
    assert.equal(textIn(store), "Start. one two three ");
  });

  it("is removed if its window can't be identified and hasn't emptied it for a long time", async () => {
    const store = await openStreaming();
    const owner = { ...createLease(1), process: "", processId: process.pid, host: hostname() };
    const at = { text: "Start. ".length, reasoning: 0 };
    const growth = { conversationId: "c1", messageId: "m1", at, text: "end", reasoning: "" };
    const left = `${folder.file}.growth-left`;
    writeFileSync(left, Buffer.concat([formatOwner(owner), new GrowthFormat().format(growth)]));
    const before = new Date(Date.now() - 120_000);
    utimesSync(left, before, before);
    assert.equal(textIn(await folder.open()), "Start. end");
    while (existsSync(left)) await setTimeout(10);
    assert.equal(textIn(store), "Start. end");
  });

  it("doesn't outlive a conversation that is deleted without being opened", async () => {
    const store = await openStreaming();
    const owner = { ...createLease(1), host: "" };
    const at = { text: "Start. ".length, reasoning: 0 };
    const growth = { conversationId: "c1", messageId: "m1", at, text: "secret", reasoning: "" };
    const left = `${folder.file}.growth-left`;
    writeFileSync(left, Buffer.concat([formatOwner(owner), new GrowthFormat().format(growth)]));
    store.deleteConversation("c1");
    store.purgeConversation("c1");
    while (existsSync(left)) await setTimeout(20);
  });

  it("compresses long pieces of several messages, and a reader skips only what was cut off", () => {
    mkdirSync(dirname(folder.file), { recursive: true });
    const journal = new GrowthJournal(folder.file, Date.now);
    const reader = new GrowthJournal(folder.file, Date.now);
    const words = Array.from({ length: 2_000 }, (_, index) => `„word“ ${(index * 7_919) % 1_000}\n`).join("");
    const pieces = ["m1", "m2", "m1", "m2"].map((messageId, index) => ({
      ...{ conversationId: "c1", messageId, at: { text: index * words.length, reasoning: index } },
      ...{ text: index === 2 ? "short\0" : words, reasoning: index === 3 ? words : "" },
    }));
    try {
      for (const piece of pieces) assert.ok(journal.append(piece));
      const [path = ""] = journals();
      const { size } = statSync(path);
      assert.ok(size < Buffer.byteLength(words) * 2, `${size} bytes for four times ${words.length}`);
      assert.deepEqual(reader.readOthers("c1")[0]?.growths, pieces);
      assert.deepEqual(reader.readOthers("c2")[0]?.growths, []);
      truncateSync(path, size - 1);
      assert.deepEqual(reader.readOthers("c1")[0]?.growths, pieces.slice(0, 3));
    } finally {
      journal.close(true);
    }
  });

  it("compresses a piece along with the earlier ones, and reads none whose earlier ones are missing", () => {
    mkdirSync(dirname(folder.file), { recursive: true });
    const journal = new GrowthJournal(folder.file, Date.now);
    const reader = new GrowthJournal(folder.file, Date.now);
    const words = Array.from({ length: 400 }, (_, index) => ((index + 7) ** 9).toString(36)).join(" ");
    const pieces = Array.from({ length: 40 }, (_, index) => ({
      ...{ conversationId: "c1", messageId: "m1", at: { text: index * words.length, reasoning: 0 } },
      ...{ text: words, reasoning: "" },
    }));
    try {
      const sizes = pieces.map((piece) => {
        assert.ok(journal.append(piece));
        return statSync(journals()[0] ?? "").size;
      });
      const [first = 0, second = 0] = sizes;
      assert.ok(second - first < first / 5, `${second - first} bytes after ${first}`);
      assert.deepEqual(reader.readOthers("c1")[0]?.growths, pieces);
      const [path = ""] = journals();
      const bytes = readFileSync(path);
      const line = bytes.indexOf("[0,0,0");
      bytes.fill("x", bytes.indexOf("\n", line) + 10, bytes.indexOf("\n", line) + 20);
      writeFileSync(path, bytes);
      assert.deepEqual(reader.readOthers("c1")[0]?.growths, []);
    } finally {
      journal.close(true);
    }
  });

  it("never mistakes data that can't be a cut-off piece for the growth of another message", () => {
    mkdirSync(dirname(folder.file), { recursive: true });
    const journal = new GrowthJournal(folder.file, Date.now);
    const at = { text: 0, reasoning: 0 };
    const piece = { conversationId: "c1", messageId: "m1", at, text: "one", reasoning: "" };
    try {
      journal.append(piece);
      const [path = ""] = journals();
      const old = readFileSync(path, "utf8").split("\n").slice(2).join("\n");
      journal.clear();
      journal.append({ ...piece, messageId: "m2", text: "two" });
      appendFileSync(path, old);
      const read = new GrowthJournal(folder.file, Date.now).readOthers("c1")[0]?.growths;
      assert.deepEqual(
        read?.map(({ messageId, text }) => [messageId, text]),
        [["m2", "two"]],
      );
    } finally {
      journal.close(true);
    }
  });
});
