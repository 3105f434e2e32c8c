import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { buildExtension, measurePanelResponse } from "./panelResponse.ts";
import type { Answer, PanelResponse } from "./panelResponse.ts";

const answers: readonly Answer[] = [{ tokens: 50_000, tokensPerSecond: 5_000 }];

export const benchmark: Benchmark = {
  title: "An answer of a gateway on the same machine in the real panel",
  async run() {
    buildExtension();
    const rows: BenchmarkRow[] = [];
    for (const answer of answers) rows.push(...rowsOf(answer, await measurePanelResponse(answer)));
    return rows;
  },
};

function rowsOf(
  { tokens, tokensPerSecond }: Answer,
  { seen, cpu, seconds, hostPercent }: PanelResponse,
): readonly BenchmarkRow[] {
  const name = (what: string): string =>
    `${tokens.toLocaleString("en")} tokens at ${tokensPerSecond.toLocaleString("en")}/s: ${what}`;
  return [
    { name: name("whole answer"), value: seconds, unit: "s" },
    { name: name("p95 cost of a frame"), value: seen.p95Cost, unit: "ms", target: "< 16.7", failAbove: 150 },
    { name: name("p95 between frames"), value: seen.p95Interval, unit: "ms" },
    { name: name("tasks over 50 ms"), value: seen.longTasks, unit: "tasks", target: "0" },
    { name: name("worst such task"), value: seen.worstTask, unit: "ms" },
    {
      name: name("cost of the last tenth"),
      value: seen.growth,
      unit: "times",
      ratioTo: "the first tenth",
      target: "at most 1.3",
      failAbove: 2.5,
    },
    {
      name: name("last delta painted after"),
      value: seen.lastDelay,
      unit: "ms",
      target: "< 100",
      failAbove: 2_000,
    },
    {
      name: name("p95 delta painted after"),
      value: seen.p95Delay,
      unit: "ms",
      target: "< 20",
      failAbove: 100,
    },
    // Deltas that arrive at any time wait for half a frame.
    {
      name: name("median wait for a frame"),
      value: seen.medianWait,
      unit: "ms",
      target: "< 6",
      failAbove: 8,
    },
    {
      name: name("extension host"),
      value: hostPercent,
      unit: "% of a core",
      target: "< 10",
      failAbove: 50,
    },
    { name: name("main thread, workbench included"), value: cpu.total, unit: "ms CPU" },
    { name: name("worst task"), value: cpu.worstTask, unit: "ms CPU", target: "< 50", failAbove: 120 },
  ];
}
