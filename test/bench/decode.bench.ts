import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";
import type { DecodeReport } from "./support/decodeClient.ts";

const eventCount = 200_000;
const rounds = 5;
const names = ["floor", "ours", "openai", "ai"] as const;
type Name = (typeof names)[number];

/** From bytes to typed deltas: the server in one process, every client in another, interleaved. */
export const benchmark: Benchmark = {
  title: `Decoding: ${eventCount} chunk events of about 200 bytes, and the first delta over a kept-alive connection`,
  async run() {
    const server = fork(pathOf("./support/streamServer.ts"));
    try {
      const [port] = await once(server, "message");
      const reports: Record<Name, DecodeReport[]> = { floor: [], ours: [], openai: [], ai: [] };
      for (let round = 0; round < rounds; round++) {
        for (const name of names) reports[name].push(await runClient(name, Number(port)));
      }
      return createRows(reports);
    } finally {
      server.disconnect();
    }
  },
};

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

async function runClient(name: Name, port: number): Promise<DecodeReport> {
  const client = fork(pathOf("./support/decodeClient.ts"), [name, String(port), String(eventCount)]);
  const [report]: DecodeReport[] = await once(client, "message");
  if (report === undefined || report.events !== eventCount) throw new Error(`${name} lost events`);
  return report;
}

function createRows(reports: Readonly<Record<Name, readonly DecodeReport[]>>): readonly BenchmarkRow[] {
  const cpu = (name: Name): number =>
    median(reports[name].map((report) => report.cpuMicroseconds / report.events));
  const memory = (name: Name): number => median(reports[name].map((report) => report.peakMegabytes));
  const first = (name: Name): number =>
    median(reports[name].flatMap((report) => report.firstDeltaMicroseconds));
  return [
    { name: "undici request, bytes counted", value: cpu("floor"), unit: "CPU µs/event" },
    {
      name: "ours, typed events",
      value: cpu("ours"),
      unit: "CPU µs/event",
      ratio: cpu("ours") / cpu("floor"),
      ratioTo: "undici request, bytes counted",
      target: "at most 3",
    },
    {
      name: "openai package",
      value: cpu("openai"),
      unit: "CPU µs/event",
      ratio: cpu("openai") / cpu("ours"),
      ratioTo: "ours",
      target: "at least 3.5",
    },
    {
      name: "ai package",
      value: cpu("ai"),
      unit: "CPU µs/event",
      ratio: cpu("ai") / cpu("ours"),
      ratioTo: "ours",
      target: "at least 15",
    },
    { name: "undici request, peak memory", value: memory("floor"), unit: "MB" },
    {
      name: "ours, peak memory above the floor",
      value: memory("ours") - memory("floor"),
      unit: "MB",
      target: "at most 60",
    },
    { name: "undici request, first bytes", value: first("floor"), unit: "µs" },
    {
      name: "ours, first delta",
      value: first("ours"),
      unit: "µs",
      ratio: first("ours") / first("floor"),
      ratioTo: "undici request, first bytes",
      target: "at most 3",
    },
    { name: "openai package, first delta", value: first("openai"), unit: "µs" },
    { name: "ai package, first delta", value: first("ai"), unit: "µs" },
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
