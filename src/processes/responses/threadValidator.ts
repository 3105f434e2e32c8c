import { Worker } from "node:worker_threads";
import type { SchemaValidator, SchemaVerdict } from "../../core/responses/structured/responseCheck.ts";
import { messageOf } from "../../core/kernel/thrown.ts";

interface ThreadValidatorOptions {
  /** Path of the built `validatorThread`. */
  readonly thread: string | URL;
  /** Milliseconds after which a check is canceled, not counting the time that the thread takes to start. */
  readonly timeLimit?: number;
}

/** Milliseconds without a check after which the thread ends. */
const idleMs = 30_000;

/**
 * Validates in a separate thread, which is started with the first check, so that the extension host never waits for a
 * schema, however bad its patterns are.
 */
export class ThreadValidator implements SchemaValidator {
  readonly #options: Required<ThreadValidatorOptions>;
  #thread: Worker | undefined;
  #isReady = false;
  #limit: ReturnType<typeof setTimeout> | undefined;
  #onVerdict: ((verdict: SchemaVerdict) => void) | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ThreadValidatorOptions) {
    this.#options = { timeLimit: 3_000, ...options };
  }

  /** One check after the other, so that each has its own time limit. */
  validate(schema: unknown, json: string | undefined): Promise<SchemaVerdict> {
    const verdict = this.#queue.then(() => this.#ask({ schema, json }));
    this.#queue = verdict;
    return verdict;
  }

  dispose(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#limit);
    void this.#thread?.terminate();
    this.#thread = undefined;
    this.#isReady = false;
  }

  async #ask(request: unknown): Promise<SchemaVerdict> {
    clearTimeout(this.#idle);
    const verdict = await new Promise<SchemaVerdict>((resolve) => {
      this.#onVerdict = (reply) => {
        clearTimeout(this.#limit);
        this.#onVerdict = undefined;
        resolve(reply);
      };
      this.#post(request);
      if (this.#isReady) this.#startLimit();
    });
    this.#idle = setTimeout(() => this.dispose(), idleMs);
    this.#idle.unref();
    return verdict;
  }

  #startLimit(): void {
    this.#limit = setTimeout(() => this.#giveUp({ state: "tooLong" }), this.#options.timeLimit);
  }

  #post(request: unknown): void {
    try {
      (this.#thread ??= this.#start()).postMessage(request);
    } catch (error) {
      // Nested too deeply to be copied to the thread, or no thread could be started.
      this.#giveUp({ state: "badSchema", message: messageOf(error) });
    }
  }

  #start(): Worker {
    const thread = new Worker(this.#options.thread, {
      resourceLimits: { maxOldGenerationSizeMb: 256 },
      execArgv: [],
    });
    thread.unref();
    // Messages of a thread that was ended on purpose or has been replaced are ignored.
    thread.on("message", (reply: SchemaVerdict | "ready") => {
      if (this.#thread !== thread) return;
      if (reply !== "ready") return this.#onVerdict?.(reply);
      this.#isReady = true;
      if (this.#onVerdict !== undefined) this.#startLimit();
    });
    const onEnd = (message: string): void => {
      if (this.#thread === thread) this.#giveUp({ state: "badSchema", message });
    };
    thread.on("error", ({ message }) => onEnd(message));
    thread.on("exit", () => onEnd("the validator ended"));
    return thread;
  }

  #giveUp(verdict: SchemaVerdict): void {
    this.dispose();
    this.#onVerdict?.(verdict);
  }
}
