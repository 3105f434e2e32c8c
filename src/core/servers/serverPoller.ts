import { credentialKinds, refusedKind } from "../account/credentialKinds.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import type { Server } from "./server.ts";
import type { ServerListSnapshot, ServerListState } from "./serverListState.ts";

/** Tracks since when each server has been starting or stopping. */
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

  /** How long the latest of these changes has taken so far, in milliseconds; undefined if no server is changing. */
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
/** A change that takes longer is no longer polled at the fast rate. */
const longestFastMs = 10 * 60_000;
const longestBackoffMs = 5 * 60_000;

interface PollSituation {
  readonly snapshot: ServerListSnapshot;
  /** The user's setting in milliseconds; 0 turns polling off. */
  readonly intervalMs: number;
  /** How long servers have been starting or stopping, in milliseconds; undefined if none is. */
  readonly changingForMs?: number;
  /** From 0 to below 1. */
  readonly random: number;
}

/**
 * Milliseconds until the next poll. Undefined if none is scheduled: polling is off, or there is no credential, which
 * only a new credential changes. After failures, 5 s to 5 min with full jitter, but never sooner than without failures
 * or than the server allows.
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

/** A failing gateway must not be polled more often than a healthy one. */
function backoff({ failures, error }: ServerListSnapshot, healthyMs: number, random: number): number {
  const cap = Math.min(longestBackoffMs, fastMs * 2 ** (failures - 1));
  return Math.max(healthyMs, Math.round(random * cap), error?.retryAfterMs ?? 0);
}

/** Ports of the poller: the clock, the timer, the random numbers and the setting. */
export interface PollerPorts {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once after this many milliseconds; returns a function that cancels it. */
  schedule(callback: () => void, delayMs: number): () => void;
  /** From 0 to below 1. */
  random(): number;
  /** The user's interval in milliseconds; 0 turns polling off. */
  intervalMs(): number;
}

/** How often the clock is checked, in milliseconds, because a timer doesn't reveal how long the machine slept. */
const stepMs = 5_000;
/** A tick that is this late, or earlier than the last one, means that the machine slept or its clock was set. */
const lateMs = 10_000;
/** After waking, the network takes a moment. */
const wakingMs = 2_000;
/** How much longer than the leading window the others wait in case it is stuck. */
const patienceMs = 15_000;

/**
 * Refreshes a list while it is visible: paused while hidden, faster while servers change, slower after failures, once
 * after the machine slept. If there are several windows, only the leading one polls; the others wait a little longer.
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
  /**
   * No request is sent before this time, in milliseconds since 1970, because the server or the waking network requires
   * it.
   */
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

  /** When the list is requested next, in milliseconds since 1970; undefined if no request is scheduled. */
  get nextPollAt(): number | undefined {
    return this.#nextPollAt;
  }

  /**
   * Becoming visible for the first time requests the list at once; later only if the rows have become stale in the
   * meantime.
   */
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
    // Listeners are notified at once, which leads back to this function.
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

  /** The rest of the delay since the rows were received; after a failure, it counts from now. */
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

  /** A timer stops while the machine sleeps, so it is set for short steps and the clock is checked after each. */
  #watchClock(now: number): void {
    const step = Math.min(stepMs, Math.max(0, (this.#dueAt ?? Infinity) - now));
    this.#cancel = this.#ports.schedule(() => {
      const late = this.#ports.now() - now - step;
      if (late > lateMs || late < -lateMs) this.#wake();
      else if (this.#dueAt !== undefined && this.#ports.now() >= this.#dueAt) void this.#list.poll();
      else this.#watchClock(this.#ports.now());
    }, step);
  }

  /** Sends one request after a short wait, whatever was in progress or failed before. */
  #wake(): void {
    const now = this.#ports.now();
    const wait = wakingMs * (1 + this.#ports.random());
    // If the clock was set back by an hour, polling must not wait for that long.
    const isAllowedAt = Math.min(this.#notBefore, now + (this.#lastError?.retryAfterMs ?? 0));
    this.#notBefore = Math.max(isAllowedAt, now + wait);
    this.#isWaking = true;
    this.#list.wake();
    this.#reschedule();
  }
}
/** Port: of all windows that show a list, one polls it and shares the result with the others. A single window leads. */
export interface PollingLeadership {
  /** Undefined until it is known. */
  readonly isLeading: boolean | undefined;
  /**
   * When the leading window polls next according to its last announcement, in milliseconds since 1970; undefined
   * without one.
   */
  readonly announcedAt: number | undefined;
  /** The listener is called when one of these has changed. Returns a function that unsubscribes. */
  onDidChange(listener: () => void): () => void;
  /** A window in which the list isn't visible neither leads nor follows. */
  setVisible(isVisible: boolean): void;
  /** Announces to the other windows in how many milliseconds this window polls next. Undefined if it doesn't. */
  announce(delayMs: number | undefined): void;
}
