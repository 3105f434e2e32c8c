import { Readable } from "node:stream";
import type { Dispatcher } from "undici";

/** Maximum delay that a timer supports. */
const maxDelayMs = 2 ** 31 - 1;

/** Fires after a period without activity. */
class IdleTimer {
  readonly #timeoutMs: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastLook: NodeJS.Immediate | undefined;

  constructor(timeoutMs: number, onIdle: () => void) {
    this.#timeoutMs = Math.min(Math.max(1, timeoutMs), maxDelayMs);
    this.#onIdle = onIdle;
    this.start();
  }

  /** Something was received. */
  noteActivity(): void {
    clearImmediate(this.#lastLook);
    this.#timer?.refresh();
  }

  start(): void {
    this.stop();
    // After the machine slept or the process was busy, received data may still be waiting, so one more turn of the
    // event loop is allowed.
    this.#timer = setTimeout(() => (this.#lastLook = setImmediate(this.#onIdle)), this.#timeoutMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#lastLook);
  }
}

/** Bytes of a chunk from which copying it costs more than passing it on alone. */
const longestJoined = 8 * 1024;

interface BodyOwner {
  /** The reader wants more data after a pause. */
  resume(): void;
  /** The reader has stopped before the end. */
  abandon(): void;
}

/** The body as received from the socket: nothing is copied, and a reader that pauses also pauses the socket. */
class ResponseBody extends Readable {
  readonly #owner: BodyOwner;

  constructor(owner: BodyOwner) {
    super({ highWaterMark: 64 * 1024 });
    this.#owner = owner;
    // A body that fails before its reader listens must not end the process. The reader still gets the error.
    this.on("error", () => undefined);
  }

  override _read(): void {
    this.#owner.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#owner.abandon();
    callback(error);
  }
}

/** The phase of an exchange when it fails. */
type ExchangePhase = "connecting" | "waiting" | "receiving";

/** The headers of a response, and its body to follow. */
export interface ExchangeHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readable;
  readonly sentAt: number;
  readonly receivedAt: number;
}

interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  now(): number;
  onSent?: (() => void) | undefined;
  /** Closes the socket. */
  onFailed(): void;
  /** The response has been received completely: the connection is free. */
  onFinished(): void;
  describeTimeout(phase: ExchangePhase): Error;
  describeFailure(error: unknown, phase: ExchangePhase): Error;
}

/**
 * One request and its response, as undici reports them. Ends exactly once: finished, or failed with the socket closed.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly head: Promise<ExchangeHead>;
  readonly #options: ExchangeOptions;
  readonly #timer: IdleTimer;
  readonly #onAbort = (): void => this.#fail(abortReason(this.#options.signal));
  #resolve: (head: ExchangeHead) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #phase: ExchangePhase = "connecting";
  #body: ResponseBody | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #sentAt = 0;
  #isOver = false;
  /** Chunks of the body that are still to be passed on in this task. */
  #received: Buffer[] = [];

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.head = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const onIdle = (): void => this.#fail(options.describeTimeout(this.#phase));
    this.#timer = new IdleTimer(options.timeoutMs, onIdle);
    options.signal.addEventListener("abort", this.#onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#phase = "waiting";
    this.#sentAt = this.#options.now();
    this.#options.onSent?.();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: ExchangeHead["headers"],
  ): void {
    if (this.#isOver) return;
    this.#timer.noteActivity();
    if (statusCode < 200) return;
    const receivedAt = this.#options.now();
    this.#phase = "receiving";
    const body = new ResponseBody({ resume: () => this.#resume(), abandon: () => this.#abandon() });
    this.#body = body;
    this.#controller = controller;
    this.#resolve({ statusCode, headers, body, sentAt: this.#sentAt, receivedAt });
  }

  /**
   * Servers write each event in an HTTP chunk of its own. All chunks of one read from the socket are passed on at once,
   * except long ones.
   */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#controller = controller;
    const isLong = chunk.length >= longestJoined;
    if (isLong) this.#passOn();
    const count = this.#received.push(chunk);
    if (isLong) this.#passOn();
    else if (count === 1) queueMicrotask(() => this.#passOn());
  }

  #passOn(): void {
    const chunks = this.#received;
    const [first] = chunks;
    if (first === undefined || this.#isOver) return;
    this.#received = [];
    if (this.#body?.push(chunks.length === 1 ? first : Buffer.concat(chunks)) !== false)
      return this.#timer.noteActivity();
    // The reader is slow, not the server.
    this.#controller?.pause();
    this.#timer.stop();
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#passOn();
    if (this.#isOver) return;
    this.#end();
    this.#body?.push(null);
    // undici updates its own state first.
    queueMicrotask(() => this.#options.onFinished());
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (!this.#isOver) this.#fail(this.#options.describeFailure(error, this.#phase));
  }

  #resume(): void {
    if (this.#isOver || this.#controller?.paused !== true) return;
    this.#timer.start();
    this.#controller.resume();
  }

  #abandon(): void {
    if (this.#isOver) return;
    this.#end();
    this.#options.onFailed();
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#passOn();
    if (this.#isOver) return;
    this.#end();
    this.#reject(error);
    this.#body?.destroy(error);
    this.#options.onFailed();
  }

  #end(): void {
    this.#isOver = true;
    this.#timer.stop();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
  }
}

/** A stream can only be destroyed with an Error; a signal may be aborted with anything. */
function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new DOMException(String(reason), "AbortError");
}
