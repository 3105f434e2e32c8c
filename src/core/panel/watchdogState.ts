/** What distinguishes a dead page from a slow machine, and how often it is rebuilt. Times are in milliseconds. */
export const watchdogLimits = {
  /** From a ping to the next one. */
  round: 1_500,
  /** How long a response of the page may take after one of VS Code's window, which passes it on. */
  grace: 50,
  /** A round that takes this much longer means nothing: the machine slept, or the window didn't pass the ping on. */
  late: 500,
  /** A page that is silent for this many rounds is dead. */
  silentRounds: 2,
  /** A page that is being built has so many more rounds, because machines and networks may be slow. */
  loadingRounds: 2,
  /** A page that was rebuilt this often since it was shown isn't rebuilt again. */
  rebuilds: 5,
} as const;

interface PageHealthContext {
  /** Monotonic milliseconds. */
  now(): number;
  /** Runs a function once after this many milliseconds and returns a function that cancels it. */
  schedule(run: () => void, ms: number): () => void;
  /** Pings the page. */
  ask(): void;
  /** Resolves when VS Code's own window responds; until then, nothing can be concluded about the page inside it. */
  pingWindow(): PromiseLike<unknown>;
  rebuild(): void;
  /** The page died too often. */
  giveUp(): void;
}

/** Watches one page while it is shown: a page that responds to no ping, although VS Code's window does, is rebuilt. */
export class WatchdogState {
  readonly #context: PageHealthContext;
  #cancel: () => void = () => undefined;
  /** Invalidates what was asked before the page was hidden. */
  #watch = 0;
  /** Rounds without a message from the page. */
  #silent = 0;
  /** How often the page was rebuilt since it was shown. */
  #rebuilds = 0;

  constructor(context: PageHealthContext) {
    this.#context = context;
  }

  /** The page is shown or moved, for which VS Code builds it. */
  start(): void {
    this.#rebuilds = 0;
    this.#watchNew();
  }

  /** A page is being built. */
  #watchNew(): void {
    this.stop();
    this.#silent = -watchdogLimits.loadingRounds;
    this.#beginRound();
  }

  /** The page is not shown: a hidden page is not dead. */
  stop(): void {
    this.#watch++;
    this.#cancel();
  }

  /** Called for every message from the page. */
  noteMessage(): void {
    // The current round counts as the one before the first silent one.
    this.#silent = -1;
  }

  #beginRound(): void {
    const { now, schedule, ask, pingWindow } = this.#context;
    const [watch, askedAt] = [this.#watch, now()];
    ask();
    this.#cancel = schedule(() => {
      void pingWindow().then(() => {
        if (watch !== this.#watch) return;
        this.#cancel = schedule(() => this.#endRound(now() - askedAt), watchdogLimits.grace);
      });
    }, watchdogLimits.round);
  }

  #endRound(tookMs: number): void {
    if (tookMs < watchdogLimits.round + watchdogLimits.late) this.#silent++;
    if (this.#silent < watchdogLimits.silentRounds) return this.#beginRound();
    const { rebuild, giveUp } = this.#context;
    if (this.#rebuilds === watchdogLimits.rebuilds) return giveUp();
    this.#rebuilds++;
    rebuild();
    this.#watchNew();
  }
}
