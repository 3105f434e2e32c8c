import assert from "node:assert/strict";
import { sortRows } from "../../../../src/core/servers/sortRows.ts";
import type { GpuWatchState } from "../../../../src/core/servers/gpu/gpuWatchState.ts";
import { MeasuredServers, spentCell } from "../../../../src/core/servers/table/measuredCells.ts";

const now = 1_800_000_000_000;
const gpu = { name: undefined, powerW: undefined };

function stateAt(measuredAt: number, ...percents: readonly (number | undefined)[]): GpuWatchState {
  const samples = percents.map((utilizationPercent, index) => ({
    ...{ ...gpu, index, utilizationPercent, temperatureC: 40 + index },
    ...{ memoryUsedMiB: utilizationPercent === undefined ? undefined : 10_240, memoryTotalMiB: 81_920 },
  }));
  return { samples, lost: [], measuredAt, problem: undefined, intervalMs: 5_000 };
}

describe("The measured cells of a server", () => {
  it("show the average use, the whole memory, and the warmest GPU", () => {
    const { use, memory, temperature } = new MeasuredServers().cells("a", stateAt(now, 100, 0), now);
    assert.deepEqual([use?.text, memory?.text, temperature?.text], ["50%", "20/160 GB", "41 °C"]);
  });

  it("leave out what isn't known, and what was measured too long ago", () => {
    const servers = new MeasuredServers();
    const { use, memory } = servers.cells("a", stateAt(now, undefined, 7), now);
    assert.deepEqual([use?.text, memory], ["7%", undefined]);
    assert.deepEqual(servers.cells("a", stateAt(now, 7), now + 600_000), {});
    assert.deepEqual(servers.cells("b", undefined, now), {});
  });

  it("count lost GPUs before the use of the others, and plot nothing if all are lost", () => {
    const lost = [{ index: 6, bus: "00000000:C7:00.0" }];
    const servers = new MeasuredServers();
    assert.equal(servers.cells("a", { ...stateAt(now, 71), lost }, now).use?.text, "1 GPU lost · 71%");
    for (const at of [now, now + 5_000]) {
      const { use, history } = servers.cells("b", { ...stateAt(at), lost }, at);
      assert.deepEqual([use?.text, history], ["1 GPU lost", undefined]);
    }
  });

  it("show the memory as in the tree: never 0 for a little of a small GPU, and shared memory as such", () => {
    const [sample] = stateAt(now, 3).samples;
    assert.ok(sample !== undefined);
    const small = { ...sample, memoryUsedMiB: 410, memoryTotalMiB: 4_096, isMemoryShared: true };
    const { memory } = new MeasuredServers().cells("a", { ...stateAt(now), samples: [small] }, now);
    assert.equal(memory?.text, "0.4/4.0 GB shared memory");
  });

  it("plot each measurement once, with a gap where there was none", () => {
    const servers = new MeasuredServers();
    for (const [at, percent] of [
      [0, 10],
      [0, 10],
      [5_000, 90],
      [900_000, 50],
    ] as const)
      servers.cells("a", stateAt(now + at, percent), now + at);
    const { history } = servers.cells("a", stateAt(now + 900_000, 50), now + 900_000);
    assert.deepEqual(history?.points, [10, 90, undefined, 50]);
    assert.equal(history.text, "From 10% to 90%");
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
