import { pollDelay } from "./pollDelay.ts";
import type { ServerListState } from "./serverListState.ts";

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

/** Refreshes a list while somebody looks at it: paused while hidden, faster while servers change, slower after failures. */
export class ServerPoller {
  readonly #list: ServerListState;
  readonly #ports: PollerPorts;
  readonly #unsubscribe: () => void;
  #isVisible = false;
  #cancel: (() => void) | undefined;
  #changingSince: number | undefined;
  #nextPollAt: number | undefined;

  constructor(list: ServerListState, ports: PollerPorts) {
    this.#list = list;
    this.#ports = ports;
    this.#unsubscribe = list.onDidChange(() => this.#reschedule());
  }

  /** When the list is asked for next, in milliseconds since 1970; undefined while that isn't planned. */
  get nextPollAt(): number | undefined {
    return this.#nextPollAt;
  }

  /** The first look asks at once, a later one only where the rows have become old meanwhile. */
  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    if (!isVisible) this.#stopTimer();
    else this.#reschedule();
  }

  /** The interval was changed. */
  intervalChanged(): void {
    this.#reschedule();
  }

  dispose(): void {
    this.#unsubscribe();
    this.#isVisible = false;
    this.#stopTimer();
  }

  #reschedule(): void {
    this.#stopTimer();
    this.#noteChanges();
    const { current } = this.#list;
    if (!this.#isVisible || current.isRefreshing) return;
    if (current.state === "loading" || (current.isRestored === true && current.failures === 0)) {
      void this.#list.poll();
      return;
    }
    const delay = this.#delay();
    if (delay === undefined) return;
    this.#nextPollAt = this.#ports.now() + delay;
    this.#cancel = this.#ports.schedule(() => void this.#list.poll(), delay);
  }

  /** What is left of the delay since the rows came; after a failure it counts from now. */
  #delay(): number | undefined {
    const { current: snapshot } = this.#list;
    const now = this.#ports.now();
    const delay = pollDelay({
      snapshot,
      intervalMs: this.#ports.intervalMs(),
      random: this.#ports.random(),
      ...(this.#changingSince === undefined ? {} : { changingForMs: now - this.#changingSince }),
    });
    if (delay === undefined || snapshot.failures > 0 || snapshot.listedAt === undefined) return delay;
    return Math.min(delay, Math.max(0, snapshot.listedAt + delay - now));
  }

  #noteChanges(): void {
    const { servers } = this.#list.current;
    const isChanging = servers.some(({ status }) => status === "starting" || status === "stopping");
    this.#changingSince = isChanging ? (this.#changingSince ?? this.#ports.now()) : undefined;
  }

  #stopTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#nextPollAt = undefined;
  }
}
