import assert from "node:assert/strict";
import { sortRows } from "../../../../src/core/servers/sortRows.ts";
import type { UsePoint } from "../../../../src/core/servers/gpu/serverUse.ts";
import type { GpuWatchState } from "../../../../src/core/servers/gpu/gpuWatchState.ts";
import { measuredCells, spentCell } from "../../../../src/core/servers/table/measuredCells.ts";

const now = 1_800_000_000_000;
const gpu = { name: undefined, powerW: undefined };

function stateAt(measuredAt: number, ...percents: readonly (number | undefined)[]): GpuWatchState {
  const samples = percents.map((utilizationPercent, index) => ({
    ...{ ...gpu, index, utilizationPercent, temperatureC: 40 + index },
    ...{ memoryUsedMiB: utilizationPercent === undefined ? undefined : 10_240, memoryTotalMiB: 81_920 },
  }));
  return { samples, lost: [], measuredAt, problem: undefined, intervalMs: 5_000 };
}

function point(at: number, percent: number | undefined): UsePoint {
  return {
    ...{ at, since: at, kind: "busy", percent },
    memoryPercent: 50,
    requests: undefined,
    hasProcesses: true,
  };
}

describe("The measured cells of a server", () => {
  it("show the average use, the whole memory, and the warmest GPU", () => {
    const { use, memory, temperature } = measuredCells({}, stateAt(now, 100, 0), [], now);
    assert.deepEqual([use?.text, memory?.text, temperature?.text], ["50%", "20/160 GB", "41 °C"]);
  });

  it("leave out what isn't known, and what was measured too long ago", () => {
    const { use, memory } = measuredCells({}, stateAt(now, undefined, 7), [], now);
    assert.deepEqual([use?.text, memory], ["7%", undefined]);
    assert.deepEqual(measuredCells({}, stateAt(now, 7), [], now + 600_000), {});
    assert.deepEqual(measuredCells({}, undefined, [], now), {});
    const gpuUse = { value: "5%", source: "use" };
    assert.equal(measuredCells({ gpuUse }, undefined, [], now).use?.text, "5%");
    assert.equal(measuredCells({ gpuUse }, stateAt(now, 71), [], now).use?.text, "71%");
  });

  it("count lost GPUs before the use of the others, and plot nothing if all are lost", () => {
    const lost = [{ index: 6, bus: "00000000:C7:00.0" }];
    assert.equal(measuredCells({}, { ...stateAt(now, 71), lost }, [], now).use?.text, "1 GPU lost · 71%");
    const points = [point(now - 300_000, undefined), point(now, undefined)];
    const { use, history } = measuredCells({}, { ...stateAt(now), lost }, points, now);
    assert.deepEqual([use?.text, history], ["1 GPU lost", undefined]);
  });

  it("show the memory as in the tree: never 0 for a little of a small GPU, and shared memory as such", () => {
    const [sample] = stateAt(now, 3).samples;
    assert.ok(sample !== undefined);
    const small = { ...sample, memoryUsedMiB: 410, memoryTotalMiB: 4_096, isMemoryShared: true };
    const { memory } = measuredCells({}, { ...stateAt(now), samples: [small] }, [], now);
    assert.equal(memory?.text, "0.4/4.0 GB shared memory");
  });

  it("plot the average of each stretch of an hour or more, with gaps where nothing was measured", () => {
    const minute = 60_000;
    const end = Math.ceil(now / (3 * minute)) * 3 * minute;
    const points = [
      point(end - 50 * minute, 10),
      point(end - 49.5 * minute, 30),
      point(end - 20 * minute, undefined),
      point(end - 2 * minute, 90),
    ];
    const { history } = measuredCells({}, undefined, points, end - minute);
    assert.equal(history?.plot?.stepMs, 3 * minute);
    // Two of the first points in one value, which then counts for as long as it may be before the next measurement.
    assert.deepEqual(history.plot.values.slice(0, 12), [
      ...[undefined, undefined, undefined, undefined, undefined, undefined],
      ...[undefined, 20, 30, 30, 30, undefined],
    ]);
    assert.equal(history.plot.values.at(-1), 90);
    assert.ok(history.plot.values.slice(13, 23).every((value) => value === undefined));
    assert.equal(history.text, "From 20% to 90%");
  });

  it("plot a day at most, by the half hour or more", () => {
    const hour = 3_600_000;
    const points = Array.from({ length: 300 }, (_, index) => point(now - 24 * hour + index * 288_000, 50));
    const { plot } = measuredCells({}, undefined, points, now).history ?? {};
    assert.equal(plot?.stepMs, hour);
    assert.deepEqual(new Set(plot.values), new Set([50]));
    assert.equal(plot.values.length, 24);
  });
});

describe("What a server has cost", () => {
  it("sorts servers by currency, and within one by what is known and estimated together", () => {
    const spending = { runningMs: 0, unpricedMs: 0, unclearMs: 0, gapMs: 0, estimated: [] };
    const cost = (amount: number, currency: string) => ({ amount, currency });
    const observed = [[cost(900, "JPY")], [cost(9.5, "USD")], [cost(10, "USD")], [cost(2.49, "EUR")], []];
    const both = { ...spending, observed: [cost(9, "USD")], estimated: [cost(0.75, "USD")] };
    const rows = [...observed.map((costs) => ({ ...spending, observed: costs })), both].map((each) => ({
      mark: undefined,
      spent: spentCell(each, "en").spent,
    }));
    const texts = (isDescending: boolean): readonly (string | undefined)[] =>
      sortRows(rows, isDescending, ({ spent }) => spent?.order).map(({ spent }) => spent?.text);
    const sorted = ["€2.49", "¥900.00", "$9.50", "$9.00 + ≈ $0.75", "$10.00"];
    assert.deepEqual(texts(false), [...sorted, undefined]);
    assert.deepEqual(texts(true), [...sorted.toReversed(), undefined]);
  });

  it("is never added to estimates or across currencies", () => {
    const spending = { runningMs: 0, unpricedMs: 0, unclearMs: 0, gapMs: 0 };
    const observed = [
      { amount: 12, currency: "USD" },
      { amount: 3, currency: "EUR" },
    ];
    const estimated = [{ amount: 2, currency: "USD" }];
    assert.equal(
      spentCell({ ...spending, observed, estimated }, "en").spent?.text,
      "$12.00 + €3.00 + ≈ $2.00",
    );
    assert.deepEqual(spentCell({ ...spending, observed: [], estimated: [] }, "en"), {});
  });
});
