import { fork } from "node:child_process";
import { once } from "node:events";
import { memoryUsage } from "node:process";
import { fileURLToPath } from "node:url";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { plainArrangement } from "../../src/core/servers/arrange/groupServers.ts";
import { StateChanges } from "../../src/core/servers/changes/stateChanges.ts";
import { formatServerSnapshot } from "../../src/core/servers/snapshot/serverSnapshotText.ts";
import { ServerTreeRows } from "../../src/core/servers/tree/serverTreeRows.ts";
import type { ServerSection } from "../../src/core/servers/tree/rows.ts";
import { serverName } from "../../src/core/servers/serverLabels.ts";
import { rowDescription, rowSpoken } from "../../src/core/servers/tree/rowLabels.ts";
import { ServerListReader } from "../../src/gateway/servers/readServerList.ts";
import { readServerList } from "../support/readServerList.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";
import type { ColdListReport } from "./support/coldList.ts";
import { createSection, createServerList } from "./support/serverRecords.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const serverCount = 10_000;
const usualCount = 2_000;
const rounds = 7;

/** Parses a long list of typical cloud records, compared with only JSON.parse, and updates the rows after refreshes. */
export const benchmark: Benchmark = {
  title: `Servers: a list of ${serverCount} records of about 1 kB`,
  async run() {
    const cold = coldRows(await measureCold(usualCount), await measureCold(serverCount));
    const text = createServerList(0, serverCount);
    const times: Times = { parse: [], read: [], same: [], refresh: [], snapshot: [] };
    for (let round = 0; round < rounds; round++) {
      times.parse.push(measure(() => JSON.parse(text)));
      times.read.push(measure(() => readServerList(text)));
    }
    const before = await usedMemory();
    const view = new BenchView();
    let fired = 0;
    view.refresh(Buffer.from(text));
    for (let round = 1; round <= rounds; round++) {
      const next = Buffer.from(createServerList(round, serverCount));
      times.refresh.push(measure(() => (fired = view.refresh(next))));
      times.same.push(measure(() => view.refresh(next)));
    }
    times.snapshot.push(view.storeSnapshot());
    if (view.rows.servers.length !== serverCount) throw new Error("Servers were lost.");
    if (fired !== serverCount / 100) throw new Error(`${fired} rows were drawn anew.`);
    return [...createRows(times, ((await usedMemory()) - before) / 2 ** 20), ...cold];
  },
};

/** Measures the first lists of this many servers, each in a new process. Returns medians. */
async function measureCold(length: number): Promise<ColdListReport> {
  const script = fileURLToPath(new URL("./support/coldList.ts", import.meta.url));
  const reports: ColdListReport[] = [];
  for (let round = 0; round < 5; round++) {
    const child = fork(script, [String(length)]);
    const [report]: ColdListReport[] = await once(child, "message", { signal: AbortSignal.timeout(120_000) });
    if (report !== undefined) reports.push(report);
  }
  const of = (name: keyof ColdListReport): number => median(reports.map((report) => report[name]));
  return {
    ...{ find: of("find"), read: of("read"), longestStep: of("longestStep") },
    ...{ arrange: of("arrange"), items: of("items") },
  };
}

function coldRows(usual: ColdListReport, long: ColdListReport): readonly BenchmarkRow[] {
  return [
    {
      name: `longest task of a first list of ${usualCount}, cold`,
      value: Math.max(usual.find, usual.longestStep, usual.arrange),
      ...{ unit: "ms CPU", target: "at most 50", failAbove: 150 },
    },
    {
      name: `longest task of a first list of ${serverCount}, cold`,
      value: Math.max(long.find, long.longestStep, long.arrange),
      ...{ unit: "ms CPU", target: "at most 250", failAbove: 750 },
    },
    {
      name: `first list of ${serverCount}, cold: read and arranged`,
      value: long.find + long.read + long.arrange,
      ...{ unit: "ms CPU", target: "at most 2,000", failAbove: 4_000 },
    },
    {
      ...{ name: `texts of the rows of ${serverCount} that are requested at once`, value: long.items },
      ...{ unit: "ms CPU", target: "at most 250", failAbove: 750 },
    },
  ];
}

type Times = Record<"parse" | "read" | "same" | "refresh" | "snapshot", number[]>;

/** Everything that the view does with a response, without VS Code. */
class BenchView {
  readonly rows = new ServerTreeRows(() => 0);
  readonly #reader = new ServerListReader();
  readonly #changes = new StateChanges();

  #last: ServerSection | undefined;

  /** Parses and compares the list and creates the texts of the changed rows. */
  refresh(body: Buffer): number {
    const section = createSection(readServerList(body.toString("utf8"), {}, this.#reader).servers);
    const change = this.rows.update([section], plainArrangement);
    this.#changes.read(section);
    this.#last = section;
    if (typeof change === "string") return change === "none" ? 0 : serverCount;
    for (const row of change) {
      if (row.kind === "server") [serverName(row.server), rowDescription(row), rowSpoken(row)].join("");
    }
    return change.length;
  }

  /** Milliseconds for the text stored for the next start. */
  storeSnapshot(): number {
    const snapshot = this.#last?.snapshot;
    return snapshot === undefined ? 0 : measure(() => formatServerSnapshot(snapshot));
  }
}

function createRows(times: Times, memory: number): readonly BenchmarkRow[] {
  const parse = median(times.parse);
  const read = median(times.read);
  return [
    { name: "JSON.parse alone", value: parse, unit: "ms CPU" },
    {
      name: "first list: read into servers with all facts",
      value: read,
      unit: "ms CPU",
      ratio: read / parse,
      ratioTo: "JSON.parse alone",
      target: "under 300 ms",
    },
    {
      name: "refresh with 1 % changes: parse, compare, rows drawn anew",
      value: median(times.refresh),
      unit: "ms CPU",
      ratio: median(times.refresh) / parse,
      ratioTo: "JSON.parse alone",
      target: "at most 250 ms, one block",
      failAbove: 9,
    },
    { name: "refresh without a change", value: median(times.same), unit: "ms CPU" },
    { name: "snapshot for the next start", value: median(times.snapshot), unit: "ms CPU" },
    {
      name: "memory of the list, its rows and its text",
      value: memory,
      unit: "MB",
      target: "under 50 MB",
    },
  ];
}

async function usedMemory(): Promise<number> {
  // What only this turn refers to, such as the result of the last measurement, is released in the next one.
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn();
    collectGarbage();
  }
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}

/** Milliseconds of this thread's CPU time, on which other processes have little effect. */
function measure(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)] ?? 0;
}
