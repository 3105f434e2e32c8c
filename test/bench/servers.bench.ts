import type { Server } from "../../src/core/server.ts";
import { plainArrangement } from "../../src/core/servers/arrange/arrangement.ts";
import { FleetRows } from "../../src/core/servers/tree/fleetRows.ts";
import { readServerList } from "../../src/gateway/servers/readServerList.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";

const serverCount = 10_000;
const rounds = 7;

/** Reading a long list of records as clouds write them, beside JSON.parse alone, and bringing it into rows. */
export const benchmark: Benchmark = {
  title: `Servers: a list of ${serverCount} records of about 1 kB`,
  run() {
    const text = createList();
    const times: Record<"parse" | "read" | "rows", number[]> = { parse: [], read: [], rows: [] };
    let servers: readonly Server[] = [];
    const rows = new FleetRows(() => 0);
    for (let round = 0; round < rounds; round++) {
      times.parse.push(measure(() => JSON.parse(text)));
      times.read.push(measure(() => (servers = readServerList(text).servers)));
      times.rows.push(measure(() => updateRows(rows, servers)));
    }
    if (servers.length !== serverCount) throw new Error("Servers were lost.");
    return Promise.resolve(createRows(times));
  },
};

function createRows(
  times: Readonly<Record<"parse" | "read" | "rows", readonly number[]>>,
): readonly BenchmarkRow[] {
  const parse = median(times.parse);
  const read = median(times.read);
  return [
    { name: "JSON.parse alone", value: parse, unit: "ms" },
    {
      name: "read into servers with all facts",
      value: read,
      unit: "ms",
      ratio: read / parse,
      ratioTo: "JSON.parse alone",
      target: "under 300 ms",
    },
    {
      name: "the same servers again into rows",
      value: median(times.rows),
      unit: "ms",
      target: "under 20 ms",
    },
  ];
}

function updateRows(rows: FleetRows, servers: readonly Server[]): void {
  const section = {
    profileName: "bench",
    isActive: true,
    isProduction: false,
    colour: undefined,
    host: undefined,
    snapshot: { state: "ready", servers, isRefreshing: false, listedAt: 0, failures: 0 },
    marks: new Map(),
    nextTryAt: undefined,
  } as const;
  rows.update([section], plainArrangement);
}

function measure(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)] ?? 0;
}

function createList(): string {
  const servers = Array.from({ length: serverCount }, (_, index) => ({
    id: `server-${index}`,
    name: `trainer-${index}`,
    status: ["ACTIVE", "SHUTOFF", "BUILD", "ERROR"][index % 4],
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
  return JSON.stringify({ status: true, message: "ok", count: serverCount, instances: servers });
}
