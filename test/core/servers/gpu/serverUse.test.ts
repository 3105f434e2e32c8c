import assert from "node:assert/strict";
import { UseTracker, isWorthKeeping, useText } from "../../../../src/core/servers/gpu/serverUse.ts";
import type {
  GpuProcess,
  ServerUse,
  UsePoint,
  UseReading,
} from "../../../../src/core/servers/gpu/serverUse.ts";

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

  it("is without SSH only after a minute of failures, and never together with other measurements", () => {
    const tracker = new UseTracker();
    for (const reading of every5(2, { samples: [sample(0, 4)], processes: [] })) tracker.add(reading);
    const end = start + 2 * hour;
    const text = (now: number): string => useText(tracker.use(now), now);
    tracker.addFailure(end + 5_000);
    assert.equal(tracker.use(end + 5_000).kind, "unknown");
    for (const seconds of [20, 80, 365]) tracker.addFailure(end + seconds * 1_000);
    assert.equal(text(end + 365_000), "running, no SSH for 6 min");
    // A closed lid is a gap here, too.
    assert.equal(text(end + hour), "");
    tracker.addFailure(end + hour);
    tracker.addFailure(end + hour + 2 * minute);
    assert.equal(text(end + hour + 2 * minute), "running, no SSH for 2 min");
    for (const reading of every5(1, { samples: [sample(0, 4)], processes: [] }, end + hour + 5 * minute))
      tracker.add(reading);
    assert.equal(text(end + 2 * hour + 5 * minute), "idle 1 h");
  });

  it("goes on after a restart as if there had been none, unless the pause was too long", () => {
    const idle = { samples: [sample(0, 4)], processes: [] };
    const serving = { samples: [sample(0, 70_000)], processes: [holder({ model: "" })], requests: "5" };
    const pointOf = (reading: Omit<UseReading, "at">): UsePoint => {
      const tracker = new UseTracker();
      for (const each of every5(5, reading)) tracker.add(each);
      return tracker.point ?? assert.fail();
    };
    const after = (pause: number, point: UsePoint, reading: Omit<UseReading, "at">): string => {
      const tracker = new UseTracker();
      tracker.restore(point);
      const at = start + 5 * hour + pause;
      tracker.add({ at, ...reading });
      tracker.add({ at: at + 5 * minute, ...reading });
      return useText(tracker.use(at + 5 * minute), at + 5 * minute);
    };
    assert.equal(after(5 * minute, pointOf(idle), idle), "idle 5 h 10 min");
    assert.equal(after(5 * hour, pointOf(idle), idle), "idle 5 min");
    assert.equal(after(5 * minute, pointOf(idle), { samples: [sample(70, 9)], processes: [] }), "");
    assert.equal(after(5 * hour, pointOf(serving), serving), "serving, no requests for 10 h 5 min");
    // The first values of a connection come without processes. They don't end what was known about these.
    const tracker = new UseTracker();
    tracker.restore(pointOf(serving));
    tracker.add({ at: start + 5 * hour + minute, samples: serving.samples });
    assert.equal(tracker.use(start + 5 * hour + minute).kind, "serving");
    // What another window has measured before doesn't replace what this one knows.
    tracker.restore({ ...pointOf(idle), at: start });
    assert.equal(tracker.use(start + 5 * hour + minute).kind, "serving");
  });

  it("is kept every five minutes, and sooner if it has changed, so that a restart never prolongs idleness", () => {
    const point: UsePoint = {
      ...{ at: start, since: start, kind: "idle", hasProcesses: true },
      ...{ percent: 0, memoryPercent: 0, requests: undefined },
    };
    const later = (ms: number, parts: Partial<UsePoint> = {}): UsePoint => ({
      ...point,
      at: start + ms,
      ...parts,
    });
    assert.ok(isWorthKeeping(point, undefined));
    assert.ok(!isWorthKeeping(later(4 * minute), point));
    assert.ok(isWorthKeeping(later(5 * minute), point));
    assert.ok(isWorthKeeping(later(5_000, { kind: "busy" }), point));
    assert.ok(!isWorthKeeping(later(5_000, { since: start + 5_000 }), point));
    assert.ok(isWorthKeeping(later(30_000, { since: start + 5_000 }), point));
    assert.ok(isWorthKeeping(later(-hour), point));
  });
});
