import { HttpFailure } from "../http/reply.ts";
import { pick, seededRandom } from "../kernel/seededRandom.ts";

const hour = 3_600_000;
const day = 24 * hour;

const gpus = {
  H100: { model: "NVIDIA H100 SXM", memory_gb: 80, price: 3 },
  H200: { model: "NVIDIA H200 SXM", memory_gb: 141, price: 3.8 },
  A100: { model: "NVIDIA A100", memory_gb: 80, price: 1.9 },
  L40S: { model: "NVIDIA L40S", memory_gb: 48, price: 0.99 },
  "4090": { model: "NVIDIA RTX 4090", memory_gb: 24, price: 0.49 },
} as const;
type Gpu = keyof typeof gpus;
type State = "Running" | "Provisioning" | "Restarting" | "Stopping" | "Stopped" | "Error";

/** A server as it is at the start. */
interface Start {
  readonly name: string;
  readonly gpu: Gpu;
  readonly count: number;
  readonly state: State;
  /** How long it has been in its state, in milliseconds. */
  readonly for: number;
  readonly region: string;
  /** The mean utilization of its GPUs while it runs; 0 if nothing uses them. */
  readonly percent: number;
  readonly reason: string | undefined;
}

type StartRow = readonly [string, Gpu, number, State, number, string, number, string?];

const startRows: readonly StartRow[] = [
  ["trainer-01", "H100", 8, "Running", 9.2 * day, "eu-north-1", 71],
  ["trainer-08", "H100", 8, "Running", 29 * hour, "eu-north-1", 0],
  ["eval-03", "H100", 1, "Provisioning", hour / 15, "eu-west-2", 0, "Pulling image"],
  ["render-04", "H100", 1, "Error", hour / 5, "us-east-1", 0, "CUDA driver error"],
  ["inference-02", "H100", 4, "Running", 3.4 * day, "us-east-1", 42],
  ["notebook-05", "L40S", 1, "Running", 2.3 * hour, "eu-west-2", 12],
  ["finetune-06", "A100", 2, "Running", 14.5 * hour, "us-west-2", 93],
  ["batch-07", "L40S", 4, "Stopped", 2.1 * day, "us-west-2", 80],
  ["notebook-09", "4090", 1, "Stopped", 18 * hour, "ap-south-1", 5],
  ["eval-10", "H200", 8, "Running", 6.1 * hour, "eu-north-1", 88],
  ["inference-11", "L40S", 2, "Running", 21 * day, "ap-south-1", 30],
  ["finetune-12", "A100", 1, "Stopped", 5 * day, "us-east-1", 60],
];

const starts = startRows.map(([name, gpu, count, state, time, region, percent, reason]): Start => ({
  ...{ name, gpu, count, state, for: time, region, percent, reason },
}));

/** What an action leads to, and how long that takes in milliseconds. */
const actions = {
  start: { from: ["Stopped"], via: "Provisioning", to: "Running", ms: 8_000 },
  stop: { from: ["Running"], via: "Stopping", to: "Stopped", ms: 6_000 },
  reboot: { from: ["Running", "Error"], via: "Restarting", to: "Running", ms: 8_000 },
} as const satisfies Readonly<Record<string, { from: readonly State[]; via: State; to: State; ms: number }>>;

/** Where the demo's starting server is until then. */
const firstStartMs = 6 * 60_000;

/** A server in the format of our gateway. The interface doesn't specify the fields (section 2.4). */
export interface ServerRecord {
  readonly id: string;
  readonly name: string;
  readonly status: State;
  readonly status_reason: string | null;
  readonly status_since: string;
  readonly region: string;
  readonly gpu: { readonly model: string; readonly count: number; readonly memory_gb: number };
  readonly gpu_utilization_percent: number | null;
  readonly vcpus: number;
  readonly memory_gb: number;
  readonly public_ip: string | null;
  readonly private_ip: string;
  readonly image: string;
  readonly price_per_hour: string;
  readonly currency: "USD";
  readonly created_at: string;
  readonly started_at: string | null;
}

interface DemoServer extends Start {
  readonly id: string;
  readonly index: number;
  readonly createdAt: number;
  state: State;
  since: number;
  startedAt: number | undefined;
  next: { readonly state: State; readonly at: number } | undefined;
  reason: string | undefined;
}

/** The servers of the demo: the first ones have something to show, and the others are like them. */
export class DemoServers {
  readonly #servers: readonly DemoServer[];
  readonly #now: () => number;

  /** @param now Milliseconds since 1970. */
  constructor(count: number, seed: number, now: () => number) {
    const random = seededRandom(seed);
    const at = now();
    this.#now = now;
    this.#servers = Array.from({ length: count }, (_, index) => createServer(index, random, at));
  }

  /** All of them as they are now; their values move. */
  list(): readonly ServerRecord[] {
    const now = this.#now();
    return this.#servers.map((server) => recordOf(advance(server, now), now));
  }

  /** Starts, stops or reboots a server, which takes some seconds. Throws if that isn't possible. */
  run(id: string, name: string): void {
    const server = this.#servers.find((each) => each.id === id);
    if (server === undefined || !isAction(name))
      throw refusal(404, "NOT_FOUND", "There is no such server or action.");
    const now = this.#now();
    const { from, via, to, ms } = actions[name];
    const { state } = advance(server, now);
    if (!from.some((each) => each === state))
      throw refusal(409, "WRONG_STATE", `A server that is ${state} can't do this: ${name}.`);
    Object.assign(server, { state: via, since: now, next: { state: to, at: now + ms }, reason: undefined });
  }
}

function isAction(name: string): name is keyof typeof actions {
  return Object.hasOwn(actions, name);
}

function refusal(statusCode: number, code: string, message: string): HttpFailure {
  return new HttpFailure(statusCode, { code, message });
}

function createServer(index: number, random: () => number, at: number): DemoServer {
  const fixed = starts[index];
  const like = fixed ?? pick(random, starts.slice(4));
  const start: Start = fixed ?? {
    ...like,
    name: `${like.name.split("-")[0] ?? ""}-${index + 1}`,
    percent: like.percent === 0 ? 0 : Math.round(20 + random() * 75),
    for: like.for * (0.3 + random()),
  };
  const since = at - start.for;
  const isStarting = start.state === "Provisioning";
  return {
    ...start,
    id: `srv-${Array.from({ length: 8 }, () => Math.floor(random() * 16).toString(16)).join("")}${index.toString(16).padStart(4, "0")}`,
    index,
    createdAt: since - (isStarting ? 0 : 2 * hour + random() * 20 * day),
    since,
    startedAt: start.state === "Running" ? since : undefined,
    next: isStarting ? { state: "Running", at: at + firstStartMs } : undefined,
  };
}

/** What was to happen until now has happened. */
function advance(server: DemoServer, now: number): DemoServer {
  const { next } = server;
  if (next === undefined || now < next.at) return server;
  const startedAt = next.state === "Running" ? next.at : undefined;
  return Object.assign(server, {
    state: next.state,
    since: next.at,
    next: undefined,
    startedAt,
    reason: undefined,
  });
}

function recordOf(server: DemoServer, now: number): ServerRecord {
  const { id, index, name, state, reason, since, region, count, percent, createdAt, startedAt } = server;
  const { price, ...gpu } = gpus[server.gpu];
  const isUp = state === "Running" || state === "Stopping";
  // Different for each server, and always the same at the same time.
  const wave = Math.sin(now / 40_000 + index) * 6 + Math.sin(now / 7_000 + index * 2) * 3;
  const busy = Math.min(100, Math.max(1, Math.round(percent + wave)));
  return {
    id,
    name,
    status: state,
    status_reason: reason ?? null,
    status_since: new Date(since).toISOString(),
    region,
    gpu: { ...gpu, count },
    gpu_utilization_percent: state === "Running" ? (percent === 0 ? 0 : busy) : null,
    vcpus: count * 16,
    memory_gb: count * 128,
    public_ip: isUp ? `203.0.113.${(index % 254) + 1}` : null,
    private_ip: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
    image: "ubuntu-24.04-cuda-12.8",
    price_per_hour: (count * price).toFixed(2),
    currency: "USD",
    created_at: new Date(createdAt).toISOString(),
    started_at: startedAt === undefined ? null : new Date(startedAt).toISOString(),
  };
}
