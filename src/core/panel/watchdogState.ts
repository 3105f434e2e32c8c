/** What distinguishes a dead page from a slow machine, in milliseconds, and how often a page is rebuilt at most. */
export const pageLimits = {
  /** Between two questions while something comes in. */
  busyInterval: 250,
  /** Between two questions while nothing does. */
  quietInterval: 3_000,
  /** A page that doesn't respond though VS Code does: after so long it is dead. Doubled by each recent rebuild. */
  patience: 400,
  /** A page that is being built; machines and networks may be slow. */
  loading: 5_000,
  /** In which rebuilds count as recent. */
  recent: 60_000,
  rebuilds: 3,
} as const;

/** When the page of one conversation was rebuilt. Outlives the page and its surface. */
export class Rebuilds {
  #at: readonly number[] = [];

  add(now: number): void {
    this.#at = [...this.#at.filter((at) => now - at < pageLimits.recent), now];
  }

  countRecent(now: number): number {
    return this.#at.filter((at) => now - at < pageLimits.recent).length;
  }

  forgive(): void {
    this.#at = [];
  }
}

export interface PageHealthContext {
  readonly rebuilds: Rebuilds;
  /** Milliseconds; never goes back. */
  now(): number;
  /** Runs a function once after so many milliseconds; returns its cancellation. */
  schedule(run: () => void, ms: number): () => void;
  /** Whether there is something to send to the page. */
  isBusy(): boolean;
  /** Asks the page for a sign of life. */
  ask(): void;
  /** Resolves when VS Code's own window responds: before that, nothing can be said of the page in it. */
  windowAnswers(): PromiseLike<unknown>;
  /** The page is dead and has to be rebuilt. `silentMs` is the time since its last message. */
  rebuild(silentMs: number): void;
  /** The page died too often: whether to go on is the user's decision (`start` goes on). */
  giveUp(): void;
}

/**
 * Watches one page while it is shown. A page is dead when it twice doesn't respond, the second time though VS Code's
 * window does; a late timer (a busy extension host, a machine that slept) counts for nothing.
 */
export class WatchdogState {
  readonly #context: PageHealthContext;
  #cancel: (() => void) | undefined;
  #isAwaited = false;
  /** Ends a suspicion that is older than the last message. */
  #round = 0;
  #lastMessageAt = 0;

  constructor(context: PageHealthContext) {
    this.#context = context;
  }

  /** A page is being built, or moved by VS Code, which rebuilds it. It has more time for its first message. */
  start(): void {
    this.#lastMessageAt = this.#context.now();
    this.#round++;
    this.#isAwaited = true;
    this.#context.ask();
    this.#wait(pageLimits.loading, () => this.#suspect());
  }

  /** The page is not shown: a hidden page is not dead. */
  stop(): void {
    this.#round++;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Anything that the page says. */
  noteMessage(): void {
    this.#lastMessageAt = this.#context.now();
    this.#isAwaited = false;
    this.#round++;
    this.#watch();
  }

  /** Something begins to come in: a page that was asked seldom is asked more often. */
  becameBusy(): void {
    if (this.#cancel !== undefined && !this.#isAwaited) this.#watch();
  }

  #watch(): void {
    const { isBusy, ask } = this.#context;
    this.#wait(isBusy() ? pageLimits.busyInterval : pageLimits.quietInterval, () => {
      this.#isAwaited = true;
      ask();
      this.#wait(pageLimits.busyInterval, () => this.#suspect());
    });
  }

  #suspect(): void {
    const round = ++this.#round;
    void this.#context.windowAnswers().then(() => {
      if (round !== this.#round) return;
      this.#context.ask();
      this.#wait(this.#patience(), () => this.#die());
    });
  }

  #die(): void {
    const { now, rebuilds, rebuild, giveUp } = this.#context;
    this.stop();
    if (rebuilds.countRecent(now()) >= pageLimits.rebuilds) return giveUp();
    rebuilds.add(now());
    rebuild(now() - this.#lastMessageAt);
  }

  #patience(): number {
    const { now, rebuilds } = this.#context;
    return pageLimits.patience * 2 ** rebuilds.countRecent(now());
  }

  /** Calls back after the time; once more after the time where that was much later than it should be. */
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
