import { pick, seededRandom } from "../kernel/seededRandom.ts";
/** The states that a server goes through, with the duration of each in seconds. */
const cycle = [
  { status: "Running", seconds: 120 },
  { status: "Stopping", seconds: 10 },
  { status: "Stopped", seconds: 35 },
  { status: "Provisioning", seconds: 15 },
] as const;
const cycleSeconds = cycle.reduce((sum, { seconds }) => sum + seconds, 0);

/** One in this many servers is busy; the others stay in their initial state. */
const busyEvery = 4;

/** The state of a server that started with `first`, after this many seconds. Transitional states always end. */
export function statusAt(first: string, index: number, seconds: number): string {
  const isPassing = first === "Provisioning" || first === "Stopping";
  const begin = cycle.findIndex(({ status }) => status === first);
  if (begin === -1 || (!isPassing && index % busyEvery !== 1)) return first;
  let left = seconds % cycleSeconds;
  for (let step = begin; ; step++) {
    const state = cycle[step % cycle.length];
    if (state === undefined || left < state.seconds) return state?.status ?? first;
    left -= state.seconds;
  }
}

/** A server in the format of our backend. The interface doesn't specify the fields (section 2.4). */
export interface ServerRecord {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly region: string;
  readonly gpu: { readonly model: string; readonly count: number; readonly memory_gb: number };
  readonly vcpus: number;
  readonly memory_gb: number;
  readonly public_ip: string | null;
  readonly private_ip: string;
  readonly image: string;
  readonly price_per_hour: string;
  readonly created_at: string;
}

const gpus = [
  { model: "NVIDIA H100 SXM", memory_gb: 80 },
  { model: "NVIDIA H200 SXM", memory_gb: 141 },
  { model: "NVIDIA A100", memory_gb: 80 },
  { model: "NVIDIA L40S", memory_gb: 48 },
  { model: "NVIDIA RTX 4090", memory_gb: 24 },
] as const;
const regions = ["eu-north-1", "eu-west-2", "us-east-1", "us-west-2", "ap-south-1"] as const;
const states = [
  "Running",
  "Running",
  "Running",
  "Stopped",
  "Provisioning",
  "Stopping",
  "Error",
  "Pending Recovery",
] as const;
const purposes = ["trainer", "inference", "notebook", "finetune", "batch", "eval", "render"] as const;
const images = ["ubuntu-24.04-cuda-12.8", "ubuntu-22.04-pytorch-2.6", "debian-12-cuda-12.4"] as const;
const firstCreation = Date.UTC(2026, 0, 5, 9, 30);

/** Returns the same servers for the same seed. */
export function serverRecords(count: number, seed: number): readonly ServerRecord[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => serverRecord(index, random));
}

/** The same servers this many seconds after the gateway has started; their states change over time. */
export function recordsAt(records: readonly ServerRecord[], seconds: number): readonly ServerRecord[] {
  return records.map((record, index) => {
    const status = statusAt(record.status, index, seconds);
    return status === record.status ? record : { ...record, status, public_ip: publicAddress(status, index) };
  });
}

function publicAddress(status: string, index: number): string | null {
  return status === "Running" || status === "Stopping" ? `203.0.113.${(index % 254) + 1}` : null;
}

function serverRecord(index: number, random: () => number): ServerRecord {
  const gpu = pick(random, gpus);
  const count = pick(random, [1, 1, 2, 4, 8]);
  const status = pick(random, states);
  return {
    id: `srv-${hex(random, 8)}${index.toString(16).padStart(4, "0")}`,
    name: `${pick(random, purposes)}-${String(index + 1).padStart(2, "0")}`,
    status,
    region: pick(random, regions),
    gpu: { ...gpu, count },
    vcpus: count * 16,
    memory_gb: count * 128,
    public_ip: publicAddress(status, index),
    private_ip: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
    image: pick(random, images),
    price_per_hour: (count * (1 + random() * 2)).toFixed(2),
    created_at: new Date(firstCreation + Math.floor(random() * 2e7) * 1000).toISOString(),
  };
}

function hex(random: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
}
