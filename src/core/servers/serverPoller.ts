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
/** How often a list that isn't viewed is requested, so that failures and watched servers are noticed. */
const unviewedMs = 5 * 60_000;

interface PollSituation {
  readonly snapshot: ServerListSnapshot;
  /** The user's setting in milliseconds; 0 turns polling off. */
  readonly intervalMs: number;
  /** Whether the list is visible in a window that has the focus. */
  readonly isViewed: boolean;
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
export function pollDelay(situation: PollSituation): number | undefined {
  const { snapshot, intervalMs, random } = situation;
  if (!(intervalMs > 0) || snapshot.state === "signedOut") return undefined;
  if (isTokenRefusal(snapshot.error)) return undefined;
  const healthyMs = healthyDelay(situation);
  return snapshot.failures > 0 ? backoff(snapshot, healthyMs, random) : healthyMs;
}

function healthyDelay({ intervalMs, isViewed, changingForMs }: PollSituation): number {
  if (!isViewed) return Math.max(unviewedMs, intervalMs);
  const isChanging = changingForMs !== undefined && changingForMs < longestFastMs;
  return isChanging ? Math.min(fastMs, intervalMs) : intervalMs;
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

/** Ports of the poller: the clock, the timer, the random numbers, the setting and the focus. */
export interface PollerPorts {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once after this many milliseconds; returns a function that cancels it. */
  schedule(callback: () => void, delayMs: number): () => void;
  /** From 0 to below 1. */
  random(): number;
  /** The user's interval in milliseconds; 0 turns polling off. */
  intervalMs(): number;
  /** Whether the user is working in this window. */
  hasFocus(): boolean;
}

/** How often the clock is checked, in milliseconds, because a timer doesn't reveal how long the machine slept. */
const stepMs = 5_000;
/** A tick that is this late, or earlier than the last one, means that the machine slept or its clock was set. */
const lateMs = 10_000;
/** After waking, the network takes a moment. */
const wakingMs = 2_000;

/**
 * Refreshes a list from when it is first visible: faster while servers change, slower after failures and while nobody
 * views it, once after the machine slept.
 */
export class ServerPoller {
  readonly #list: ServerListState;
  readonly #ports: PollerPorts;
  readonly #unsubscribe: () => void;
  readonly #changing = new ChangingServers();
  #isVisible = false;
  /** Whether it was ever visible or started. Other lists are requested only once they are started. */
  #isStarted = false;
  #cancel: (() => void) | undefined;
  #dueAt: number | undefined;
  /**
   * No request is sent before this time, in milliseconds since 1970, because the server or the waking network requires
   * it.
   */
  #notBefore = 0;
  #isWaking = false;
  #lastError: ErrorFacts | undefined;
  #failures = 0;
  #failedAt = 0;

  constructor(list: ServerListState, ports: PollerPorts) {
    this.#list = list;
    this.#ports = ports;
    this.#unsubscribe = list.onDidChange(() => this.#reschedule());
  }

  /** When the list is requested next, in milliseconds since 1970; undefined if no request is scheduled. */
  get nextPollAt(): number | undefined {
    return this.#dueAt;
  }

  /**
   * Becoming visible for the first time requests the list at once; later only if the rows have become stale in the
   * meantime.
   */
  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    this.#isStarted ||= isVisible;
    this.#reschedule();
  }

  /**
   * Requests the list although nobody has looked at it: at once, and then as often as one that isn't viewed. Does nothing
   * if the user has turned polling off.
   */
  start(): void {
    if (this.#isStarted || !(this.#ports.intervalMs() > 0)) return;
    this.#isStarted = true;
    this.#reschedule();
  }

  /** The interval was changed, or the window has got or lost the focus. */
  paceChanged(): void {
    this.#reschedule();
  }

  dispose(): void {
    this.#unsubscribe();
    this.#isStarted = false;
    this.#reschedule();
  }

  #reschedule(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAt = undefined;
    const { current } = this.#list;
    const now = this.#ports.now();
    this.#changing.note(current.servers, now);
    this.#noteFailure(current, now);
    if (current.isRefreshing) this.#isWaking = false;
    if (!this.#isStarted) return;
    const isFirst = current.state === "loading" || (current.isRestored === true && current.failures === 0);
    if (current.isRefreshing) this.#watchClock(now);
    // Listeners are notified at once, which leads back to this function.
    else if (isFirst && now >= this.#notBefore) void this.#list.poll();
    else this.#plan(current, isFirst, now);
  }

  #plan(current: ServerListSnapshot, isFirst: boolean, now: number): void {
    const delay = isFirst || this.#isWaking ? 0 : this.#delay(current, now);
    if (delay === undefined) return;
    this.#dueAt = Math.max(now + delay, this.#notBefore);
    this.#watchClock(now);
  }

  /** The rest of the delay since the rows were received or the last request failed. */
  #delay(snapshot: ServerListSnapshot, now: number): number | undefined {
    const changingForMs = this.#changing.youngestMs(now);
    const delay = pollDelay({
      snapshot,
      intervalMs: this.#ports.intervalMs(),
      isViewed: this.#isVisible && this.#ports.hasFocus(),
      random: this.#ports.random(),
      ...(changingForMs === undefined ? {} : { changingForMs }),
    });
    const since = snapshot.failures > 0 ? this.#failedAt : snapshot.listedAt;
    if (delay === undefined || since === undefined) return delay;
    return Math.min(delay, Math.max(0, since + delay - now));
  }

  #noteFailure({ error, failures }: ServerListSnapshot, now: number): void {
    if (failures !== this.#failures) this.#failedAt = now;
    this.#failures = failures;
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
