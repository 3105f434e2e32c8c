import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openConversationStore } from "../../../src/storage/conversations/openConversationStore.ts";
import { RetryingConversationStore } from "../../../src/storage/conversations/retryingConversationStore.ts";
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
    return openConversationStore(file, {
      now: Date.now,
      onProblem: (sentence) => problems.push(sentence),
      onTrouble: (sentence) => troubles.push(sentence),
    });
  }

  it("lose nothing when the disk is full, report that, and are stored once there is room", async () => {
    const store = await open();
    fillConversation(store, "c1", 2);
    const text = "x".repeat(2_000_000);
    store.saveMessage("c1", storedMessage("large", { text, parentId: "c1-1" }));
    assert.equal(await store.persist(), false);
    assert.match(troubles.at(-1) ?? "", /can't be saved to disk: the disk is full; free some space\./u);
    const call = storedMessage("call", { role: "tool", status: "streaming", parentId: "large" });
    assert.equal(await store.startCall("c1", call), "unwritten");
    store.saveMessage("c1", storedMessage("small", { parentId: "large" }));
    assert.ok(run("mount", "-o", "remount,size=16m", disk));
    assert.equal(await store.persist(), true);
    assert.equal(troubles.at(-1), undefined);
    store.close();
    const again = await open();
    const messages = again.load("c1")?.messages ?? [];
    assert.deepEqual(
      messages.map(({ id }) => id),
      ["c1-0", "c1-1", "large", "small"],
      "and the call that was given up never started",
    );
    assert.equal(messages[2]?.text.length, 2_000_000);
    again.close();
  });

  it("are kept in memory while the disk is read-only, and merged once it isn't", async () => {
    const before = await open();
    fillConversation(before, "c1", 2);
    before.close();
    assert.ok(run("mount", "-o", "remount,ro", disk));
    let retry: (() => void) | undefined;
    const store = new RetryingConversationStore({
      open,
      onTrouble: (sentence) => troubles.push(sentence),
      schedule(again) {
        retry = again;
        return () => undefined;
      },
    });
    await store.start();
    assert.match(troubles.at(-1) ?? "", /can't be opened: the disk, the folder, or the file is read-only\./u);
    assert.deepEqual(problems, [], "nothing is taken for damaged");
    fillConversation(store, "c2", 2);
    assert.equal(await store.persist(), false);
    assert.ok(run("mount", "-o", "remount,rw", disk));
    retry?.();
    while (troubles.at(-1) !== undefined) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await store.persist(), true);
    assert.deepEqual([store.load("c1")?.messages.length, store.load("c2")?.messages.length], [2, 2]);
    store.close();
  });
});
