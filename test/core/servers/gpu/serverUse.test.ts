import assert from "node:assert/strict";
import { UseTracker, useText } from "../../../../src/core/servers/gpu/serverUse.ts";
import type { GpuProcess, ServerUse, UseReading } from "../../../../src/core/servers/gpu/serverUse.ts";

const minute = 60_000;
const hour = 60 * minute;
const start = 1_800_000_000_000;

function sample(percent: number | undefined, used: number | undefined, index = 0): UseReading["samples"][0] {
  return {
    ...{ index, name: "NVIDIA H100", utilizationPercent: percent, memoryUsedMiB: used },
    ...{ memoryTotalMiB: 81_559, temperatureC: 30, powerW: 70 },
  };
}

function holder(parts: Partial<GpuProcess> = {}): GpuProcess {
  const process = { pid: 7, gpu: 0, memoryMiB: 70_000, name: "train.py", user: "alice", isOwn: false };
  return { ...process, model: undefined, ...parts };
}

/** Readings every five minutes. */
function every5(hours: number, reading: Omit<UseReading, "at">, from = start): UseReading[] {
  return Array.from({ length: hours * 12 + 1 }, (_, index) => ({
    at: from + index * 5 * minute,
    ...reading,
  }));
}

function useOfServer(readings: readonly UseReading[], now: number): ServerUse {
  const tracker = new UseTracker();
  for (const reading of readings) tracker.add(reading);
  return tracker.use(now);
}

function judged(readings: readonly UseReading[], later = 0): readonly [ServerUse["kind"], string] {
  const now = (readings.at(-1)?.at ?? start) + later;
  const use = useOfServer(readings, now);
  return [use.kind, useText(use, now)];
}

describe("The use of a server", () => {
  it("is idle only while nothing uses a GPU or its memory", () => {
    const quiet = { samples: [sample(0, 4), sample(0, 400, 1)], processes: [] };
    assert.deepEqual(judged(every5(5, quiet)), ["idle", "idle 5 h"]);
    // What drivers reserve isn't used, but one process is enough.
    assert.deepEqual(judged(every5(5, { samples: [sample(0, 3_400)] })), ["idle", "idle 5 h"]);
    assert.equal(judged(every5(5, { samples: [sample(0, 8_000)] }))[0], "holding");
    assert.equal(judged(every5(5, { ...quiet, processes: [holder({ memoryMiB: 300 })] }))[0], "holding");
    assert.equal(judged(every5(5, { samples: [sample(0, 4), sample(40, 9, 1)] }))[0], "busy");
  });

  it("is unknown until it has been quiet for some minutes, and without values", () => {
    assert.equal(judged([{ at: start, samples: [sample(0, 4)] }])[0], "unknown");
    assert.equal(judged([])[0], "unknown");
    assert.equal(judged(every5(5, { samples: [] }))[0], "unknown");
    assert.equal(judged(every5(5, { samples: [sample(undefined, undefined)] }))[0], "unknown");
    assert.equal(judged(every5(5, { samples: [sample(undefined, 4)] }))[0], "unknown");
    // The processes decide what utilization doesn't: of split GPUs, it isn't reported.
    assert.equal(judged(every5(5, { samples: [sample(undefined, 4)], processes: [] }))[0], "idle");
  });

  it("isn't idle during a processor phase of a job, a transfer, or work of this extension", () => {
    const quiet = { samples: [sample(0, 4)], processes: [] };
    for (const work of [{ busyCores: 1.2 }, { networkBytesPerSecond: 80e6 }, { isWorking: true }])
      assert.equal(judged(every5(2, { ...quiet, ...work }))[0], "busy", JSON.stringify(work));
    const quietest = { busyCores: 0.1, networkBytesPerSecond: 20_000, isWorking: false };
    assert.equal(judged(every5(2, { ...quiet, ...quietest }))[0], "idle");
    const paused = { samples: [sample(0, 70_000)], processes: [holder()], busyCores: 3 };
    assert.equal(judged(every5(2, paused))[0], "busy");
  });

  it("names who holds memory without computing", () => {
    const processes = [holder(), holder({ pid: 8, isOwn: true, name: "python" })];
    assert.deepEqual(judged(every5(2, { samples: [sample(0, 70_000)], processes })), [
      "holding",
      "holding memory for 2 h: train.py (alice), python (you)",
    ]);
    const hidden = [holder({ name: undefined, user: undefined })];
    assert.match(judged(every5(2, { samples: [sample(0, 70_000)], processes: hidden }))[1], /: process 7$/);
  });

  it("is serving without requests only while the model server's counter stays the same", () => {
    const processes = [holder({ model: "Qwen2.5-7B", name: "VLLM::EngineCore" })];
    const serving = { samples: [sample(0, 70_000)], processes, busyCores: 2 };
    const quiet = every5(3, { ...serving, requests: "41" });
    assert.deepEqual(judged(quiet), ["serving", "serving, no requests for 3 h"]);
    // Requests between two measurements count although the GPU is never seen at work.
    const counting = quiet.map((reading, index) => ({ ...reading, requests: `${index}` }));
    assert.equal(judged(counting)[0], "busy");
    const after = every5(1, { ...serving, requests: "36" }, start + 3 * hour + 5 * minute);
    assert.deepEqual(judged([...counting, ...after]), ["serving", "serving, no requests for 1 h 5 min"]);
    // Without a counter, only the GPU is known.
    const uncounted = every5(3, { ...serving, busyCores: 0 });
    assert.deepEqual(judged(uncounted), ["serving", "serving, GPU at 0% for 3 h"]);
    assert.equal(judged(every5(3, { ...serving, processes: [...processes, holder({ pid: 9 })] }))[0], "busy");
  });

  it("is never claimed for a time in which nothing was measured, such as sleep", () => {
    const quiet = { samples: [sample(0, 4)], processes: [] };
    const before = every5(2, quiet);
    assert.deepEqual(judged(before, 4 * hour), ["unknown", "0% when last measured, 4 hours ago"]);
    const after = every5(1, quiet, start + 7 * hour);
    assert.deepEqual(judged([...before, ...after]), ["idle", "idle 1 h"]);
    assert.equal(judged([...before, ...after.slice(0, 1)])[0], "unknown");
    // A counter that stayed the same proves that there were no requests in the meantime.
    const serving = { ...quiet, processes: [holder({ model: "" })], requests: "5" };
    assert.match(judged([...every5(2, serving), ...every5(1, serving, start + 7 * hour)])[1], /for 8 h$/);
    // Time doesn't run backwards after the clock was set.
    assert.equal(useOfServer(every5(2, quiet), start - hour).kind, "unknown");
  });
});
