/** What distinguishes a dead page from a slow machine, in milliseconds, and the maximum number of rebuilds. */
export const watchdogLimits = {
  /** Between two pings while a response is being received. */
  busyInterval: 250,
  /** Between two pings otherwise. */
  quietInterval: 3_000,
  /**
   * How long a page may fail to respond, although VS Code responds, before it counts as dead. Doubled by each recent
   * rebuild.
   */
  patience: 350,
  /** How long a response of the page may take after one of VS Code's window, which passes it on. */
  grace: 50,
  /** For a page that is being built, because machines and networks may be slow. */
  loading: 5_000,
  /** The period in which rebuilds count as recent. */
  recent: 60_000,
  rebuilds: 3,
} as const;

/** The times at which the page of one conversation was rebuilt. Outlives the page and its surface. */
export class Rebuilds {
  #at: readonly number[] = [];

  /** Counts a rebuild. Times are monotonic milliseconds. */
  add(now: number): void {
    this.#at = [...this.#at.filter((at) => now - at < watchdogLimits.recent), now];
  }

  /** The rebuilds of the last minute. */
  countRecent(now: number): number {
    return this.#at.filter((at) => now - at < watchdogLimits.recent).length;
  }

  /** Forgets all rebuilds. */
  forgive(): void {
    this.#at = [];
  }
}

interface PageHealthContext {
  readonly rebuilds: Rebuilds;
  /** Monotonic milliseconds. */
  now(): number;
  /** Runs a function once after this many milliseconds and returns a function that cancels it. */
  schedule(run: () => void, ms: number): () => void;
  /** Whether there is something to send to the page. */
  isBusy(): boolean;
  /** Pings the page. */
  ask(): void;
  /** Resolves when VS Code's own window responds; until then, nothing can be concluded about the page inside it. */
  pingWindow(): PromiseLike<unknown>;
  /** The page is dead and has to be rebuilt. `silentMs` is the time since its last message. */
  rebuild(silentMs: number): void;
  /** The page died too often: the user decides whether to continue (with `start`). */
  giveUp(): void;
}

/**
 * Watches one page while it is shown. A page is dead if it fails to respond twice, the second time although VS Code's
 * window responds before and after it: a window that builds an editor doesn't pass messages on, and may just be hiding
 * the page. A late timer (a busy extension host, a machine that slept) doesn't count.
 */
export class WatchdogState {
  readonly #context: PageHealthContext;
  #cancel: (() => void) | undefined;
  #isAwaited = false;
  /** Invalidates suspicions that are older than the last message. */
  #round = 0;
  #lastMessageAt = 0;

  constructor(context: PageHealthContext) {
    this.#context = context;
  }

  /** A page is being built, or VS Code has moved it, which rebuilds it. It gets more time for its first message. */
  start(): void {
    this.#lastMessageAt = this.#context.now();
    this.#round++;
    this.#isAwaited = true;
    this.#context.ask();
    this.#wait(watchdogLimits.loading, () => this.#suspect());
  }

  /** The page is not shown: a hidden page is not dead. */
  stop(): void {
    this.#round++;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Called for every message from the page. */
  noteMessage(): void {
    this.#lastMessageAt = this.#context.now();
    this.#isAwaited = false;
    this.#round++;
    this.#watch();
  }

  /** A response has started: the page is pinged more often from now on. */
  becameBusy(): void {
    if (this.#cancel !== undefined && !this.#isAwaited) this.#watch();
  }

  #watch(): void {
    const { isBusy, ask } = this.#context;
    this.#wait(isBusy() ? watchdogLimits.busyInterval : watchdogLimits.quietInterval, () => {
      this.#isAwaited = true;
      ask();
      this.#wait(watchdogLimits.busyInterval, () => this.#suspect());
    });
  }

  #suspect(): void {
    this.#whenWindowResponds(() => {
      this.#context.ask();
      this.#wait(this.#patience(), () => this.#confirm());
    });
  }

  /** A window that was busy in the meantime hasn't passed the ping on, so the page gets another one. */
  #confirm(): void {
    const { now } = this.#context;
    const askedAt = now();
    this.#whenWindowResponds(() => {
      const isWindowBusy = now() - askedAt > watchdogLimits.grace;
      this.#wait(watchdogLimits.grace, () => (isWindowBusy ? this.#suspect() : this.#die()));
    });
  }

  /** Continues once VS Code's window responds, unless the page has sent something or was hidden by then. */
  #whenWindowResponds(run: () => void): void {
    const round = ++this.#round;
    void this.#context.pingWindow().then(() => {
      if (round === this.#round) run();
    });
  }

  #die(): void {
    const { now, rebuilds, rebuild, giveUp } = this.#context;
    this.stop();
    if (rebuilds.countRecent(now()) >= watchdogLimits.rebuilds) return giveUp();
    rebuilds.add(now());
    rebuild(now() - this.#lastMessageAt);
  }

  #patience(): number {
    const { now, rebuilds } = this.#context;
    return watchdogLimits.patience * 2 ** rebuilds.countRecent(now());
  }

  /** Calls back after this time, or waits once more if the timer fired much too late. */
  #wait(ms: number, run: () => void): void {
    const { now, schedule } = this.#context;
    this.#cancel?.();
    const dueAt = now() + ms;
    this.#cancel = schedule(() => {
      if (now() - dueAt > ms) this.#wait(ms, run);
      else run();
    }, ms);
  }
}
