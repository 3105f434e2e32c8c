import type { GpuWatchState } from "../../../src/core/servers/gpu/gpuWatchState.ts";
import type { UsePoint } from "../../../src/core/servers/gpu/serverUse.ts";
import { measuredCells } from "../../../src/core/servers/table/measuredCells.ts";
import { TableModel } from "../../../src/core/servers/table/tableModel.ts";
import type { MeasuredOf } from "../../../src/core/servers/table/tableModel.ts";
import { createSection, createServers } from "../../support/serverSections.ts";
import { TablePageDriver } from "../../webview/support/tablePageDriver.ts";
import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { startCpuTrace } from "./cpuTrace.ts";

const many = 2_000;
const rounds = 5;
const now = 1_800_000_000_000;

/** In the page: what it costs to show all rows, and then to change one of them, as watching does. */
async function measurePage(): Promise<readonly BenchmarkRow[]> {
  const driver = new TablePageDriver({ width: 1_200, height: 900 });
  await driver.start();
  try {
    const servers = createServers(many);
    const session = async () => startCpuTrace(await driver.page.context().newCDPSession(driver.page));
    await driver.open([createSection([])]);
    const stopFilling = await session();
    await driver.update([createSection(servers)]);
    const filled = await stopFilling();
    const stopChanging = await session();
    for (let round = 0; round < rounds; round++) {
      const changed = servers.map((server, index) =>
        index === round ? ({ ...server, status: "error" } as const) : server,
      );
      await driver.update([createSection(changed)]);
    }
    const changes = await stopChanging();
    return [
      { name: "showing all rows", value: filled.total, unit: "ms CPU", target: "< 500", failAbove: 2_000 },
      {
        ...{ name: "changing a row", value: changes.total / rounds, unit: "ms CPU" },
        ...{ target: "< 100", failAbove: 400 },
      },
    ];
  } finally {
    await driver.close();
  }
}

/** In the page and the model: new values of eight servers with eight GPUs each, and a day of their use. */
async function measureWatched(): Promise<readonly BenchmarkRow[]> {
  const driver = new TablePageDriver({ width: 1_200, height: 900 });
  await driver.start();
  try {
    const sections = [createSection(createServers(8))];
    let round = 0;
    const measuredOf: MeasuredOf = (_, { key }) => {
      const start = now - 24 * 3_600_000;
      const points = Array.from({ length: 288 }, (_each, index) =>
        usePoint(start + index * 300_000, index % 100),
      );
      return measuredCells({}, gpuState(now, 8, key.length + round), points, now);
    };
    await driver.open(sections, measuredOf);
    const stop = await startCpuTrace(await driver.page.context().newCDPSession(driver.page));
    for (round = 1; round <= rounds; round++) await driver.update(sections);
    const { total } = await stop();
    return [
      {
        ...{ name: "new values of 8 servers with 8 GPUs each", value: total / rounds, unit: "ms CPU" },
        ...{ target: "< 30", failAbove: 200 },
      },
    ];
  } finally {
    await driver.close();
  }
}

function gpuState(measuredAt: number, gpus: number, percent: number): GpuWatchState {
  const samples = Array.from({ length: gpus }, (_, index) => ({
    ...{ index, name: "NVIDIA H100", utilizationPercent: (percent * 7 + index) % 100, powerW: 300 },
    ...{ memoryUsedMiB: 10_240 + index, memoryTotalMiB: 81_920, temperatureC: 50 + index },
  }));
  return { samples, lost: [], measuredAt, problem: undefined, intervalMs: 5_000 };
}

function usePoint(at: number, percent: number): UsePoint {
  return {
    ...{ at, since: at, kind: "busy", percent, memoryPercent: 50, requests: undefined, hasProcesses: true },
  };
}

/** In the host: how long the model takes to sort its rows and to turn changes into messages. */
function measureModel(): readonly BenchmarkRow[] {
  const sections = [createSection(createServers(many))];
  const median = (name: string, most: number, change: (model: TableModel, round: number) => void) => {
    const times = Array.from({ length: rounds }, (_, round) => {
      const model = new TableModel();
      model.arrange({ sort: { column: "region", isDescending: false } });
      model.begin(sections, now);
      change(model, round);
      const start = performance.now();
      model.update(sections, now);
      return performance.now() - start;
    });
    const value = times.toSorted((first, second) => first - second)[Math.floor(rounds / 2)] ?? 0;
    return { name, value, unit: "ms", target: `< ${most}`, failAbove: most * 10 };
  };
  return [
    median("sorting by names that are all different", 50, (model) =>
      model.arrange({ sort: { column: "name", isDescending: false } }),
    ),
    median("sorting by state", 50, (model) =>
      model.arrange({ sort: { column: "status", isDescending: false } }),
    ),
    median("filtering by a state", 50, (model) => model.arrange({ filter: "status:running" })),
    median("filtering by free text", 50, (model, round) => model.arrange({ filter: `h10 eu-${round}` })),
    median("an update without a change", 1, () => undefined),
  ];
}

export const benchmark: Benchmark = {
  title: `The table of servers, ${many} rows`,
  async run() {
    return [...(await measurePage()), ...(await measureWatched()), ...measureModel()];
  },
};
