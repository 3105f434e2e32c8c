import { TableModel } from "../../../src/core/servers/table/tableModel.ts";
import { createSection, createServers } from "../../support/serverSections.ts";
import { TablePageDriver } from "../../webview/support/tablePageDriver.ts";
import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { startCpuTrace } from "./cpuTrace.ts";

const many = 10_000;
const frames = 200;
const rounds = 5;
const now = 1_800_000_000_000;

/** Scrolls by whole pages, so that every frame has different rows. Returns the cost for the page's main thread. */
async function measureScroll(count: number): Promise<BenchmarkRow> {
  const driver = new TablePageDriver({ width: 1_200, height: 900 });
  await driver.start();
  try {
    await driver.open([createSection(createServers(count))]);
    const stopTrace = await startCpuTrace(await driver.page.context().newCDPSession(driver.page));
    await driver.grid.evaluate(async (grid, total) => {
      for (let frame = 0; frame < total; frame++) {
        grid.scrollTop = (frame * 800) % Math.max(1, grid.scrollHeight - 900);
        await new Promise(requestAnimationFrame);
      }
    }, frames);
    const cpu = await stopTrace();
    const name = `scrolling by pages through ${count} servers`;
    return { name, value: cpu.total / frames, unit: "ms CPU/frame", target: "< 16", failAbove: 40 };
  } finally {
    await driver.close();
  }
}

/** In the host: how long the model takes to sort its rows and to turn changes into messages. */
function measureModel(): readonly BenchmarkRow[] {
  const sections = [createSection(createServers(many))];
  const median = (name: string, most: number, change: (model: TableModel, round: number) => void) => {
    const times = Array.from({ length: rounds }, (_, round) => {
      const model = new TableModel({ filter: "", sort: { column: "region", isDescending: false } });
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
      model.sort({ column: "name", isDescending: false }),
    ),
    median("sorting by state", 50, (model) => model.sort({ column: "status", isDescending: false })),
    median("filtering by a state", 50, (model) => model.filter("status:running")),
    median("filtering by free text", 50, (model, round) => model.filter(`h10 eu-${round}`)),
    median("an update without a change", 1, () => undefined),
  ];
}

export const benchmark: Benchmark = {
  title: `The table of servers, ${many} rows`,
  async run() {
    return [await measureScroll(100), await measureScroll(many), ...measureModel()];
  },
};
