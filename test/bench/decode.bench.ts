import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";
import type { DecodeReport } from "./support/decodeClient.ts";
import { streamShapes } from "./support/streamShapes.ts";
import type { StreamShape } from "./support/streamShapes.ts";

/** Short events per stream. */
const eventCount = 15_000;
const rounds = 3;
const longestClientMs = 120_000;
/** A ratio this far from its target isn't noise. */
const tolerance = 1.5;
const names = ["naive", "ours", "openai"] as const;
type Name = (typeof names)[number] | "floor" | "ai";

/** From bytes to typed deltas: the server in one process, every client in another, interleaved. */
export const benchmark: Benchmark = {
  title: `Decoding, with the request inspector recording: ${eventCount} chunk events in ${streamShapes.length} shapes, and the first delta over a kept-alive connection`,
  async run() {
    const server = fork(pathOf("./support/streamServer.ts"));
    try {
      const [port] = await once(server, "message");
      const rows: BenchmarkRow[] = [];
      for (const [index, shape] of streamShapes.entries()) {
        const reports: Reports = { floor: [], naive: [], ours: [], openai: [], ai: [] };
        // The slow clients treat most shapes alike; memory and the first delta are measured with the first shape only.
        const clients: readonly Name[] =
          index === 0 ? ["floor", ...names, "ai"] : shape.kind === undefined ? ["naive", "ours"] : names;
        for (let round = 0; round < rounds; round++)
          for (const name of clients) reports[name].push(await runClient(name, Number(port), index));
        rows.push(...shapeRows(shape, reports), ...(index === 0 ? firstRows(reports) : []));
      }
      return rows;
    } finally {
      server.disconnect();
    }
  },
};

type Reports = Readonly<Record<Name, DecodeReport[]>>;

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

async function runClient(name: Name, port: number, index: number): Promise<DecodeReport> {
  const count = Math.round(eventCount / (streamShapes[index]?.weight ?? 1));
  const options = [name, port, index, count, index === 0 ? "first" : ""].map(String);
  const client = fork(pathOf("./support/decodeClient.ts"), options);
  const [report]: DecodeReport[] = await once(client, "message", { signal: endOf(client, name) });
  if (report?.events !== count)
    throw new Error(
      `${name} read ${report?.events} of ${count} events of the shape "${streamShapes[index]?.name}".`,
    );
  return report;
}

/** Aborted when the client exits without a report, or is much too slow. */
function endOf(client: ChildProcess, name: string): AbortSignal {
  const gone = new AbortController();
  // Its last message may still be on the way.
  client.once("close", (code) =>
    setTimeout(() => gone.abort(new Error(`${name} exited with ${code}.`)), 100),
  );
  return AbortSignal.any([gone.signal, AbortSignal.timeout(longestClientMs)]);
}

function cpu(reports: readonly DecodeReport[]): number {
  return median(reports.map((report) => report.cpuMicroseconds / report.events));
}

function shapeRows({ name }: StreamShape, reports: Reports): readonly BenchmarkRow[] {
  const value = (client: Name): number => cpu(reports[client]);
  const unit = "CPU µs/event";
  return [
    { name: `${name}: undici, eventsource-parser and JSON.parse`, value: value("naive"), unit },
    {
      name: `${name}: ours, typed events`,
      value: value("ours"),
      unit,
      ratio: value("ours") / value("naive"),
      ratioTo: "undici, eventsource-parser and JSON.parse",
      // The typed events are checked, cleaned and recorded: some microseconds that nobody notices at 5,000 tokens/s.
      target: "at most 2",
      failAbove: 2 * tolerance,
    },
    ...(reports.openai.length === 0
      ? []
      : [
          {
            name: `${name}: openai package`,
            value: value("openai"),
            unit,
            ratio: value("openai") / value("ours"),
            ratioTo: "ours",
            target: "at least 1.5",
            failBelow: 1.5 / tolerance,
          },
        ]),
  ];
}

function firstRows(reports: Reports): readonly BenchmarkRow[] {
  const memory = (name: Name): number => median(reports[name].map((report) => report.peakMegabytes));
  const first = (name: Name): number =>
    median(reports[name].flatMap((report) => report.firstDeltaMicroseconds));
  return [
    {
      name: "ai package",
      value: cpu(reports.ai),
      unit: "CPU µs/event",
      ratio: cpu(reports.ai) / cpu(reports.ours),
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
