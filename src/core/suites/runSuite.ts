import { t } from "@vscode/l10n";
import type {
  CompletionObserver,
  CompletionPort,
  CompletionRequest,
  CompletionRun,
  ExchangeObserver,
  Usage,
} from "../conversation/completion.ts";
import { costOf } from "../conversation/prices.ts";
import type { Price } from "../conversation/prices.ts";
import { ServiceError } from "../kernel/errors.ts";
import type { ErrorReason } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { messageOf } from "../kernel/thrown.ts";
import { checkCell } from "./checkCell.ts";
import type { CheckFailure, MeasuredResponse, TextValidator } from "./checkCell.ts";
import type { CellOutcome, CellResult } from "./results.ts";
import type { SuiteCell } from "./suite.ts";

/** The ports and bounds of a run. */
export interface SuiteRunOptions {
  readonly port: CompletionPort;
  readonly validator: TextValidator;
  readonly locale: string | undefined;
  /** Maximum number of simultaneous requests. It is halved when the server reports too many. */
  readonly concurrency: number;
  priceOf(model: string): Price | undefined;
  /** Removes credentials from a text. */
  redact(text: string): string;
  /** In milliseconds. */
  monotonic(): number;
  /** Resolves after this many milliseconds. */
  pause(ms: number): Promise<void>;
  onStart(cell: SuiteCell): void;
  /** Called once per cell, unless the run is stopped. */
  onResult(cell: SuiteCell, result: CellResult): void;
}

/** Errors that would affect every other request, too: the run ends with the first one. */
const lasting: ReadonlySet<ErrorReason> = new Set<ErrorReason>([
  ...(["tls", "wrongScheme", "proxy", "insecure", "redirected", "apiKey", "forbidden"] as const),
  ...(["payment", "missingCredential", "budget", "configuration", "notFound"] as const),
]);
const rateReasons: ReadonlySet<ErrorReason> = new Set<ErrorReason>(["rateLimit", "overloaded"]);

/** Number of rate-limit rejections after which a request counts as an error. */
const mostRateTries = 4;
/** Milliseconds to wait if the server doesn't say how long. */
const usualRateWaitMs = 5_000;
/** A server that asks to wait longer than this many milliseconds has used up a quota: the run ends. */
const longestRateWaitMs = 600_000;
/** After this many failed requests in a row, the server counts as unreachable. */
const mostUnreachable = 3;

/** A run of several requests. */
export interface SuiteRun {
  /** Resolves to the error that ended the run; undefined if the run was completed or stopped. */
  readonly ended: Promise<ServiceError | undefined>;
  /** Closes the sockets at once. The requests that weren't complete have no result. */
  stop(): void;
}

/** Runs the cells, several at a time. */
export function startCells(cells: readonly SuiteCell[], options: SuiteRunOptions): SuiteRun {
  const runner = new CellRunner(cells, options);
  return { ended: runner.run(), stop: () => runner.stop() };
}

class CellRunner {
  readonly #options: SuiteRunOptions;
  readonly #queue: SuiteCell[];
  readonly #rateTries = new Map<SuiteCell, number>();
  readonly #running = new Set<CompletionRun>();
  readonly #whenStopped: Promise<void>;
  #wake: () => void = () => undefined;
  #isStopped = false;
  #concurrency: number;
  /** Number of workers that take requests from the queue. */
  #places = 0;
  #pausedUntil = 0;
  #unreachable = 0;
  #end: ServiceError | undefined;

  constructor(cells: readonly SuiteCell[], options: SuiteRunOptions) {
    this.#options = options;
    this.#queue = [...cells];
    this.#concurrency = Math.max(1, options.concurrency);
    this.#whenStopped = new Promise((resolve) => (this.#wake = resolve));
  }

  async run(): Promise<ServiceError | undefined> {
    this.#places = Math.min(this.#concurrency, this.#queue.length);
    await Promise.all(Array.from({ length: this.#places }, () => this.#work()));
    return this.#end;
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
    for (const run of this.#running) run.stop();
  }

  async #work(): Promise<void> {
    for (;;) {
      await this.#waitForRate();
      // Fewer workers continue once the server has reported too many requests, but at least one while work is left.
      const cell = this.#isStopped || this.#places > this.#concurrency ? undefined : this.#queue.shift();
      if (cell === undefined) return void this.#places--;
      this.#options.onStart(cell);
      await this.#runCell(cell);
    }
  }

  async #waitForRate(): Promise<void> {
    for (;;) {
      const wait = this.#pausedUntil - this.#options.monotonic();
      if (wait <= 0 || this.#isStopped) return;
      await Promise.race([this.#options.pause(wait), this.#whenStopped]);
    }
  }

  async #runCell(cell: SuiteCell): Promise<void> {
    const exchange = new TimedExchange(this.#options);
    try {
      await this.#complete(cell.request, exchange);
      const response = exchange.measure(this.#options.priceOf(cell.model));
      const failures = await checkCell(cell, response, {
        ...this.#options,
        ask: (model, prompt, schema) => this.#askJudge(cell, model, prompt, schema),
      });
      if (this.#isStopped) return;
      this.#unreachable = 0;
      this.#report(cell, exchange, failures.length === 0 ? "passed" : "failed", failures);
    } catch (error) {
      if (!this.#isStopped) this.#fail(cell, exchange, error);
    }
  }

  #fail(cell: SuiteCell, exchange: TimedExchange, error: unknown): void {
    const failure = error instanceof ServiceError ? error : undefined;
    const reason = failure?.reason;
    const waitMs = failure?.retryAfterMs ?? usualRateWaitMs;
    const isEndless = waitMs > longestRateWaitMs;
    if (reason !== undefined && rateReasons.has(reason)) {
      if (!isEndless) this.#slowDown(waitMs);
      const tries = (this.#rateTries.get(cell) ?? 0) + 1;
      this.#rateTries.set(cell, tries);
      if (!isEndless && tries < mostRateTries) return void this.#queue.push(cell);
    }
    this.#unreachable = reason === "unreachable" ? this.#unreachable + 1 : 0;
    const message = messageOf(error);
    this.#report(cell, exchange, "error", [], message);
    if (failure === undefined || reason === undefined) return;
    const isLasting = lasting.has(reason) || (rateReasons.has(reason) && isEndless);
    if (!isLasting && this.#unreachable < mostUnreachable) return;
    this.#end ??= failure;
    this.stop();
  }

  #report(
    cell: SuiteCell,
    exchange: TimedExchange,
    outcome: CellOutcome,
    failures: readonly CheckFailure[],
    error?: string,
  ): void {
    const { text, ...times } = exchange.measure(this.#options.priceOf(cell.model));
    this.#options.onResult(cell, {
      key: cell.key,
      outcome,
      failures,
      ...(error === undefined ? {} : { error }),
      response: text,
      ...times,
      ...(exchange.usage === undefined ? {} : { usage: exchange.usage }),
    });
  }

  /** Halves the number of simultaneous requests once for all requests that were rejected together. */
  #slowDown(waitMs: number): void {
    const now = this.#options.monotonic();
    if (now >= this.#pausedUntil) this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    this.#pausedUntil = Math.max(this.#pausedUntil, now + waitMs);
  }

  /** Sends nothing once the run is stopped. */
  async #complete(request: CompletionRequest, exchange: TimedExchange): Promise<void> {
    if (this.#isStopped) return;
    const observer: CompletionObserver = {
      purpose: "promptSuite",
      exchange,
      onRetry: ({ error, waitMs }) => {
        if (rateReasons.has(error.reason)) this.#slowDown(waitMs);
      },
    };
    const run = this.#options.port.complete(request, observer);
    this.#running.add(run);
    try {
      for await (const event of run.events) {
        if (event.type === "text") exchange.addText(event.text);
        else if (event.type === "reasoning" || event.type === "toolCall") exchange.noteToken();
        else if (event.type === "usage") exchange.usage = event.usage;
        else if (event.type === "reasoningEnd") exchange.dropText();
        else if (event.type === "finish") exchange.isFinished = true;
      }
    } finally {
      this.#running.delete(run);
      exchange.noteEnd();
    }
    if (exchange.isFinished || this.#isStopped) return;
    throw new ServiceError({
      reason: "configuration",
      message: t("Nothing was sent, because the request contains what looks like a secret."),
    });
  }

  async #askJudge(cell: SuiteCell, model: string, prompt: string, schema: JsonObject): Promise<string> {
    const exchange = new TimedExchange(this.#options);
    const format = { type: "json_schema", json_schema: { name: "verdict", schema, strict: true } };
    const seed = cell.request.parameters?.["seed"];
    const parameters = { response_format: format, ...(seed === undefined ? {} : { seed }) };
    const messages = [{ role: "user", content: prompt } as const];
    await this.#complete({ model, stream: true, messages, parameters }, exchange);
    return exchange.text;
  }
}

/** Collects a response and measures it from the moment its request, or its last repetition, is sent. */
class TimedExchange implements ExchangeObserver {
  readonly #now: () => number;
  text = "";
  usage: Usage | undefined;
  isFinished = false;
  #sentAt: number;
  #firstAt: number | undefined;
  #endedAt: number | undefined;

  constructor({ monotonic }: Pick<SuiteRunOptions, "monotonic">) {
    this.#now = monotonic;
    this.#sentAt = monotonic();
  }

  measure(price: Price | undefined): MeasuredResponse {
    const cost = price && this.usage && costOf(this.usage, price);
    const since = (at: number): number => Math.max(0, Math.round(at - this.#sentAt));
    return {
      text: this.text,
      ...(this.#firstAt === undefined ? {} : { firstTokenMs: since(this.#firstAt) }),
      totalMs: since(this.#endedAt ?? this.#now()),
      ...(cost === undefined ? {} : { cost }),
    };
  }

  addText(text: string): void {
    this.noteToken();
    this.text += text;
  }

  noteToken(): void {
    this.#firstAt ??= this.#now();
  }

  noteEnd(): void {
    this.#endedAt ??= this.#now();
  }

  /** What looked like text was reasoning. */
  dropText(): void {
    this.text = "";
  }

  onRequest(): void {
    this.#sentAt = this.#now();
  }

  onConnection(): void {}
  onConnected(): void {}
  onSent(): void {}
  onHead(): void {}
  onBytes(): void {}
  onEvent(): void {}
  onFailure(): void {}
  onEnd(): void {}
}
