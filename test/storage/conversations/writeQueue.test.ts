import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { SqliteTrouble } from "../../../src/storage/database/sqliteTrouble.ts";
import { WriteQueue } from "../../../src/storage/conversations/writeQueue.ts";
import type { Change } from "../../../src/storage/conversations/writeQueue.ts";

class Failure extends Error {
  readonly trouble: SqliteTrouble;

  constructor(trouble: SqliteTrouble) {
    super(trouble);
    this.trouble = trouble;
  }
}

/** A target that rolls back a failed transaction, like a database. */
class ListTarget {
  written: string[] = [];
  readonly failures: boolean[] = [];
  transactions = 0;
  recoveries = 0;
  /** Whether growth can be kept elsewhere, and what was kept. */
  canKeep = false;
  readonly kept: string[] = [];
  readonly synced: boolean[] = [];
  #open: string[] = [];

  readonly queue = new WriteQueue({
    write: (changes, isSynced) => this.#write(changes, isSynced),
    trouble: (error) => (error instanceof Failure ? error.trouble : "other"),
    onFailure: (_error, isLost) => this.failures.push(isLost),
    onRecovery: () => this.recoveries++,
  });

  put(text: string): void {
    this.#open.push(text);
  }

  grow(key: string, text: string): void {
    this.queue.addGrowth(key, { kind: "text", text }, 1, () => ({
      write: (growth) => this.put(growth.text),
      keep: (growth) => this.canKeep && this.kept.push(growth.text) > 0,
    }));
  }

  #write(changes: readonly Change[], isSynced: boolean): void {
    this.synced.push(isSynced);
    this.#open = [];
    for (const change of changes) change();
    this.written.push(...this.#open);
    this.transactions++;
  }
}

describe("WriteQueue", () => {
  let target: ListTarget;
  beforeEach(() => (target = new ListTarget()));
  afterEach(() => target.queue.dispose());

  it("writes everything that is queued in one transaction, in order", () => {
    for (const text of ["a", "b", "c"]) target.queue.add(() => target.put(text));
    target.queue.flush();
    assert.deepEqual(target.written, ["a", "b", "c"]);
    assert.equal(target.transactions, 1);
  });

  it("writes automatically after a while", async () => {
    await new Promise<void>((resolve) => target.queue.add(resolve));
    assert.equal(target.transactions, 1);
  });

  it("combines the increments of each text, however they alternate", () => {
    for (let i = 0; i < 3; i++) {
      for (const key of ["x", "y"]) {
        target.grow(key, `${key}${i}`);
      }
    }
    target.queue.flush();
    assert.deepEqual(target.written, ["x0x1x2", "y0y1y2"]);
  });

  it("writes an increment after the change that ended the earlier increments", () => {
    target.grow("x", "1");
    target.queue.endGrowth("x");
    target.queue.add(() => target.put("whole"));
    target.grow("x", "2");
    target.queue.flush();
    assert.deepEqual(target.written, ["1", "whole", "2"]);
  });

  it("writes no growth that the next change includes, unless that change can't be written", () => {
    for (const isPossible of [true, false]) {
      target.grow("x", "1");
      target.queue.coverGrowth("x");
      target.queue.add(() => {
        if (!isPossible) throw new Error("no such column");
        target.put("1 and all");
      });
      target.queue.flush();
    }
    assert.deepEqual([target.written, target.failures], [["1 and all", "1"], [true]]);
  });

  it("keeps growth elsewhere, but writes all of it along with the next change", async () => {
    target.canKeep = true;
    for (const text of ["a", "b"]) {
      target.grow("x", text);
      while (target.kept.at(-1)?.endsWith(text) !== true) await setTimeout(10);
    }
    assert.deepEqual([target.written, target.queue.hasOnlyGrowth], [[], true]);
    await new Promise<void>((resolve) =>
      target.queue.add(() => {
        target.put("changed");
        resolve();
      }),
    );
    assert.deepEqual(target.written, ["ab", "changed"]);
    assert.equal(target.transactions, 1);
  });

  it("writes a change that depends on no other without the growth that is kept elsewhere", () => {
    target.grow("x", "a");
    target.queue.addApart(() => target.put("apart"));
    assert.deepEqual(target.written, ["apart"]);
    target.queue.flush();
    assert.deepEqual(target.written, ["apart", "a"]);
  });

  it("loses and duplicates nothing when the file is busy", () => {
    let isBusy = true;
    target.grow("x", "a");
    target.queue.add(() => {
      if (isBusy) throw new Failure("busy");
    });
    target.queue.flush();
    assert.deepEqual(target.written, []);
    target.grow("x", "b");
    isBusy = false;
    target.queue.flush();
    assert.deepEqual(target.written, ["ab"]);
    assert.deepEqual(target.failures, []);
  });

  it("drops one impossible change, reports it, and writes the others", () => {
    target.queue.add(() => target.put("a"));
    target.queue.add(() => {
      throw new Error("no such column");
    });
    target.queue.add(() => target.put("b"));
    target.queue.flush();
    assert.deepEqual(target.written, ["a", "b"]);
    assert.deepEqual(target.failures, [true]);
    assert.ok(target.queue.isEmpty);
  });

  it("reports that everything is synced to disk as soon as the file is free", async () => {
    let isBusy = true;
    target.queue.add(() => {
      if (isBusy) throw new Failure("busy");
      target.put("a");
    });
    const written = target.queue.persist();
    assert.deepEqual(target.synced, [true]);
    isBusy = false;
    assert.equal(await written, true);
    assert.deepEqual(target.written, ["a"]);
    assert.deepEqual(target.synced, [true, true]);
    assert.equal(await target.queue.persist(), true);
    target.queue.add(() => target.put("b"));
    target.queue.flush();
    assert.deepEqual(target.synced, [true, true, true, false]);
  });

  it("reports that a change is not on disk: refused, lost, or abandoned", async () => {
    target.queue.add(() => {
      throw new Error("no such column");
    });
    assert.equal(await target.queue.persist(), false);
    target.queue.add(() => {
      throw new Failure("refused");
    });
    assert.equal(await target.queue.persist(), false);
    target.queue.dispose();
    target.queue.add(() => {
      throw new Failure("busy");
    });
    const written = target.queue.persist();
    target.queue.dispose();
    assert.equal(await written, false);
  });

  it("reports once that the disk rejects writes, keeps everything and retries", () => {
    let isFull = true;
    target.queue.add(() => {
      if (isFull) throw new Failure("refused");
      target.put("a");
    });
    target.queue.flush();
    target.queue.flush();
    assert.deepEqual(target.failures, [false]);
    isFull = false;
    target.queue.flush();
    assert.deepEqual(target.written, ["a"]);
  });
});
