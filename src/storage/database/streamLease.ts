import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Who writes a streaming message, and when that one was last known to be alive (milliseconds since 1970). */
export interface StreamLease {
  readonly host: string;
  readonly processId: number;
  /**
   * Which of all processes that ever have this id it is: machine, boot, namespace of process ids and moment of its
   * start. Empty if the system, or an older version, doesn't say.
   */
  readonly process: string;
  /** 0 once the writer has given the message up. */
  readonly aliveAt: number;
}

/**
 * `dead`: it can certainly not write any more. `unknown`: it may be dead, silent, or on a machine that sleeps, and its
 * clock may differ. Only time will show.
 */
export type WriterState = "alive" | "dead" | "unknown";

/** A live writer says so this often, deltas or not: a model may think for minutes. In milliseconds. */
export const leaseRenewalMs = 2_000;

/** Longer than any healthy process is silent. In milliseconds. */
export const leaseMs = 5 * leaseRenewalMs;

/** A machine that slept for less (milliseconds) may go on where it was. */
const forgottenMs = 7 * 86_400_000;

export function createLease(now: number): StreamLease {
  return { host: hostname(), processId: process.pid, process: ownProcess(), aliveAt: now };
}

/** What can be said of the writer at once, without waiting for a sign of life. A stopped process is alive. */
export function classifyWriter(lease: StreamLease, now: number): WriterState {
  const age = Math.abs(now - lease.aliveAt);
  if (lease.aliveAt === 0 || lease.host === "") return "dead";
  if (lease.host === hostname() && isSameMachine(lease)) return classifyNeighbor(lease, age);
  return classifyByAge(age);
}

/** Whether a silent writer is not waited for any longer: no machine sleeps for so long. */
export function isForgotten(lease: StreamLease, now: number): boolean {
  return Math.abs(now - lease.aliveAt) > forgottenMs;
}

/** Of a process on this machine: its number and its start time identify it, whatever the clocks say. */
function classifyNeighbor({ process: identity, processId }: StreamLease, age: number): WriterState {
  const [own, theirs] = [parseIdentity(ownProcess()), parseIdentity(identity)];
  // The number may have been given away again, and nothing says so.
  if (own === undefined || theirs === undefined) return isThere(processId) ? classifyByAge(age) : "dead";
  // The machine was started again. A writer that was alive a moment ago is on a twin of it, with the same names.
  if (own.boot !== theirs.boot) return age <= leaseMs ? "alive" : "dead";
  const start = startOf(processId);
  // Of another user's process the system may show nothing but that it is there.
  if (start === undefined && isThere(processId, "hidden")) return classifyByAge(age);
  return start === theirs.start ? "alive" : "dead";
}

function classifyByAge(age: number): WriterState {
  return age <= leaseMs ? "alive" : "unknown";
}

/** Containers of one machine share its boot, but not its process ids: of those nothing can be said from here. */
function isSameMachine({ process: identity }: StreamLease): boolean {
  const [own, theirs] = [parseIdentity(ownProcess()), parseIdentity(identity)];
  if (own === undefined || theirs === undefined) return true;
  return own.machine === theirs.machine && (own.boot !== theirs.boot || own.namespace === theirs.namespace);
}

/**
 * For how long writers of which nothing else is known have shown no sign of life, by the reader's own clock, because
 * theirs may differ. On the first check, no writer counts as silent.
 */
export class WriterSilence {
  readonly #monotonic: () => number;
  readonly #signs = new Map<string, { readonly aliveAt: number; readonly seenAt: number }>();

  /** @param monotonic Monotonic milliseconds. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * @param key Identifies the message.
   * @param aliveAt The last sign of life, by the writer's clock.
   */
  isSilent(key: string, aliveAt: number): boolean {
    const now = this.#monotonic();
    const sign = this.#signs.get(key);
    if (sign?.aliveAt === aliveAt) return now - sign.seenAt > leaseMs;
    this.#signs.set(key, { aliveAt, seenAt: now });
    return false;
  }
}

interface Identity {
  readonly machine: string;
  readonly boot: string;
  readonly namespace: string;
  readonly start: string;
}

function parseIdentity(text: string): Identity | undefined {
  const [machine, boot, namespace, start, ...rest] = text.split(" ");
  if (machine === undefined || boot === undefined || namespace === undefined) return undefined;
  return start === undefined || rest.length > 0 ? undefined : { machine, boot, namespace, start };
}

let ownIdentity: string | undefined;

/** Empty on systems without `/proc`. */
function ownProcess(): string {
  ownIdentity ??= readIdentity();
  return ownIdentity;
}

function readIdentity(): string {
  const start = startOf(process.pid);
  const boot = read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
  const namespace = read(() => readlinkSync("/proc/self/ns/pid"));
  const machine = read(() => readFileSync("/etc/machine-id", "utf8")) ?? "unnamed";
  if (start === undefined || boot === undefined || namespace === undefined) return "";
  return [machine, boot, namespace, start].join(" ");
}

/** In ticks since the machine's start. Undefined if there is no such process, or only its remains. */
function startOf(processId: number): string | undefined {
  if (!Number.isSafeInteger(processId) || processId <= 0) return undefined;
  const stat = read(() => readFileSync(`/proc/${processId}/stat`, "utf8"));
  // The name, in parentheses, may hold anything; the state is the first field behind it, the start the twentieth.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

function read(readText: () => string): string | undefined {
  try {
    const text = readText().trim();
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}

/** @param which `hidden`: whether there is one that is another user's. */
function isThere(processId: number, which: "any" | "hidden" = "any"): boolean {
  // Zero and negative ids would ask for whole groups of processes.
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return which === "any";
  } catch (error) {
    // EPERM: it is there, but another user's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
