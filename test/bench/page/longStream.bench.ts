import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { marker, measureArrival } from "./arrival.ts";
import type { Arrival } from "./arrival.ts";
import { createLongResponse, unitsPerToken } from "./longResponse.ts";
import { ours, plainText, replay } from "./ways.ts";

/** Tokens of the response, and tokens per second. */
const streams: readonly (readonly [number, number])[] = [
  [20_000, 5_000],
  [300_000, 20_000],
];
/** The replay copies nodes that are all created in advance, which takes too long for longer responses. */
const mostReplayed = 20_000;

/** A response with a marker in each part. */
function createText(tokens: number): string {
  let number = 0;
  return createLongResponse(tokens * unitsPerToken).replace(/ queue /g, () => ` ${marker(number++)} `);
}

function rowsOf(tokens: number, own: Arrival, plain: Arrival, replayed?: Arrival): readonly BenchmarkRow[] {
  const name = (what: string): string => `${tokens.toLocaleString("en")} tokens: ${what}`;
  const perToken = { value: (own.cpu / tokens) * 1000, unit: "µs CPU/token" };
  const rows: BenchmarkRow[] = [
    { name: name("tasks over 50 ms"), value: own.longTasks, unit: "tasks", target: "0", failAbove: 10 },
    { name: name("worst task"), value: own.worstTask, unit: "ms CPU", target: "< 50", failAbove: 150 },
    { name: name("p95 frame"), value: own.p95Frame, unit: "ms CPU", target: "< 20", failAbove: 60 },
    {
      name: name("p95 until painted"),
      value: own.p95Delay,
      unit: "ms",
      ratio: own.p95Delay / plain.p95Delay,
      ratioTo: plainText.name,
      target: "at most 1 (or 20 ms)",
      failAbove: 10,
    },
    {
      name: name("main thread"),
      ...perToken,
      ratio: own.cpu / plain.cpu,
      ratioTo: plainText.name,
      target: "at most 1.5",
      failAbove: 4,
    },
    { name: name("markers not shown"), value: own.lost, unit: "", target: "0", failAbove: 0.5 },
  ];
  if (replayed !== undefined) {
    const ratio = {
      ratio: own.cpu / replayed.cpu,
      ratioTo: replay.name,
      target: "at most 0.8",
      failAbove: 2,
    };
    rows.push({ name: name("main thread"), ...perToken, ...ratio });
  }
  if (tokens < 100_000) return rows;
  const first = "the first tenth";
  return [
    ...rows,
    {
      name: name("last tenth of the main thread"),
      value: own.growth,
      unit: "times",
      ratioTo: first,
      target: "at most 1.3",
      failAbove: 2.5,
    },
    {
      name: name("last tenth of the heap"),
      value: own.heapGrowth,
      unit: "times",
      ratioTo: "a tenth of all",
      target: "at most 1.3",
      failAbove: 2.5,
    },
  ];
}

export const benchmark: Benchmark = {
  title: "One response of up to 300,000 tokens that arrives at a steady rate",
  async run() {
    const rows: BenchmarkRow[] = [];
    for (const [tokens, tokensPerSecond] of streams) {
      const text = createText(tokens);
      const rate = tokensPerSecond * unitsPerToken;
      const own = await measureArrival(text, rate, ours);
      const plain = await measureArrival(text, rate, plainText);
      const replayed = tokens > mostReplayed ? undefined : await measureArrival(text, rate, replay);
      rows.push(...rowsOf(tokens, own, plain, replayed));
    }
    return rows;
  },
};
