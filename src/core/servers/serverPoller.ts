import { credentialKinds, refusedKind } from "../account/credentialKinds.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import type { Server } from "./server.ts";
import type { ServerListSnapshot, ServerListState } from "./serverListState.ts";

/** Since when each server has been starting or stopping. */
class ChangingServers {
  readonly #since = new Map<string, number>();
  #seen: readonly Server[] = [];

  /** @param now Milliseconds since 1970. */
  note(servers: readonly Server[], now: number): void {
    if (servers === this.#seen) return;
    this.#seen = servers;
    const changing = new Set(servers.filter(isChanging).map(({ key }) => key));
    for (const key of this.#since.keys()) if (!changing.has(key)) this.#since.delete(key);
    for (const key of changing) if (!this.#since.has(key)) this.#since.set(key, now);
  }

  /** For how long the one that began last has been changing, in milliseconds; undefined while none is. */
  youngestMs(now: number): number | undefined {
    if (this.#since.size === 0) return undefined;
    const latest = [...this.#since.values()].reduce((first, second) => Math.max(first, second));
    return Math.max(0, now - latest);
  }
}

function isChanging({ status }: Server): boolean {
  return status === "starting" || status === "stopping";
}

const fastMs = 5_000;
/** A change that takes longer is not waited for at the fast pace any more. */
const longestFastMs = 10 * 60_000;
const longestBackoffMs = 5 * 60_000;

interface PollSituation {
  readonly snapshot: ServerListSnapshot;
  /** What the user set, in milliseconds; 0 turns polling off. */
  readonly intervalMs: number;
  /** How long servers have been starting or stopping, in milliseconds; undefined while none is. */
  readonly changingForMs?: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * Milliseconds until the next poll. Undefined if none is due: polling is off, or there is no credential, which only a
 * new credential changes. After failures 5 s to 5 min with full jitter, never sooner than without failures or than the
 * server allows.
 */
export function pollDelay({
  snapshot,
  intervalMs,
  changingForMs,
  random,
}: PollSituation): number | undefined {
  if (!(intervalMs > 0) || snapshot.state === "signedOut") return undefined;
  if (isTokenRefusal(snapshot.error)) return undefined;
  const isChanging = changingForMs !== undefined && changingForMs < longestFastMs;
  const healthyMs = isChanging ? Math.min(fastMs, intervalMs) : intervalMs;
  return snapshot.failures > 0 ? backoff(snapshot, healthyMs, random) : healthyMs;
}

function isTokenRefusal(error: ErrorFacts | undefined): boolean {
  const kind = error === undefined ? undefined : refusedKind(error.reason);
  return kind !== undefined && credentialKinds[kind].lifetime !== "key";
}

/** A gateway that fails must not be asked more often than one that doesn't. */
function backoff({ failures, error }: ServerListSnapshot, healthyMs: number, random: number): number {
  const cap = Math.min(longestBackoffMs, fastMs * 2 ** (failures - 1));
  return Math.max(healthyMs, Math.round(random * cap), error?.retryAfterMs ?? 0);
}

/** Ports of the poller: the clock, the timer, the dice and the setting. */
export interface PollerPorts {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once after so many milliseconds; returns what cancels it. */
  schedule(callback: () => void, delayMs: number): () => void;
  /** From 0 up to 1. */
  random(): number;
  /** The user's interval in milliseconds; 0 turns polling off. */
  intervalMs(): number;
}

/** The clock is looked at this often: a timer says nothing of the time that the machine slept. In milliseconds. */
const stepMs = 5_000;
/** A tick that comes this much too late, or before the last one, means that the machine slept or its clock was set. */
const lateMs = 10_000;
/** After waking the network takes a moment. */
const wakingMs = 2_000;
/** How much longer than the leading window the others wait, in case that it is stuck. */
const patienceMs = 15_000;

/**
 * Refreshes a list while it is viewed: paused while hidden, faster while servers change, slower after failures, once
 * after the machine slept. Of several windows only the leading one polls. The others wait a little longer.
 */
export class ServerPoller {
  readonly #list: ServerListState;
  readonly #ports: PollerPorts;
  readonly #share: PollingLeadership;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #changing = new ChangingServers();
  #isVisible = false;
  #cancel: (() => void) | undefined;
  #dueAt: number | undefined;
  #nextPollAt: number | undefined;
  /** Nothing is asked before, in milliseconds since 1970: the server or the waking network wants it so. */
  #notBefore = 0;
  #isWaking = false;
  #lastError: ErrorFacts | undefined;

  constructor(list: ServerListState, ports: PollerPorts, share: PollingLeadership) {
    this.#list = list;
    this.#ports = ports;
    this.#share = share;
    this.#unsubscribe = [
      list.onDidChange(() => this.#reschedule()),
      share.onDidChange(() => this.#reschedule()),
    ];
  }

  /** When the list is asked for next, in milliseconds since 1970; undefined while that isn't planned. */
  get nextPollAt(): number | undefined {
    return this.#nextPollAt;
  }

  /** The first look asks at once, a later one only where the rows have become old meanwhile. */
  setVisible(isVisible: boolean): void {
    const isNew = isVisible !== this.#isVisible;
    this.#isVisible = isVisible;
    if (isNew) this.#share.setVisible(isVisible);
    this.#reschedule();
  }

  /** The interval was changed. */
  intervalChanged(): void {
    this.#reschedule();
  }

  dispose(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.setVisible(false);
  }

  #reschedule(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAt = undefined;
    this.#nextPollAt = undefined;
    const { current } = this.#list;
    const now = this.#ports.now();
    this.#changing.note(current.servers, now);
    this.#noteRetryAfter(current.error, now);
    if (current.isRefreshing) this.#isWaking = false;
    if (!this.#isVisible) return;
    const isFirst = current.state === "loading" || (current.isRestored === true && current.failures === 0);
    if (current.isRefreshing) this.#watchClock(now);
    // Listeners are notified at once, which brings us here again.
    else if (isFirst && this.#share.isLeading === true && now >= this.#notBefore) void this.#list.poll();
    else this.#plan(current, isFirst, now);
  }

  #plan(current: ServerListSnapshot, isFirst: boolean, now: number): void {
    const isLeading = this.#share.isLeading === true;
    const delay = isFirst || this.#isWaking ? 0 : this.#delay(current, now);
    const dueAt = delay === undefined ? undefined : Math.max(now + delay, this.#notBefore);
    if (isLeading) this.#share.announce(dueAt === undefined ? undefined : dueAt - now);
    if (dueAt === undefined) return;
    this.#nextPollAt = isLeading ? dueAt : (this.#share.announcedAt ?? dueAt);
    this.#dueAt = isLeading ? dueAt : Math.max(now, this.#nextPollAt) + patienceMs;
    this.#watchClock(now);
  }

  /** What is left of the delay since the rows came; after a failure it counts from now. */
  #delay(snapshot: ServerListSnapshot, now: number): number | undefined {
    const changingForMs = this.#changing.youngestMs(now);
    const delay = pollDelay({
      snapshot,
      intervalMs: this.#ports.intervalMs(),
      random: this.#ports.random(),
      ...(changingForMs === undefined ? {} : { changingForMs }),
    });
    if (delay === undefined || snapshot.failures > 0 || snapshot.listedAt === undefined) return delay;
    return Math.min(delay, Math.max(0, snapshot.listedAt + delay - now));
  }

  #noteRetryAfter(error: ErrorFacts | undefined, now: number): void {
    if (error !== this.#lastError && error?.retryAfterMs !== undefined) {
      this.#notBefore = now + error.retryAfterMs;
    } else if (error === undefined && !this.#isWaking) this.#notBefore = 0;
    this.#lastError = error;
  }

  /** A timer stands still while the machine sleeps: it is set for short steps, and the clock looked at after each. */
  #watchClock(now: number): void {
    const step = Math.min(stepMs, Math.max(0, (this.#dueAt ?? Infinity) - now));
    this.#cancel = this.#ports.schedule(() => {
      const late = this.#ports.now() - now - step;
      if (late > lateMs || late < -lateMs) this.#wake();
      else if (this.#dueAt !== undefined && this.#ports.now() >= this.#dueAt) void this.#list.poll();
      else this.#watchClock(this.#ports.now());
    }, step);
  }

  /** One request after a short wait, whatever was under way or failed before. */
  #wake(): void {
    const now = this.#ports.now();
    const wait = wakingMs * (1 + this.#ports.random());
    // A clock that was set back by an hour must not keep us waiting for that long.
    const isAllowedAt = Math.min(this.#notBefore, now + (this.#lastError?.retryAfterMs ?? 0));
    this.#notBefore = Math.max(isAllowedAt, now + wait);
    this.#isWaking = true;
    this.#list.wake();
    this.#reschedule();
  }
}
/**
 * Port: of all windows that show a list, one polls it and shares the result with the others. A window without others
 * leads.
 */
export interface PollingLeadership {
  /** Undefined while that isn't known yet. */
  readonly isLeading: boolean | undefined;
  /** When the leading window asks next, as it said last, in milliseconds since 1970; undefined if it didn't. */
  readonly announcedAt: number | undefined;
  /** The listener is called when one of these has changed. Returns a function that unsubscribes. */
  onDidChange(listener: () => void): () => void;
  /** Who doesn't look neither leads nor follows. */
  setVisible(isVisible: boolean): void;
  /** Tells the other windows in how many milliseconds this window polls next. Undefined if it doesn't. */
  announce(delayMs: number | undefined): void;
}
