import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

const streaming = storedMessage("m1", { role: "assistant", status: "streaming", text: "" });

describe("Conversations that are open in several windows", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  it("are visible in the other window as soon as they are written", async () => {
    const [one, other] = [await folder.open(), await folder.open()];
    fillConversation(one, "c1", 3);
    assert.equal(other.load("c1")?.messages.length, 3);
  });

  it("wait without an error while another window locks the file", async () => {
    const store = await folder.open();
    fillConversation(store, "c1", 1);
    const holder = new DatabaseSync(folder.file);
    holder.exec("BEGIN IMMEDIATE");
    store.saveMessage("c1", storedMessage("late"));
    store.flush();
    assert.equal(store.load("c1")?.messages.length, 1);
    holder.exec("COMMIT");
    holder.close();
    assert.equal(store.load("c1")?.messages.length, 2);
    assert.deepEqual(folder.problems, []);
  });

  it("don't block the extension host while another window locks the file", async () => {
    const store = await folder.open();
    fillConversation(store, "c1", 0);
    store.saveMessage("c1", streaming);
    store.flush();
    const holder = new DatabaseSync(folder.file);
    holder.exec("BEGIN IMMEDIATE");
    const typing = setInterval(() => store.appendDelta("c1", "m1", { kind: "text", text: "x" }), 10);
    const utilizations: number[] = [];
    do {
      const before = performance.eventLoopUtilization();
      await setTimeout(1_000);
      utilizations.push(performance.eventLoopUtilization(before).utilization);
    } while (Math.min(...utilizations) >= 0.5 && utilizations.length < 10);
    clearInterval(typing);
    holder.exec("COMMIT");
    holder.close();
    // A host that waits for the lock is busy 80% of the time. One that retries later is idle, although other programs
    // may keep it from the processor for a while, which counts as busy, too.
    assert.ok(Math.min(...utilizations) < 0.5, `busy ${utilizations.join(", ")} of the time`);
    assert.ok((store.load("c1")?.messages[0]?.text.length ?? 0) > 10);
  });

  it("open immediately while a window that was stopped during a write locks the file", async () => {
    fillConversation(await folder.open(), "c1", 3);
    const holder = new DatabaseSync(folder.file);
    holder.exec("BEGIN IMMEDIATE");
    const other = await folder.open();
    assert.deepEqual(
      other.list().map(({ id }) => id),
      ["c1"],
    );
    assert.equal(other.load("c1")?.messages.length, 3);
    holder.exec("ROLLBACK");
    holder.close();
    assert.deepEqual(folder.problems, []);
  });

  it("show a response as streaming while the other window still writes it", async () => {
    const [writer, reader] = [await folder.open(), await folder.open()];
    fillConversation(writer, "c1", 0);
    writer.saveMessage("c1", streaming);
    writer.appendDelta("c1", "m1", { kind: "text", text: "so far" });
    writer.flush();
    const seen = reader.load("c1")?.messages[0];
    assert.equal(seen?.status, "streaming");
    assert.equal(seen?.text, "so far");
  });

  it("show a response as truncated after its window has closed", async () => {
    const writer = await folder.open();
    fillConversation(writer, "c1", 0);
    writer.saveMessage("c1", streaming);
    writer.appendDelta("c1", "m1", { kind: "text", text: "so far" });
    writer.close();
    const seen = (await folder.open()).load("c1")?.messages[0];
    assert.equal(seen?.status, "failed");
    assert.equal(seen?.error?.reason, "truncated");
    assert.equal(seen?.text, "so far");
  });

  it("show a response as streaming as long as its process exists, whatever the clocks say", async () => {
    let now = 1_000_000;
    const [writer, reader] = [await folder.open(() => now), await folder.open(() => now)];
    fillConversation(writer, "c1", 0);
    writer.saveMessage("c1", streaming);
    writer.flush();
    now += 60_000_000;
    assert.equal(reader.load("c1")?.messages[0]?.status, "streaming");
  });

  it("show a response from another machine as truncated once that machine is idle, and as streaming when it resumes", async () => {
    let [now, monotonic] = [1_000_000_000, 0];
    const writer = await folder.open(() => now);
    const reader = await folder.open(
      () => now,
      () => monotonic,
    );
    const other = new DatabaseSync(folder.file);
    const stored = () => other.prepare("SELECT status FROM message").get()?.["status"];
    const status = () => reader.load("c1")?.messages[0]?.status;
    fillConversation(writer, "c1", 0);
    writer.saveMessage("c1", streaming);
    writer.appendDelta("c1", "m1", { kind: "text", text: "so far" });
    writer.flush();
    other.exec("UPDATE message SET writer_host = 'another-machine', writer_process = 'elsewhere 1 2 3'");
    // Its clock is two days ahead, but it is still writing.
    now -= 2 * 86_400_000;
    assert.equal(status(), "streaming");
    for (let look = 0; look < 4; look++) {
      monotonic += 4_000;
      other.exec("UPDATE message SET writer_alive_at = writer_alive_at + 2000");
      assert.equal(status(), "streaming");
    }
    monotonic += 60_000;
    assert.equal(status(), "failed");
    // Only for this reader: on disk, the other machine can still continue with it.
    reader.flush();
    assert.equal(stored(), "streaming");
    other.exec("UPDATE message SET writer_alive_at = writer_alive_at + 2000");
    assert.equal(status(), "streaming");
    other.close();
  });

  it("keep the complete response of a writer that was mistaken for dead", async () => {
    let now = 1_000_000;
    const [writer, reader] = [await folder.open(() => now), await folder.open(() => now)];
    fillConversation(writer, "c1", 0);
    writer.saveMessage("c1", streaming);
    writer.flush();
    now += 60_000;
    reader.saveMessage("c1", { ...streaming, status: "failed" });
    reader.flush();
    writer.appendDelta("c1", "m1", { kind: "text", text: "all of" });
    writer.flush();
    writer.saveMessage("c1", { ...streaming, status: "complete", text: "all of it" });
    writer.flush();
    const seen = reader.load("c1")?.messages;
    assert.deepEqual(
      seen?.map(({ status, text }) => [status, text]),
      [["complete", "all of it"]],
    );
  });

  it("drop later writes to a conversation that another window deleted", async () => {
    const [writer, other] = [await folder.open(), await folder.open()];
    fillConversation(writer, "c1", 0);
    writer.saveMessage("c1", streaming);
    writer.flush();
    other.deleteConversation("c1");
    other.flush();
    writer.appendDelta("c1", "m1", { kind: "text", text: "too late" });
    writer.saveMessage("c1", { ...streaming, status: "complete", text: "too late" });
    writer.flush();
    assert.equal(writer.load("c1"), undefined);
    assert.deepEqual(folder.problems, []);
  });

  it("continue in a new file if someone deleted theirs", async () => {
    const [one, other] = [await folder.open(), await folder.open()];
    fillConversation(one, "c1", 2);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(folder.file + suffix, { force: true });
    fillConversation(one, "c2", 2);
    fillConversation(other, "c3", 2);
    assert.deepEqual(
      one.list().map(({ id }) => id),
      other.list().map(({ id }) => id),
    );
    assert.equal(one.load("c3")?.messages.length, 2);
  });
});
