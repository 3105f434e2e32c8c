import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { eventually } from "../../../support/eventually.ts";
import { fillConversation, storedMessage } from "../../../support/storeFolder.ts";
import { WindowFolder, assertWords } from "../../../support/windowProcesses.ts";
import type { WindowProcess } from "../../../support/windowProcesses.ts";

describe("What only one window may do", function () {
  this.timeout(60_000);
  let folder: WindowFolder;
  beforeEach(() => (folder = new WindowFolder()));
  afterEach(() => folder.end());

  const open = (): WindowProcess => folder.start();

  it("is done by one of three that try at the same moment", async () => {
    const store = folder.open();
    fillConversation(store, "c1", 1);
    const rounds = Array.from({ length: 20 }, (_, index) => `${index}`);
    for (const id of rounds)
      store.save({
        ...{ type: "queue", conversationId: "c1" },
        change: { type: "add", message: { id, text: id, attachments: [] } },
      });
    store.flush();
    const all = [open(), open(), open()];
    await Promise.all(all.map((window) => window.call("list")));
    const call = storedMessage("call", { role: "tool", status: "streaming", parentId: "c1-0" });
    for (const id of rounds) {
      const at = Date.now() + 20;
      const taken = await Promise.all(all.map((window) => window.callAt(at, "takeQueued", "c1", id)));
      assert.equal(taken.filter((isTaken) => isTaken === true).length, 1, `message ${id}: ${taken.join()}`);
    }
    for (const key of rounds) {
      const at = Date.now() + 20;
      const claims = await Promise.all(
        all.map((window) => window.callAt(at, "claim", "notice", key, 60_000)),
      );
      assert.deepEqual(claims.toSorted(), ["claimed", "taken", "taken"]);
    }
    const at = Date.now() + 20;
    const starts = await Promise.all(all.map((window) => window.callAt(at, "startCall", "c1", call)));
    assert.deepEqual(starts.toSorted(), ["started", "taken", "taken"]);
  });

  it("can be done by another one once its time is over, or the clock was set back, but not corrected", async () => {
    let now = 1_000_000_000;
    const [one, other] = [folder.open(() => now), folder.open(() => now)];
    assert.equal(await one.claim("notice", "k", 10_000), "claimed");
    now += 9_999;
    assert.equal(await other.claim("notice", "k", 10_000), "taken");
    now += 1;
    assert.equal(await other.claim("notice", "k", 10_000), "claimed");
    now -= 500;
    assert.equal(await one.claim("notice", "k", 10_000), "taken", "clocks are corrected all the time");
    now -= 3_600_000;
    assert.equal(await one.claim("notice", "k", 10_000), "claimed");
  });

  /** Leaves a spill file with growth of a message, as a window does that is killed during a lock. */
  async function leaveSpill(): Promise<number> {
    fillConversation(folder.open(), "c0", 1);
    const window = open();
    await window.stream("c1", "m1", 500);
    await window.grow(500);
    const lock = await folder.lock("BEGIN IMMEDIATE");
    await window.grow(2_000);
    await window.kill();
    await lock.release();
    assert.equal(folder.spillNames().length, 1);
    return window.durable;
  }

  async function assertStreamed(durable: number): Promise<void> {
    await eventually(() => assert.deepEqual(folder.spillNames(), []));
    const { text = "" } = folder.open().load("c1")?.messages[0] ?? {};
    assertWords(text, durable);
  }

  it("is done by one of three that find the same spill file: its text is there once", async () => {
    const durable = await leaveSpill();
    const spill = join(dirname(folder.file), folder.spillNames()[0] ?? "");
    const copy = readFileSync(spill);
    await Promise.all([open(), open(), open()].map((window) => window.call("list")));
    await assertStreamed(durable);
    // A window that was killed before it could delete the file.
    writeFileSync(spill, copy);
    await open().call("list");
    await assertStreamed(durable);
  });

  it("takes in what is valid in a spill file, whatever else is in it and beside it", async () => {
    const durable = await leaveSpill();
    const spill = join(dirname(folder.file), folder.spillNames()[0] ?? "");
    const hostile = [
      ...[null, [], 7, { key: 1 }, { key: "k", windowId: "w", changes: [null, { type: "message" }] }],
      {
        key: "nul",
        windowId: "w",
        changes: [{ type: "message", conversationId: "c1", message: { id: "x", createdAt: 1.5 } }],
      },
      {
        key: "proto",
        windowId: "w",
        changes: [
          { type: "__proto__", id: "c1" },
          { type: "constructor", id: "c1" },
        ],
      },
    ];
    for (const line of hostile) appendFileSync(spill, `\n${JSON.stringify(line)}\n`);
    appendFileSync(spill, `\n{"key":"cut","windowId":"w","changes":[{"type":"remo`);
    const beside = (name: string): string =>
      spill.replace(/-\d+-[^-]*-[^-]*-[^-]*-[^-]*-[^-]*$/u, `-0-${name}.jsonl`);
    writeFileSync(beside("large"), "x".repeat(10_000_000));
    writeFileSync(beside("binary"), Buffer.from([0xff, 0xfe, 0, 0x0a, 0xc3, 0x28]));
    symlinkSync("/etc/hostname", beside("link"));
    mkdirSync(beside("folder"));
    const window = open();
    await window.call("list");
    await eventually(() =>
      assert.deepEqual(
        folder.spillNames().filter((name) => !/link|folder/u.test(name)),
        [],
      ),
    );
    assert.ok(existsSync("/etc/hostname"));
    assert.deepEqual(window.problems, []);
    const { messages = [] } = folder.open().load("c1") ?? {};
    assert.ok((messages.find(({ id }) => id === "m1")?.text.length ?? 0) >= durable);
    assert.equal(folder.open().load("c0")?.messages.length, 1);
  });

  it("is left to the next window in a spill file by one that is closed during a lock, within 2 s", async () => {
    const store = folder.open();
    fillConversation(store, "c1", 1);
    const lock = await folder.lock("BEGIN EXCLUSIVE");
    store.save({ type: "message", conversationId: "c1", message: storedMessage("late") });
    const start = performance.now();
    store.close();
    assert.ok(performance.now() - start < 2_000, `${performance.now() - start} ms`);
    assert.equal(folder.spillNames().length, 1);
    await lock.release();
    await setTimeout(100);
    assert.equal(folder.open().load("c1")?.messages.at(-1)?.id, "late");
    assert.deepEqual(folder.spillNames(), []);
    assert.deepEqual(folder.problems, []);
  });
});
