import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { StoreFolder, storedMessage } from "../../support/storeFolder.ts";

const program = fileURLToPath(new URL("../../support/storeWriter.ts", import.meta.url));

/** A separate process that streams `0123456789…` into message `m1` and reports how much of it must be on disk. */
class Writer {
  readonly #child: ChildProcess;
  readonly #file: string;
  /** UTF-16 code units that are guaranteed to be on disk. */
  durable = 0;

  constructor(file: string) {
    this.#file = file;
    const flags = ["--disable-warning=ExperimentalWarning", program, file, "stream"];
    this.#child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "inherit"] });
    if (this.#child.stdout === null) throw new Error("no output");
    createInterface(this.#child.stdout).on("line", (line) => (this.durable = Number(line)));
  }

  /** Waits until this much more is on disk. */
  async grow(units: number): Promise<void> {
    const goal = this.durable + units;
    while (this.durable < goal) {
      assert.equal(this.#child.exitCode, null, "still writes");
      await setTimeout(10);
    }
  }

  /** Stops it between two of its transactions: while it holds the lock, nobody else could write. */
  async stop(): Promise<void> {
    const database = new DatabaseSync(this.#file);
    for (;;) {
      this.#child.kill("SIGSTOP");
      await setTimeout(30);
      try {
        database.exec("BEGIN IMMEDIATE; ROLLBACK");
        return database.close();
      } catch {
        await this.continue();
      }
    }
  }

  async continue(): Promise<void> {
    this.#child.kill("SIGCONT");
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
  let reader: ConversationStore;
  beforeEach(async () => {
    folder = new StoreFolder();
    reader = folder.open();
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

  /**
   * Another window takes the writer for dead, as it does where the system doesn't say when a process was started, and
   * joins the pieces of its response. Returns what it shows.
   */
  function mistakeForDead(): Message | undefined {
    const database = new DatabaseSync(folder.file);
    database.exec("PRAGMA busy_timeout = 5000");
    const { key = "", until = 0 } =
      database.prepare("SELECT key, until FROM claim WHERE kind = 'window'").get() ?? {};
    let shown: Message | undefined;
    // The writer may say at any time that it is alive.
    for (let tries = 10; tries > 0 && (shown === undefined || shown.status === "streaming"); tries--) {
      database.exec("DELETE FROM claim WHERE kind = 'window'");
      shown = find("m1");
    }
    database.prepare("INSERT OR REPLACE INTO claim VALUES ('window', ?, ?)").run(key, until);
    database.close();
    return shown;
  }

  it("is still shown as streaming while its process is stopped, for however long", async function () {
    // Elsewhere, it isn't known whether the process is still the same.
    if (process.platform !== "linux") this.skip();
    await writer.stop();
    assertWhole(find("m1"), "streaming");
    const later = folder.open(() => Date.now() + 86_400_000);
    assertWhole(later.load("c1")?.messages[0], "streaming");
    await writer.continue();
    await writer.grow(500);
    assertWhole(find("m1"), "streaming");
    await writer.kill();
    assertWhole(find("m1"), "failed");
  });

  it("is continued by its writer, and keeps everything when the writer is killed later", async () => {
    for (let round = 0; round < 3; round++) {
      assertWhole(mistakeForDead(), "failed");
      await writer.grow(500);
      assertWhole(find("m1"), "streaming");
    }
    await writer.kill();
    assertWhole(find("m1"), "failed");
    assertWhole(folder.open().load("c1")?.messages[0], "failed");
  });

  for (const pause of [0, 20, 60, 120, 170, 220])
    it(`keeps text that arrives right after its pieces were joined if its process is killed ${pause} ms later`, async () => {
      assertWhole(mistakeForDead(), "failed");
      await setTimeout(pause);
      await writer.kill();
      assertWhole(find("m1"), find("m1")?.status ?? "failed");
    });

  it("is shown completely by two windows that find it abandoned at the same time", async () => {
    await writer.kill();
    const other = folder.open();
    assertWhole(find("m1"), "failed");
    assertWhole(other.load("c1")?.messages[0], "failed");
    reader.flush();
    other.flush();
    assertWhole(folder.open().load("c1")?.messages[0], "failed");
  });

  it("is restored completely after another window has deleted its message", async () => {
    await writer.stop();
    reader.save({ type: "removeMessage", conversationId: "c1", messageId: "m1" });
    reader.flush();
    await writer.continue();
    await writer.grow(500);
    assertWhole(find("m1"), "streaming");
    await writer.kill();
    assertWhole(find("m1"), "failed");
  });

  it("is kept next to the version in which another window continued it", async () => {
    assertWhole(mistakeForDead(), "failed");
    reader.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("m2", { role: "assistant", text: "continued" }),
    });
    reader.flush();
    await writer.grow(500);
    await writer.kill();
    assertWhole(find("m1"), "failed");
    assert.equal(find("m2")?.text, "continued");
  });

  it("continues in a conversation that another window deleted, and is complete when that is undone", async () => {
    reader.save({ type: "delete", id: "c1" });
    reader.flush();
    await writer.grow(500);
    await writer.stop();
    await writer.continue();
    await writer.grow(500);
    await writer.kill();
    reader.save({ type: "restore", id: "c1" });
    assertWhole(find("m1"), "failed");
  });

  it("loses nothing in any sequence of stops, mistakes, reads, deletions and continuations", async () => {
    let seed = 9;
    const random = (count: number): number => (seed = (seed * 48_271) % 2_147_483_647) % count;
    for (let step = 0; step < 40; step++) {
      const act = [
        () => writer.stop(),
        () => writer.continue(),
        () => void mistakeForDead(),
        () => void find("m1"),
        () => setTimeout(random(200)),
        () => (reader.save({ type: "removeMessage", conversationId: "c1", messageId: "m1" }), reader.flush()),
      ][random(step % 8 === 7 ? 6 : 5)];
      await act?.();
    }
    await writer.continue();
    await writer.grow(300);
    await writer.kill();
    assertWhole(find("m1"), "failed");
  });
});
