import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import {
  createLease,
  isForgotten,
  classifyWriter,
  leaseMs,
  leaseRenewalMs,
  WriterSilence,
} from "../../../src/storage/database/streamLease.ts";

const now = 1_000_000_000_000;
const day = 86_400_000;

describe("The lease of a streaming message", () => {
  const lease = createLease(now);

  it("is alive while its process is, whatever the clocks say and however long it was suspended", () => {
    for (const time of [now, now + leaseMs * 10, now - day, now + 400 * day])
      assert.equal(classifyWriter(lease, time), "alive");
  });

  it("is alive while its process is suspended, and dead as soon as the process is gone", async () => {
    const child = spawn(process.execPath, ["--eval", "setInterval(() => 0, 1000)"]);
    await once(child, "spawn");
    const { pid = 0 } = child;
    const started = { ...lease, processId: pid, process: identityOf(pid) };
    assert.equal(classifyWriter(started, now), "alive");
    process.kill(pid, "SIGSTOP");
    assert.equal(classifyWriter(started, now + day), "alive");
    process.kill(pid, "SIGKILL");
    await once(child, "exit");
    assert.equal(classifyWriter(started, now), "dead");
  });

  it("is dead if its process ID was reused by another process", () => {
    assert.equal(classifyWriter({ ...lease, process: lease.process.replace(/\d+$/u, "1") }, now), "dead");
  });

  it("is dead after the machine was restarted, but not if a copy of the machine is writing", () => {
    const [machine, , ...rest] = lease.process.split(" ");
    const rebooted = { ...lease, process: [machine, "another-boot", ...rest].join(" ") };
    assert.equal(classifyWriter(rebooted, now + leaseMs + 1), "dead");
    assert.equal(classifyWriter(rebooted, now + 1), "alive");
  });

  it("is unknown for an idle writer on another machine or in another container", () => {
    const [machine, boot, , start] = lease.process.split(" ");
    const elsewhere = [
      { ...lease, host: "another-machine", processId: 2 ** 22 + 1 },
      { ...lease, process: ["another-machine", boot, "pid:[1]", start].join(" ") },
      { ...lease, process: [machine, boot, "pid:[1]", start].join(" ") },
    ];
    for (const writer of elsewhere) {
      assert.equal(classifyWriter(writer, now + leaseMs), "alive");
      assert.equal(classifyWriter(writer, now + day), "unknown");
      assert.equal(classifyWriter(writer, now - day), "unknown");
      assert.equal(classifyWriter(writer, now + 300 * day), "unknown");
    }
  });

  it("depends on the process ID and the age if the writer stored nothing else", () => {
    const old = { ...lease, process: "" };
    assert.equal(classifyWriter(old, now + leaseMs), "alive");
    assert.equal(classifyWriter(old, now + day), "unknown");
    assert.equal(classifyWriter({ ...old, processId: 2 ** 22 + 1 }, now), "dead");
  });

  it("is dead if its writer gave up or its columns were lost", () => {
    assert.equal(classifyWriter({ ...lease, aliveAt: 0 }, now), "dead");
    assert.equal(classifyWriter({ host: "", processId: 0, process: "", aliveAt: 0 }, now), "dead");
  });

  /** As the process itself would report it. */
  function identityOf(pid: number): string {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ");
    return lease.process.replace(/\d+$/u, stat?.[19] ?? "");
  }
});

describe("The idle time of a writer", () => {
  it("is shorter than earlier versions allow, even if one renewal is late", () => {
    assert.ok(2 * leaseRenewalMs <= 10_000);
  });

  it("leads to the writer being forgotten after more days than a machine sleeps", () => {
    const lease = createLease(now);
    assert.deepEqual([isForgotten(lease, now + 3 * day), isForgotten(lease, now + 8 * day)], [false, true]);
  });

  it("is measured by the reader's own clock, starting from the last sign of life", () => {
    let time = 0;
    const silence = new WriterSilence(() => time);
    // For a clock that is hours ahead or behind.
    assert.equal(silence.isSilent("m", now - day), false);
    time += leaseMs;
    assert.equal(silence.isSilent("m", now - day), false);
    time += 1;
    assert.equal(silence.isSilent("m", now - day), true);
    assert.equal(silence.isSilent("another", now - day), false);
    assert.equal(silence.isSilent("m", now - day + 1), false);
    time += leaseMs;
    assert.equal(silence.isSilent("m", now - day + 1), false);
  });
});
