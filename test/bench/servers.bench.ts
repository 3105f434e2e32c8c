import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Server } from "../../src/core/servers/server.ts";
import { plainArrangement } from "../../src/core/servers/arrange/arrangement.ts";
import { StateChanges } from "../../src/core/servers/changes/stateChanges.ts";
import { formatServerSnapshot } from "../../src/core/servers/snapshot/serverSnapshotText.ts";
import { ServerTreeRows } from "../../src/core/servers/tree/serverTreeRows.ts";
import type { ServerSection } from "../../src/core/servers/tree/rows.ts";
import { rowDescription, rowLabel, rowSpoken } from "../../src/core/servers/tree/rowLabels.ts";
import { ServerListReader } from "../../src/gateway/servers/serverListReader.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const serverCount = 10_000;
const longCount = 100_000;
const rounds = 7;

/** Parses a long list of typical cloud records, compared with only JSON.parse, and updates the rows after refreshes. */
export const benchmark: Benchmark = {
  title: `Servers: a list of ${serverCount} records of about 1 kB`,
  async run() {
    const longestTurn = await measureLongestTurn();
    const text = createList(0);
    const times: Times = { cold: [], parse: [], read: [], same: [], refresh: [], snapshot: [] };
    // Before the engine has optimized anything, as in a window that has just started.
    times.parse.push(measure(() => JSON.parse(text)));
    times.cold.push(measure(() => new ServerListReader().read(text)));
    for (let round = 0; round < rounds; round++) {
      times.parse.push(measure(() => JSON.parse(text)));
      times.read.push(measure(() => new ServerListReader().read(text)));
    }
    const before = usedMemory();
    const view = new BenchView();
    let fired = 0;
    view.refresh(Buffer.from(text));
    for (let round = 1; round <= rounds; round++) {
      const next = Buffer.from(createList(round));
      times.refresh.push(measure(() => (fired = view.refresh(next))));
      times.same.push(measure(() => view.refresh(next)));
    }
    times.snapshot.push(...view.snapshotPieces());
    if (view.rows.servers.length !== serverCount) throw new Error("Servers were lost.");
    if (fired !== serverCount / 100) throw new Error(`${fired} rows were drawn anew.`);
    return [...createRows(times, (usedMemory() - before) / 2 ** 20), longestTurn];
  },
};

/** The longest time for which nothing else can run while a first list of ten times as many servers is read. */
async function measureLongestTurn(): Promise<BenchmarkRow> {
  const text = createList(0, longCount);
  let longest = 0;
  let isDone = false;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(look);
  };
  look();
  await new ServerListReader().readInSlices(text);
  isDone = true;
  return {
    name: `longest task while a first list of ${longCount} is read`,
    value: longest,
    unit: "ms",
    target: "at most 16 ms",
    failAbove: 1_000,
  };
}

type Times = Record<"cold" | "parse" | "read" | "same" | "refresh" | "snapshot", number[]>;

/** Everything that the view does with a response, without VS Code. */
class BenchView {
  readonly rows = new ServerTreeRows(() => 0);
  readonly #reader = new ServerListReader();
  readonly #changes = new StateChanges();

  #last: ServerSection | undefined;

  /** Parses and compares the list and creates the texts of the changed rows. */
  refresh(body: Buffer): number {
    const section = createSection(this.#reader.read(body.toString("utf8")).servers);
    const change = this.rows.update([section], plainArrangement);
    this.#changes.read(section);
    this.#last = section;
    if (typeof change === "string") return change === "none" ? 0 : serverCount;
    for (const row of change) {
      if (row.kind === "server") [rowLabel(row), rowDescription(row), rowSpoken(row)].join("");
    }
    return change.length;
  }

  /** Milliseconds for each piece of the text stored for the next start, which is written between other work. */
  snapshotPieces(): readonly number[] {
    if (this.#last === undefined) return [];
    const pieces = formatServerSnapshot(this.#last.snapshot);
    const times: number[] = [];
    for (let isDone = false; !isDone;) times.push(measure(() => (isDone = pieces.next().done === true)));
    return times;
  }
}

function createRows(times: Times, memory: number): readonly BenchmarkRow[] {
  const parse = median(times.parse);
  const read = median(times.read);
  return [
    { name: "JSON.parse alone", value: parse, unit: "ms" },
    {
      name: "first list, cold: read into servers with all facts",
      value: median(times.cold),
      unit: "ms",
      ratio: median(times.cold) / parse,
      ratioTo: "JSON.parse alone",
      target: "at most 3",
      failAbove: 12,
    },
    {
      name: "first list: read into servers with all facts",
      value: read,
      unit: "ms",
      ratio: read / parse,
      ratioTo: "JSON.parse alone",
      target: "under 300 ms",
    },
    {
      name: "refresh with 1 % changes: parse, compare, rows drawn anew",
      value: median(times.refresh),
      unit: "ms",
      ratio: median(times.refresh) / parse,
      ratioTo: "JSON.parse alone",
      target: "under 50 ms",
    },
    { name: "refresh without a change", value: median(times.same), unit: "ms" },
    { name: "snapshot for the next start, a piece", value: median(times.snapshot), unit: "ms" },
    {
      name: "memory of the list, its rows and its text",
      value: memory,
      unit: "MB",
      target: "under 50 MB",
    },
  ];
}

function usedMemory(): number {
  collectGarbage();
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}

function createSection(servers: readonly Server[]): ServerSection {
  return {
    profileName: "bench",
    isActive: true,
    isProduction: false,
    color: undefined,
    host: undefined,
    snapshot: { state: "ready", servers, isRefreshing: false, listedAt: 0, failures: 0 },
    marks: new Map(),
    nextTryAt: undefined,
  };
}

function measure(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)] ?? 0;
}

/** In each round, one percent of the servers change their status, different ones each time. */
function createList(round: number, length = serverCount): string {
  const servers = Array.from({ length }, (_, index) => ({
    id: `server-${index}`,
    name: `trainer-${index}`,
    status: index % 200 === round ? "REBOOT" : ["ACTIVE", "SHUTOFF", "BUILD", "ERROR"][index % 4],
    power_state: "RUNNING",
    environment: { id: 30, name: "default-EU-1", region: "EU-1", features: { green_status: "GREEN" } },
    image: { id: 7, name: "Ubuntu Server 22.04 LTS CUDA 12.2", status: "available" },
    flavor: { id: 58, name: "n3-H100x8", cpu: 192, ram: 1800, disk: 100, gpu: "H100-80G-SXM5", gpu_count: 8 },
    volume_attachments: [{ id: index, status: "attached", volume: { id: index, name: "data", size: 100 } }],
    security_rules: [
      { id: 1, direction: "ingress", protocol: "tcp", remote_ip_prefix: "0.0.0.0/0", status: "SUCCESS" },
    ],
    fixed_ip: `10.0.${index >> 8}.${index & 255 || 1}`,
    floating_ip: `203.0.${index >> 8}.${index & 255 || 1}`,
    labels: ["prod"],
    tags: [{ key: "team", value: "research" }],
    console_url: "https://console.example.com/?token=abc",
    created_at: "2026-06-05T10:29:11",
  }));
  return JSON.stringify({ status: true, message: "ok", count: length, instances: servers });
}
