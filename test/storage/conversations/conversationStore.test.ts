import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { emptyDraft } from "../../../src/core/conversation/conversationStore.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { SqliteConversationStore } from "../../../src/storage/conversations/conversationStore.ts";

const writer = fileURLToPath(new URL("../../support/storeWriter.ts", import.meta.url));

const message = (id: string, change: Partial<Message> = {}): Message => ({
  id,
  role: "user",
  status: "complete",
  createdAt: 1,
  text: `text of ${id}`,
  attachments: [],
  reasoning: "",
  toolCalls: [],
  ...change,
});

describe("A conversation store in a file", () => {
  let folder: string;
  let file: string;
  const problems: string[] = [];
  const opened: ConversationStore[] = [];
  const open = (): ConversationStore => {
    const store = new SqliteConversationStore(file, {
      now: () => Date.now(),
      monotonic: () => 0,
      onProblem: (sentence) => problems.push(sentence),
    });
    opened.push(store);
    return store;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "store-"));
    file = join(folder, "global", "conversations.db");
    problems.length = 0;
  });
  afterEach(() => {
    // One that stays open would restore its file during a later test, and report that.
    for (const store of opened.splice(0)) store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("returns what was saved, after closing and reopening", () => {
    const store = open();
    const answer = message("m2", {
      role: "assistant",
      model: "lab/echo",
      reasoning: "hm",
      toolCalls: [{ id: "t", name: "f", arguments: "{}" }],
      usage: { promptTokens: 1, totalTokens: 3 },
      finishReason: "stop",
    });
    const failed = message("m3", {
      role: "assistant",
      status: "failed",
      error: { reason: "rateLimit", message: "Wait.", statusCode: 429, retryAfterMs: 10 },
    });
    store.save({
      type: "conversation",
      fields: { id: "c1", title: "One", model: "lab/echo", createdAt: 1, updatedAt: 2 },
    });
    const result = message("m4", { role: "tool", toolCallId: "t", text: "🙂" });
    for (const each of [message("m1"), answer, failed, result])
      store.save({ type: "message", conversationId: "c1", message: each });
    store.close();
    const again = open();
    assert.deepEqual(again.load("c1"), {
      id: "c1",
      title: "One",
      model: "lab/echo",
      createdAt: 1,
      updatedAt: 2,
      messages: [message("m1"), answer, failed, result],
    });
    again.close();
  });

  it("keeps text after a NUL character", () => {
    const store = open();
    store.save({ type: "conversation", fields: { id: "c1", title: "One", createdAt: 1, updatedAt: 1 } });
    store.save({ type: "message", conversationId: "c1", message: message("m1", { text: "a\0b" }) });
    assert.equal(store.load("c1")?.messages[0]?.text, "a\ufffdb");
    store.close();
  });

  it("lists conversations, with the latest first", () => {
    const store = open();
    for (const [id, updatedAt] of [["a", 1] as const, ["b", 3] as const, ["c", 2] as const]) {
      store.save({ type: "conversation", fields: { id, title: id, createdAt: 1, updatedAt } });
    }
    assert.deepEqual(
      store.list().map(({ id }) => id),
      ["b", "c", "a"],
    );
    store.close();
  });

  it("appends deltas to messages of the same name in two conversations", () => {
    const store = open();
    const ids = ["c1", "c2"];
    for (const id of ids) {
      store.save({ type: "conversation", fields: { id, title: "", createdAt: 1, updatedAt: 1 } });
      store.save({
        type: "message",
        conversationId: id,
        message: message("m1", { role: "assistant", status: "streaming", text: "" }),
      });
    }
    for (let i = 0; i < 10; i++)
      for (const id of ids) store.appendDelta(id, "m1", { kind: "text", text: `${id} ` });
    store.flush();
    for (const id of ids) assert.equal(store.load(id)?.messages[0]?.text, `${id} `.repeat(10));
  });

  it("appends deltas without losing or duplicating any", () => {
    const store = open();
    store.save({ type: "conversation", fields: { id: "c1", title: "", createdAt: 1, updatedAt: 1 } });
    store.save({
      type: "message",
      conversationId: "c1",
      message: message("m1", { role: "assistant", status: "streaming", text: "" }),
    });
    let expected = "";
    for (let i = 0; i < 1000; i++) {
      store.appendDelta("c1", "m1", { kind: "text", text: `${i} ` });
      store.appendDelta("c1", "m1", { kind: "reasoning", text: "r" });
      expected += `${i} `;
      if (i % 97 === 0) store.flush();
    }
    const loaded = store.load("c1")?.messages[0];
    assert.equal(loaded?.text, expected);
    assert.equal(loaded?.reasoning.length, 1000);
    assert.equal(loaded?.status, "streaming");
    const whole = message("m1", { role: "assistant", text: expected });
    store.save({ type: "message", conversationId: "c1", message: whole });
    assert.deepEqual(store.load("c1")?.messages, [whole]);
    store.close();
  });

  it("keeps what a killed process had streamed, and marks the response as truncated", async () => {
    const child = spawn(process.execPath, [writer, file, "stream"], { stdio: ["ignore", "pipe", "inherit"] });
    const written = await nthLine(child.stdout, 8);
    child.kill("SIGKILL");
    await once(child, "exit");
    const store = open();
    const answer = store.load("c1")?.messages.at(-1);
    assert.equal(answer?.status, "failed");
    assert.equal(answer?.error?.reason, "truncated");
    // The writer reports what it appended at least 250 ms ago. All of that must be there.
    assert.ok((answer?.text.length ?? 0) >= Number(written), `${answer?.text.length} < ${written}`);
    assert.ok("0123456789".repeat(1_000_000).startsWith(answer?.text ?? "x"));
    store.close();
  });

  it("lets two processes write at the same time", async () => {
    open().close();
    const children = ["a", "b"].map((id) =>
      spawn(process.execPath, ["--disable-warning=ExperimentalWarning", writer, file, "hammer", id], {
        stdio: ["ignore", "ignore", "inherit"],
      }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0] as number));
    assert.deepEqual(codes, [0, 0]);
    const store = open();
    for (const id of ["a", "b"]) assert.equal(store.load(id)?.messages.length, 200);
    assert.deepEqual(problems, []);
    store.close();
  });

  it("sets aside a file that isn't a database, reports it and continues", () => {
    open().close();
    writeFileSync(file, "this is not a database, whatever its name says".repeat(100));
    const store = open();
    store.save({ type: "conversation", fields: { id: "c1", title: "After", createdAt: 1, updatedAt: 1 } });
    assert.equal(store.list().length, 1);
    assert.match(problems[0] ?? "", /damaged/);
    assert.ok(readdirSync(join(folder, "global")).some((name) => name.includes(".damaged-")));
    store.close();
  });

  it("recovers what is readable in a damaged file", () => {
    const store = open();
    for (let i = 0; i < 300; i++) {
      store.save({
        type: "conversation",
        fields: { id: `c${i}`, title: `Title ${i}`, createdAt: 1, updatedAt: i },
      });
      store.save({
        type: "message",
        conversationId: `c${i}`,
        message: message(`m${i}`, { text: "x".repeat(2000) }),
      });
    }
    store.close();
    truncateSync(file, Math.floor(statSync(file).size / 8192 / 2) * 4096);
    const recovered = open();
    assert.match(problems[0] ?? "", /damaged/);
    assert.ok(recovered.list().length > 0);
    recovered.close();
  });

  it("leaves a file from a newer version unchanged", async () => {
    open().close();
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 999");
    database.close();
    const before = readFileSync(file);
    const store = open();
    assert.throws(
      () => store.load("c1"),
      (error) => error instanceof ServiceError && /newer version/.test(error.message),
    );
    store.save({ type: "conversation", fields: { id: "c1", title: "One", createdAt: 1, updatedAt: 1 } });
    store.close();
    assert.deepEqual(readFileSync(file), before);
  });

  it("doesn't let one broken row hide a conversation", () => {
    const store = open();
    store.save({ type: "conversation", fields: { id: "c1", title: "One", createdAt: 1, updatedAt: 1 } });
    store.save({ type: "message", conversationId: "c1", message: message("m1") });
    store.save({ type: "message", conversationId: "c1", message: message("m2") });
    store.close();
    const database = new DatabaseSync(file);
    database.exec("UPDATE message SET details = '{broken', role = 'oracle' WHERE id = 'm1'");
    database.close();
    const again = open();
    assert.deepEqual(
      again.load("c1")?.messages.map(({ text }) => text),
      ["text of m1", "text of m2"],
    );
    again.close();
  });

  it("stores an image once and deletes it with its last message", () => {
    const store = open();
    const image = { type: "image", mediaType: "image/png", data: "aGk=", title: "hi.png" } as const;
    store.save({ type: "conversation", fields: { id: "c1", title: "One", createdAt: 1, updatedAt: 1 } });
    store.save({ type: "message", conversationId: "c1", message: message("m1", { attachments: [image] }) });
    store.save({
      type: "message",
      conversationId: "c1",
      message: message("m2", { attachments: [image, image] }),
    });
    assert.deepEqual(store.load("c1")?.messages[1]?.attachments, [image, image]);
    assert.equal(countRows(file, "attachment"), 1);
    store.save({ type: "delete", id: "c1" });
    store.close();
    assert.equal(countRows(file, "attachment"), 0);
  });

  it("deletes the images of a draft with it, unless a message also contains them", () => {
    const store = open();
    const [sent, unsent] = ["aGk=", "aG8="].map(
      (data) => ({ type: "image", mediaType: "image/png", data }) as const,
    );
    assert.ok(sent !== undefined && unsent !== undefined);
    store.save({ type: "conversation", fields: { id: "c1", title: "One", createdAt: 1, updatedAt: 1 } });
    store.save({ type: "draft", conversationId: "c1", draft: { text: "", attachments: [sent, unsent] } });
    store.save({ type: "message", conversationId: "c1", message: message("m1", { attachments: [sent] }) });
    store.save({ type: "draft", conversationId: "c1", draft: emptyDraft });
    store.flush();
    assert.equal(countRows(file, "attachment"), 1);
    store.save({ type: "draft", conversationId: "c1", draft: { text: "", attachments: [sent, unsent] } });
    store.save({ type: "removeMessage", conversationId: "c1", messageId: "m1" });
    assert.deepEqual(store.loadDraft("c1").attachments, [sent, unsent]);
    store.save({ type: "delete", id: "c1" });
    store.close();
    assert.equal(countRows(file, "attachment"), 0);
  });

  it("keeps drafts until they are cleared", () => {
    const store = open();
    store.save({ type: "draft", conversationId: "c1", draft: { text: "half a thought", attachments: [] } });
    assert.equal(store.loadDraft("c1").text, "half a thought");
    store.save({ type: "draft", conversationId: "c1", draft: emptyDraft });
    assert.deepEqual(store.loadDraft("c1"), emptyDraft);
    store.close();
  });

  it("erases deleted conversations when the window closes", () => {
    const store = open();
    for (const id of ["gone", "restored", "kept"])
      store.save({ type: "conversation", fields: { id, title: id, createdAt: 1, updatedAt: 1 } });
    for (const id of ["gone", "restored"]) store.save({ type: "delete", id });
    store.save({ type: "restore", id: "restored" });
    store.close();
    assert.equal(countRows(file, "conversation"), 2);
    const again = open();
    assert.deepEqual(new Set(again.list().map(({ id }) => id)), new Set(["restored", "kept"]));
    again.close();
  });

  it("keeps what a killed window had deleted for an hour, then erases it", () => {
    const store = open();
    store.save({ type: "conversation", fields: { id: "c1", title: "One", createdAt: 1, updatedAt: 1 } });
    store.close();
    const database = new DatabaseSync(file);
    const deleteBefore = (ms: number): unknown =>
      database.prepare("UPDATE conversation SET deleted_at = ?").run(Date.now() - ms);
    deleteBefore(60_000);
    open().close();
    assert.equal(countRows(file, "conversation"), 1);
    deleteBefore(4_000_000);
    open().close();
    database.close();
    assert.equal(countRows(file, "conversation"), 0);
  });

  it("reports in a sentence that the file can't be created", async () => {
    writeFileSync(join(folder, "global"), "a file that cannot be a folder");
    const store = open();
    assert.throws(
      () => store.load("c1"),
      (error) => error instanceof ServiceError && /can't be read from disk/.test(error.message),
    );
    store.close();
  });

  it("stays closed, drops later changes, and fails to read with an explanation", () => {
    const store = open();
    store.save({ type: "conversation", fields: { id: "c1", title: "One", createdAt: 1, updatedAt: 1 } });
    store.close();
    store.save({ type: "draft", conversationId: "c1", draft: { text: "late", attachments: [] } });
    store.close();
    assert.throws(() => store.load("c1"), ServiceError);
    const again = open();
    assert.equal(again.load("c1")?.title, "One");
    assert.deepEqual(again.loadDraft("c1"), emptyDraft);
    again.close();
  });

  it("is readable by its owner only", () => {
    open().close();
    assert.equal(statSync(file).mode & 0o077, 0);
    assert.equal(statSync(join(folder, "global")).mode & 0o077, 0);
  });
});

function countRows(file: string, table: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"];
  } finally {
    database.close();
  }
}

async function nthLine(stream: NodeJS.ReadableStream, count: number): Promise<string> {
  for await (const line of createInterface({ input: stream })) if (--count <= 0) return line;
  throw new Error("The writer ended too early.");
}
