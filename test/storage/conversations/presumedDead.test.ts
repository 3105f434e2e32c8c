import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { StoreFolder, storedMessage } from "../../support/storeFolder.ts";

const program = fileURLToPath(new URL("../../support/storeWriter.ts", import.meta.url));

/** A separate process that streams `0123456789…` into message `m1` and reports how much of it must be on disk. */
class Writer {
  readonly #child: ChildProcess;
  /** UTF-16 code units that are guaranteed to be on disk. */
  durable = 0;

  constructor(file: string) {
    const flags = ["--disable-warning=ExperimentalWarning", program, file, "stream"];
    this.#child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "inherit"] });
    if (this.#child.stdout === null) throw new Error("no output");
    createInterface(this.#child.stdout).on("line", (line) => (this.durable = Number(line)));
  }

  /** Waits until this much more is on disk. */
  async grow(units: number): Promise<void> {
    const goal = this.durable + units;
    while (this.durable < goal) await setTimeout(10);
  }

  async signal(name: "SIGSTOP" | "SIGCONT"): Promise<void> {
    this.#child.kill(name);
    await setTimeout(30);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

describe("A response whose window was mistaken for dead", function () {
  this.timeout(60_000);
  let folder: StoreFolder;
  let writer: Writer;
  let reader: ConversationArchive;
  beforeEach(async () => {
    folder = new StoreFolder();
    reader = await folder.open();
    writer = new Writer(folder.file);
    await writer.grow(500);
  });
  afterEach(async () => {
    await writer.kill();
    folder.remove();
  });

  const find = (id: string): Message | undefined => reader.load("c1")?.messages.find((one) => one.id === id);

  /** Asserts that nothing guaranteed to be on disk is missing, duplicated or out of order. */
  function assertWhole(message: Message | undefined, status: Message["status"]): void {
    const { text = "" } = message ?? {};
    assert.equal(message?.status, status);
    assert.equal(text, "0123456789".repeat(text.length / 10), "in order");
    assert.ok(text.length >= writer.durable, `${text.length} of ${writer.durable}`);
  }

  /** What an older version does with a message whose lease has expired: merges its chunks and drops them. */
  function settleAsBefore(): void {
    const database = new DatabaseSync(folder.file);
    database.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
    database.exec(`
      UPDATE message SET status = 'failed', text = text || coalesce(
        (SELECT group_concat(text, '') FROM (SELECT text FROM message_chunk WHERE message_seq = message.seq ORDER BY seq)), '')
        WHERE id = 'm1' AND status = 'streaming';
      DELETE FROM message_chunk; COMMIT`);
    database.close();
  }

  it("is still shown as streaming in other windows while its process is stopped", async () => {
    await writer.signal("SIGSTOP");
    assertWhole(find("m1"), "streaming");
    await setTimeout(300);
    assertWhole(find("m1"), "streaming");
    await writer.signal("SIGCONT");
    await writer.grow(500);
    assertWhole(find("m1"), "streaming");
    await writer.kill();
    assertWhole(find("m1"), "failed");
  });

  it("is reclaimed by its writer, and keeps everything when the writer is killed later", async () => {
    for (let round = 0; round < 3; round++) {
      await writer.signal("SIGSTOP");
      settleAsBefore();
      assertWhole(find("m1"), "failed");
      await writer.signal("SIGCONT");
      await writer.grow(500);
      assertWhole(find("m1"), "streaming");
    }
    await writer.kill();
    assertWhole(find("m1"), "failed");
    assertWhole((await folder.open()).load("c1")?.messages[0], "failed");
  });

  it("keeps text that arrives right after it was settled, whenever its process is killed", async () => {
    for (const pause of [0, 20, 60, 120, 170, 220]) {
      await writer.signal("SIGSTOP");
      settleAsBefore();
      await writer.signal("SIGCONT");
      await setTimeout(pause);
      await writer.kill();
      assertWhole(find("m1"), find("m1")?.status ?? "failed");
      reader.deleteMessage("c1", "m1");
      reader.flush();
      writer = new Writer(folder.file);
      await writer.grow(200);
    }
  });

  it("is settled completely by two windows that find it abandoned at the same time", async () => {
    await writer.kill();
    const other = await folder.open();
    assertWhole(find("m1"), "failed");
    assertWhole(other.load("c1")?.messages[0], "failed");
    reader.flush();
    other.flush();
    assertWhole((await folder.open()).load("c1")?.messages[0], "failed");
  });

  it("is restored completely after another window has deleted its message", async () => {
    await writer.signal("SIGSTOP");
    reader.deleteMessage("c1", "m1");
    reader.flush();
    await writer.signal("SIGCONT");
    await writer.grow(500);
    assertWhole(find("m1"), "streaming");
    await writer.kill();
    assertWhole(find("m1"), "failed");
  });

  it("is kept next to the version in which another window continued it", async () => {
    await writer.signal("SIGSTOP");
    settleAsBefore();
    reader.saveMessage("c1", storedMessage("m2", { role: "assistant", text: "continued" }));
    reader.flush();
    await writer.signal("SIGCONT");
    await writer.grow(500);
    await writer.kill();
    assertWhole(find("m1"), "failed");
    assert.equal(find("m2")?.text, "continued");
  });

  it("continues in a conversation that another window deleted, and is complete when that is undone", async () => {
    reader.deleteConversation("c1");
    reader.flush();
    await writer.grow(500);
    await writer.signal("SIGSTOP");
    settleAsBefore();
    await writer.signal("SIGCONT");
    await writer.grow(500);
    await writer.kill();
    reader.restoreConversation("c1");
    assertWhole(find("m1"), "failed");
  });

  it("loses nothing in any sequence of stops, settlements, reads, deletions and continuations", async () => {
    let seed = 9;
    const random = (count: number): number => (seed = (seed * 48_271) % 2_147_483_647) % count;
    for (let step = 0; step < 40; step++) {
      const act = [
        () => writer.signal("SIGSTOP"),
        () => writer.signal("SIGCONT"),
        () => settleAsBefore(),
        () => void find("m1"),
        () => setTimeout(random(200)),
        () => (reader.deleteMessage("c1", "m1"), reader.flush()),
      ][random(step % 8 === 7 ? 6 : 5)];
      await act?.();
    }
    await writer.signal("SIGCONT");
    await writer.grow(300);
    await writer.kill();
    assertWhole(find("m1"), "failed");
  });
});
