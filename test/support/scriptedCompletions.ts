import { setImmediate } from "node:timers/promises";
import type {
  CompletionEvent,
  CompletionObserver,
  CompletionPort,
  CompletionRequest,
  CompletionRun,
} from "../../src/core/conversation/completion.ts";

type Step = { readonly event: CompletionEvent } | { readonly end: true; readonly error?: unknown };

/** A run whose events are emitted by the test. */
export class ScriptedRun implements CompletionRun {
  readonly request: CompletionRequest;
  readonly observer: CompletionObserver;
  readonly events: AsyncIterable<CompletionEvent>;
  readonly #steps: Step[] = [];
  isStopped = false;
  #wake: (() => void) | undefined;
  #settle: () => void = () => undefined;
  /** Resolves when the consumer has seen the end and reacted to it. */
  readonly settled: Promise<void>;

  constructor(request: CompletionRequest, observer: CompletionObserver) {
    this.request = request;
    this.observer = observer;
    this.settled = new Promise<void>((resolve) => (this.#settle = resolve)).then(() => setImmediate());
    this.events = this.#read();
  }

  emit(...events: readonly CompletionEvent[]): void {
    this.#push(...events.map((event) => ({ event })));
  }

  end(): void {
    this.#push({ end: true });
  }

  fail(error: unknown): void {
    this.#push({ end: true, error });
  }

  stop(): void {
    this.isStopped = true;
    this.end();
  }

  /** Resolves when everything emitted so far has been consumed. */
  async delivered(): Promise<void> {
    while (this.#steps.length > 0) await setImmediate();
    await setImmediate();
  }

  #push(...steps: readonly Step[]): void {
    this.#steps.push(...steps);
    this.#wake?.();
  }

  async *#read(): AsyncGenerator<CompletionEvent> {
    try {
      for (;;) {
        const step = this.#steps.shift();
        if (step === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
        else if ("event" in step) yield step.event;
        else if (step.error !== undefined) throw step.error;
        else return;
      }
    } finally {
      this.#settle();
    }
  }
}

/** The port of the inference service, controlled by the test. */
export class ScriptedCompletions implements CompletionPort {
  readonly #runs: ScriptedRun[] = [];
  #wake: (() => void) | undefined;

  complete(request: CompletionRequest, observer: CompletionObserver): CompletionRun {
    const run = new ScriptedRun(request, observer);
    this.#runs.push(run);
    this.#wake?.();
    return run;
  }

  /** Waits for the next run to be requested and returns it. */
  async next(): Promise<ScriptedRun> {
    for (;;) {
      const run = this.#runs.shift();
      if (run !== undefined) return run;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
