import { isRecord } from "../../core/kernel/json.ts";
import { readAddress } from "./addressFact.ts";
import { readGpu } from "./gpuFact.ts";
import { readId, readName } from "./identityFacts.ts";
import { RecordView } from "./recordView.ts";
import { readRegion } from "./regionFact.ts";
import { readStatus } from "./statusFact.ts";

export interface ServerListScore {
  /** From 0 (nothing like a server) to 12. */
  readonly score: number;
  /** Whether there is a state, an address or a GPU, which a mere group of servers doesn't have. */
  readonly isStrong: boolean;
}

const hardware = [
  "cpu",
  "cpus",
  "vcpu",
  "vcpus",
  "cpucount",
  "vcpucount",
  "memory",
  "ram",
  "cores",
  "specs",
  "os",
  "flavor",
];

/** How much these entries look like servers, on average. */
export function serverListScore(entries: readonly unknown[]): ServerListScore {
  if (entries.length === 0) return { score: 0, isStrong: false };
  const each = entries.map(elementScore);
  const score = each.reduce((sum, one) => sum + one.score, 0) / each.length;
  return { score, isStrong: each.filter(({ isStrong }) => isStrong).length * 2 >= each.length };
}

function elementScore(entry: unknown): ServerListScore {
  if (!isRecord(entry)) return { score: 0, isStrong: false };
  const view = new RecordView(entry);
  const hasId = readId(view) !== undefined;
  const hasStatus = readStatus(view).text !== undefined;
  const hasAddress = readAddress(entry).address !== undefined;
  const hasGpu = readGpu(view).gpu !== undefined;
  const evidence = [
    hasId ? 3 : 0,
    readName(view) === undefined ? 0 : 2,
    hasStatus ? 3 : 0,
    hasAddress ? 3 : 0,
    hasGpu ? 3 : 0,
    readRegion(view) === undefined ? 0 : 1,
    view.find(hardware) === undefined ? 0 : 1,
  ];
  const score = evidence.reduce((sum, one) => sum + one, 0);
  return { score: Math.min(12, score), isStrong: hasStatus || hasAddress || hasGpu };
}
