import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
import { hasProcess } from "../files/hasProcess.ts";

/** The writer of a streaming message, and when it was last known to be alive (milliseconds since 1970). */
export interface StreamLease {
  readonly host: string;
  readonly processId: number;
  /**
   * Distinguishes the writer from all other processes that ever had this ID: machine, boot, PID namespace and start
   * time. Empty if it isn't available from the system.
   */
  readonly process: string;
  /** 0 once the writer has given up the message. */
  readonly aliveAt: number;
}

/**
 * `dead`: it certainly can't write anymore. `unknown`: it may be dead, silent, or on a sleeping machine, and its clock
 * may differ. Only time will tell.
 */
type WriterState = "alive" | "dead" | "unknown";

/**
 * How often a live writer renews its lease, with or without deltas, because a model may think for minutes. In
 * milliseconds. Each renewal writes a page.
 */
export const leaseRenewalMs = 5_000;

/** Longer than any healthy process is silent, even if it has just missed a renewal. In milliseconds. */
export const leaseMs = leaseRenewalMs + 8_000;

/** A machine that was asleep for less than this (in milliseconds) may continue where it left off. */
const forgottenMs = 7 * 86_400_000;

/**
 * The lease of this process.
 * @param now Milliseconds since 1970.
 */
export function createLease(now: number): StreamLease {
  return { host: hostname(), processId: process.pid, process: ownProcess(), aliveAt: now };
}

/**
 * Classifies the writer immediately, without waiting for it to renew its lease. A suspended process counts as alive.
 */
export function classifyWriter(lease: StreamLease, now: number): WriterState {
  const age = Math.abs(now - lease.aliveAt);
  if (lease.aliveAt === 0 || lease.host === "") return "dead";
  if (isOwnMachine(lease)) return classifyNeighbor(lease, age);
  return classifyByAge(age);
}

/** Whether the lease was written on this machine, and in the same container if there are several. */
function isOwnMachine(lease: StreamLease): boolean {
  return lease.host === hostname() && isSameMachine(lease);
}

/** Whether a silent writer is given up because no machine sleeps for that long. */
export function isForgotten(lease: StreamLease, now: number): boolean {
  return Math.abs(now - lease.aliveAt) > forgottenMs;
}

/** Classifies a process on this machine, identified by its ID and start time, independently of any clock. */
function classifyNeighbor({ process: identity, processId }: StreamLease, age: number): WriterState {
  const [own, theirs] = [parseIdentity(ownProcess()), parseIdentity(identity)];
  // Without a start time, it can't be determined whether the ID has been reused.
  if (own === undefined || theirs === undefined) return hasProcess(processId) ? classifyByAge(age) : "dead";
  // The machine was restarted. If the writer was alive a moment ago, it runs on a clone of this machine with the same
  // names.
  if (own.boot !== theirs.boot) return age <= leaseMs ? "alive" : "dead";
  const start = startOf(processId);
  // The system may reveal only that another user's process exists.
  if (start === undefined && hasProcess(processId) && isOfOtherUser(processId)) return classifyByAge(age);
  return start === theirs.start ? "alive" : "dead";
}

function classifyByAge(age: number): WriterState {
  return age <= leaseMs ? "alive" : "unknown";
}

/**
 * Containers on one machine share its boot ID but not its process IDs, so processes in other containers can't be
 * checked.
 */
function isSameMachine({ process: identity }: StreamLease): boolean {
  const [own, theirs] = [parseIdentity(ownProcess()), parseIdentity(identity)];
  if (own === undefined || theirs === undefined) return true;
  return own.machine === theirs.machine && (own.boot !== theirs.boot || own.namespace === theirs.namespace);
}

/**
 * Measures how long writers whose state is unknown have been silent, by the reader's own clock, because theirs may
 * differ. On the first check, no writer counts as silent.
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
   * @param aliveAt The last lease renewal, by the writer's clock.
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

/** In ticks since the machine started. Undefined if the process doesn't exist or is a zombie. */
function startOf(processId: number): string | undefined {
  if (!Number.isSafeInteger(processId) || processId <= 0) return undefined;
  const stat = read(() => readFileSync(`/proc/${processId}/stat`, "utf8"));
  // The name, in parentheses, may contain anything. The state is the first field after it, the start time the
  // twentieth.
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

/** Whether the process exists but belongs to another user. A process that has ended but isn't reaped is this user's. */
function isOfOtherUser(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return false;
  } catch (error) {
    return systemCodeOf(error) === "EPERM";
  }
}
