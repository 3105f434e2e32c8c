import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { SqliteConversationStore } from "../../../src/storage/conversations/conversationStore.ts";
import { fillConversation, storedMessage } from "../../support/storeFolder.ts";

/** Runs a system command; returns whether that worked. */
function run(command: string, ...options: readonly string[]): boolean {
  return spawnSync(command, options, { stdio: "ignore" }).status === 0;
}

describe("Conversations on a failing disk", function () {
  this.timeout(60_000);
  let disk: string;
  let file: string;
  const troubles: (string | undefined)[] = [];
  const problems: string[] = [];
  // Mounting requires privileges that aren't available on every machine.
  beforeEach(function () {
    disk = mkdtempSync(join(tmpdir(), "disk-"));
    troubles.length = 0;
    problems.length = 0;
    if (process.platform !== "linux" || !run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk)) {
      this.skip();
    }
    mkdirSync(join(disk, "global"));
    file = join(disk, "global", "conversations.db");
  });
  afterEach(() => {
    run("umount", "-l", disk);
    rmSync(disk, { recursive: true, force: true });
  });

  function open() {
    return new SqliteConversationStore(file, {
      now: Date.now,
      onProblem: (sentence) => problems.push(sentence),
      onTrouble: (sentence) => troubles.push(sentence),
    });
  }

  async function untilTold(expected: RegExp): Promise<void> {
    for (let tries = 0; tries < 100 && troubles.at(-1) === undefined; tries++) await setTimeout(30);
    assert.match(troubles.at(-1) ?? "", expected);
  }

  it("lose nothing when the disk is full, report that, and are stored once there is room", async () => {
    const store = open();
    fillConversation(store, "c1", 2);
    const text = "x".repeat(2_000_000);
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("large", { text, parentId: "c1-1" }),
    });
    assert.equal(await store.persist(), false);
    await untilTold(/can't be saved: the disk is full; free some space\./u);
    const call = storedMessage("call", { role: "tool", status: "streaming", parentId: "large" });
    assert.equal(await store.startCall("c1", call), "unwritten");
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("small", { parentId: "large" }),
    });
    assert.ok(run("mount", "-o", "remount,size=16m", disk));
    assert.equal(await store.persist(), true);
    assert.equal(troubles.at(-1), undefined);
    store.close();
    const again = open();
    const messages = again.load("c1")?.messages ?? [];
    assert.deepEqual(
      messages.map(({ id }) => id),
      ["c1-0", "c1-1", "large", "small"],
      "and the call that was given up never started",
    );
    assert.equal(messages[2]?.text.length, 2_000_000);
    again.close();
    assert.deepEqual(readdirSync(join(disk, "global")), ["conversations.db"], "no spill file is left");
  });

  it("are kept elsewhere while the disk is read-only, and stored once it isn't", async () => {
    const before = open();
    fillConversation(before, "c1", 2);
    before.close();
    assert.ok(run("mount", "-o", "remount,ro", disk));
    const store = open();
    assert.equal(store.load("c1")?.messages.length, 2);
    fillConversation(store, "c2", 2);
    assert.equal(store.load("c2")?.messages.length, 2);
    assert.equal(await store.persist(), false);
    await untilTold(/is read-only\. New messages are kept in a separate file/u);
    assert.deepEqual(problems, [], "nothing is taken for damaged");
    assert.ok(run("mount", "-o", "remount,rw", disk));
    assert.equal(await store.persist(), true);
    assert.equal(troubles.at(-1), undefined);
    store.close();
    const again = open();
    assert.deepEqual([again.load("c1")?.messages.length, again.load("c2")?.messages.length], [2, 2]);
    again.close();
  });
});
