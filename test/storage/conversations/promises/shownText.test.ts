import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { eventually } from "../../../support/eventually.ts";
import { fillConversation, storedMessage } from "../../../support/storeFolder.ts";
import { WindowFolder, assertWords, lockKinds } from "../../../support/windowProcesses.ts";
import type { WindowProcess } from "../../../support/windowProcesses.ts";

describe("Text that was shown 250 ms ago", function () {
  this.timeout(60_000);
  let folder: WindowFolder;
  let writer: WindowProcess;
  beforeEach(() => (folder = new WindowFolder()));
  afterEach(() => folder.end());

  async function assertKept(): Promise<void> {
    const { durable } = writer;
    assert.ok(durable > 0);
    const store = folder.open();
    await eventually(() => {
      const message = store.load("c1")?.messages.find(({ id }) => id === "m1");
      assertWords(message?.text ?? "", durable);
      assert.equal(message?.status, "failed");
    });
    assert.deepEqual(folder.spillNames(), []);
  }

  for (const rate of [20, 500, 5_000])
    it(`survives the end of its process at ${rate} words/s`, async () => {
      writer = folder.start();
      await writer.stream("c1", "m1", rate);
      await writer.grow(Math.min(rate * 2, 5_000));
      await writer.kill();
      await assertKept();
    });

  for (const [who, statements] of Object.entries(lockKinds))
    for (const when of ["before", "after"])
      it(`survives if ${who} locks the file ${when} Send until after the end of the process`, async () => {
        fillConversation(folder.open(), "c0", 2);
        writer = folder.start();
        await writer.call("list");
        const before = when === "before" ? await folder.lock(statements) : undefined;
        await writer.stream("c1", "m1", 500);
        if (before === undefined) await writer.grow(500);
        const lock = before ?? (await folder.lock(statements));
        await writer.grow(2_000);
        await writer.kill();
        await setTimeout(300);
        await lock.release();
        await assertKept();
        assert.equal(folder.open().load("c0")?.messages.length, 2);
      });

  it("is in the database, once, as soon as the file is no longer locked", async () => {
    fillConversation(folder.open(), "c0", 2);
    writer = folder.start();
    const lock = await folder.lock("BEGIN IMMEDIATE");
    await writer.stream("c1", "m1", 500);
    await writer.grow(2_000);
    assert.equal(folder.spillNames().length, 1);
    await lock.release();
    await writer.grow(1_000);
    await writer.kill();
    assert.deepEqual(folder.spillNames(), []);
    await assertKept();
  });

  it("is on disk after a power failure if it is a completed message or a tool call", async () => {
    const levels: [string, unknown][] = [];
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
      if (sql === "COMMIT" && this.isTransaction)
        levels.push([
          this.prepare("SELECT group_concat(status) AS all_status FROM message").get()?.[
            "all_status"
          ] as string,
          this.prepare("PRAGMA synchronous").get()?.["synchronous"],
        ]);
      exec.call(this, sql);
    };
    try {
      const store = folder.open();
      fillConversation(store, "c1", 0);
      store.save({
        type: "message",
        conversationId: "c1",
        message: storedMessage("m1", { status: "streaming" }),
      });
      store.flush();
      store.appendDelta("c1", "m1", { kind: "text", text: "more" });
      store.flush();
      store.save({ type: "message", conversationId: "c1", message: storedMessage("m1") });
      store.flush();
      const call = storedMessage("call", { role: "tool", status: "streaming", parentId: "m1" });
      assert.equal(await store.startCall("c1", call), "started");
    } finally {
      DatabaseSync.prototype.exec = exec;
    }
    writer = folder.start();
    const full = 2;
    assert.deepEqual(
      levels.filter(([, level]) => level === full).map(([status]) => status),
      ["complete", "complete,streaming"],
    );
  });
});

describe("A finished tool call", function () {
  this.timeout(60_000);
  it("is never started again by another window, whenever the first one is killed", async () => {
    const folder = new WindowFolder();
    const running = storedMessage("call", { role: "tool", status: "streaming", text: "", parentId: "c1-0" });
    const done = { ...running, status: "complete", text: "done", finishReason: "done" } as const;
    const other = folder.open();
    fillConversation(other, "c1", 1);
    const first = folder.start();
    try {
      assert.equal(await first.call("startCall", "c1", running), "started");
      assert.equal(await other.startCall("c1", running), "taken");
      await first.call("save", { type: "message", conversationId: "c1", message: done });
      await first.call("persist");
      await first.kill();
      assert.equal(await other.startCall("c1", running), "taken");
      assert.equal(other.load("c1")?.messages.at(-1)?.text, "done");
    } finally {
      await folder.end();
    }
  });
});
