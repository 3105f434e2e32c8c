import type { Readable } from "node:stream";
import type { ProviderFields } from "../../core/conversation/completion.ts";
import { endingOf } from "../../core/conversation/finishReason.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ErrorContext } from "../http/errorResponse.ts";
import type { HttpResponse } from "../http/transport.ts";
import { createBodyReader } from "./bodyReader.ts";
import { CompletionDecoder } from "./completionDecoder.ts";
import type { CompletionEventHandler } from "./completionDecoder.ts";
import { createCompletionErrors, defaultCompletionLimits, maxBodyBytes } from "./completionErrors.ts";
import type { CompletionErrors, CompletionLimits } from "./completionErrors.ts";
import type { EventStreamReader } from "./eventStream.ts";

const longestDrainMs = 1_000;
const mostDrainedBytes = 1024 * 1024;

/**
 * Reads the rest of a body whose response is complete, so that its connection can be reused. A server that keeps the
 * socket open, or keeps sending, costs the connection, but no one waits for it.
 */
function drainBody(body: Readable): void {
  if (body.readableEnded || body.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), longestDrainMs);
  timer.unref();
  body.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes > mostDrainedBytes) body.destroy();
  });
  body.once("close", () => clearTimeout(timer));
  body.resume();
}

/** Receives the events of one response. Nothing follows `onEnd` or `onError`. */
export interface CompletionSink extends CompletionEventHandler {
  /** Whether the response has begun: there has been an event that is a part of it. */
  readonly hasBegun: boolean;
  /** Some bytes have arrived; the events that follow are parsed from them. */
  onBytes(count: number): void;
  onEnd(): void;
  onError(error: unknown): void;
}

/** How a response is read. */
export interface CompletionReaderOptions {
  readonly limits?: CompletionLimits;
  /** The source of the response, with which everything that must be sent back is marked. */
  readonly origin?: Pick<ProviderFields, "baseUrl" | "model">;
}

/** How long a response with a finish reason must be idle before it looks finished; more may still follow. */
const quietMs = 1_000;
/** How long bytes are processed without a break, so that Stop, timers and the other panels get their turn. */
const sliceMs = 8;
/** Bytes that may wait for processing before the socket is paused. */
const maxWaitingBytes = 1024 * 1024;

/**
 * Reads the body of a successful response as completion events, whatever its content type is. A response is completed
 * by `[DONE]`, the end of the body after a finish reason, or a long idle time after one. A finish reason alone isn't
 * enough: some servers send one in every chunk, or before the last text. `finish` is the last event. Anything else ends
 * with an error after the received events.
 */
export function readCompletion(
  response: HttpResponse,
  context: ErrorContext,
  sink: CompletionSink,
  options: CompletionReaderOptions = {},
): CompletionReader {
  return new CompletionReader(response, context, sink, options);
}

/**
 * The reading of one response, as `readCompletion` starts it. It works in slices, so that Stop takes effect at once.
 */
export class CompletionReader {
  readonly #body: HttpResponse["body"];
  readonly #sink: CompletionSink;
  readonly #limits: CompletionLimits;
  readonly #origin: CompletionReaderOptions["origin"];
  readonly #errors: CompletionErrors;
  readonly #decoder: CompletionDecoder;
  readonly #reader: EventStreamReader;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #readBytes = 0;
  #ending: { readonly cause: unknown } | undefined;
  /** Whether the reader has received the end of the body. */
  #hasReadEnd = false;
  #nextSlice: NodeJS.Immediate | undefined;
  #isHeld = false;
  #isOver = false;
  #silence: NodeJS.Timeout | undefined;
  /** The progress of the decoder when the response last looked finished. */
  #settledAt = -1;

  constructor(
    response: HttpResponse,
    context: ErrorContext,
    sink: CompletionSink,
    options: CompletionReaderOptions,
  ) {
    const { body } = response;
    const { limits = defaultCompletionLimits, origin } = options;
    this.#body = body;
    this.#sink = sink;
    this.#limits = limits;
    this.#origin = origin;
    this.#errors = createCompletionErrors(response, context);
    this.#decoder = new CompletionDecoder(sink, this.#errors, limits);
    const contentType = response.headers["content-type"] ?? "";
    this.#reader = createBodyReader(this.#decoder, this.#errors, contentType, limits);
    body.on("data", (chunk: Uint8Array) => this.#take(chunk));
    body.once("end", () => this.#bodyEnded(undefined));
    body.on("error", (error) => this.#bodyEnded(error));
    body.once("close", () => this.#bodyEnded(undefined));
  }

  /** The consumer of the events is lagging: nothing more is read until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** The consumer has caught up: reading continues in a task of its own. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    // The reader drains in the same task in which it was filled, so other work must be able to run in between.
    this.#nextSlice ??= setImmediate(() => this.#readSlice());
  }

  /** Nothing more is read, and no more events are emitted. */
  cancel(): void {
    if (this.#isOver) return;
    this.#close();
  }

  #take(chunk: Uint8Array): void {
    this.#sink.onBytes(chunk.byteLength);
    if (this.#isOver) return;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    if (this.#waitingBytes > maxWaitingBytes) this.#body.pause();
    if (this.#nextSlice === undefined) this.#readSlice();
  }

  #bodyEnded(cause: unknown): void {
    if (this.#isOver || this.#ending !== undefined) return;
    this.#ending = { cause };
    if (this.#nextSlice === undefined) this.#readSlice();
  }

  /** Processes waiting bytes for the duration of one slice. */
  #readSlice(): void {
    this.#nextSlice = undefined;
    const until = performance.now() + sliceMs;
    let count = 0;
    while (!this.#isHeld && !this.#isOver) {
      if (this.#decoder.hasSteps) this.#step();
      else if (count < this.#waiting.length) this.#read(this.#waiting[count++] ?? new Uint8Array(0));
      else break;
      if (performance.now() >= until) break;
    }
    if (this.#isOver) return;
    this.#waiting.splice(0, count);
    if (this.#waitingBytes <= maxWaitingBytes && this.#body.isPaused()) this.#body.resume();
    if (this.#isHeld) return;
    if (this.#waiting.length > 0 || this.#decoder.hasSteps)
      this.#nextSlice = setImmediate(() => this.#readSlice());
    else if (this.#ending !== undefined) this.#end(this.#ending.cause);
  }

  #read(chunk: Uint8Array): void {
    this.#waitingBytes -= chunk.byteLength;
    this.#readBytes += chunk.byteLength;
    try {
      this.#reader.push(chunk);
      if (this.#readBytes > maxBodyBytes(this.#limits)) throw this.#errors.tooLarge(this.#limits.maxLength);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#classify();
  }

  /** Processes a part of a long piece that has arrived completely. */
  #step(): void {
    try {
      this.#decoder.step();
    } catch (error) {
      // The end of an interrupted body may be truncated, so only the interruption is reported.
      const isCut = this.#hasReadEnd && this.#ending?.cause !== undefined && !isReported(error);
      if (!isCut) return this.#fail(error);
    }
    if (!this.#hasReadEnd) this.#classify();
  }

  #classify(): void {
    this.#decoder.flushUsage();
    if (this.#decoder.isDone) this.#complete();
    else if (this.#decoder.isComplete) this.#awaitSilence();
  }

  /** The body ended, or was interrupted by `cause`. Its last bytes still count if they are complete. */
  #end(cause: unknown): void {
    try {
      if (!this.#hasReadEnd) this.#reader.end();
    } catch (error) {
      if (cause === undefined || isReported(error)) return this.#fail(error);
    }
    this.#hasReadEnd = true;
    if (this.#decoder.hasSteps) {
      this.#nextSlice = setImmediate(() => this.#readSlice());
      return;
    }
    const isWhole = cause === undefined || !this.#decoder.hasGrownAfterFinish;
    if (this.#decoder.isDone || (this.#decoder.isComplete && isWhole)) this.#complete();
    else this.#fail(this.#brokenError(cause));
  }

  /** Only idle time is measured: the response isn't over while bytes arrive or wait for processing. */
  #awaitSilence(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => {
        if (this.#isHeld || this.#waiting.length > 0 || this.#decoder.hasSteps) return this.#awaitSilence();
        this.#settle();
        const restMs = Math.max(0, this.#limits.finishTimeoutMs - quietMs);
        this.#silence = setTimeout(() => this.#complete(), restMs);
      },
      Math.min(quietMs, this.#limits.finishTimeoutMs),
    );
  }

  /** An empty response can't be distinguished from one that has yet to begin. */
  #settle(): void {
    if (this.#settledAt === this.#decoder.progress || !this.#sink.hasBegun) return;
    this.#settledAt = this.#decoder.progress;
    this.#sink.onEvent({ type: "settling", reason: this.#decoder.finishReason });
  }

  #complete(): void {
    const { finishReason, unread } = this.#decoder;
    if (endingOf(finishReason) === "interrupted")
      return this.#fail(this.#errors.interrupted(finishReason ?? ""));
    if (!this.#sink.hasBegun && unread !== "") return this.#fail(this.#errors.unreadableResponse(unread));
    if (!this.#close()) return;
    const fields = this.#decoder.providerFields;
    if (fields !== undefined && this.#origin !== undefined)
      this.#sink.onEvent({ type: "providerFields", ...this.#origin, ...fields });
    this.#sink.onEvent({ type: "finish", reason: this.#decoder.finishReason });
    this.#sink.onEnd();
    drainBody(this.#body);
  }

  #fail(error: unknown): void {
    if (!this.#close()) return;
    this.#body.destroy();
    this.#sink.onError(error);
  }

  /** Emits what was held back. False if the reader was already closed. */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#waiting = [];
    clearTimeout(this.#silence);
    if (this.#nextSlice !== undefined) clearImmediate(this.#nextSlice);
    this.#decoder.flush();
    return true;
  }

  /** Before the response has begun, only the transport's own error is relevant, and may be worth a retry. */
  #brokenError(cause: unknown): unknown {
    const isWhole = cause instanceof ServiceError && (!this.#sink.hasBegun || cause.reason === "timeout");
    if (isWhole) return cause;
    if (cause !== undefined) return this.#errors.truncated(cause);
    const { unread } = this.#decoder;
    if (this.#sink.hasBegun) return this.#errors.reportedInText(unread) ?? this.#errors.truncated();
    return unread === "" ? this.#errors.nothing() : this.#errors.unreadableResponse(unread);
  }
}

/** Whether the server reported the error, rather than us failing to read a truncated body. */
function isReported(error: unknown): boolean {
  return error instanceof ServiceError && error.reason !== "malformed" && error.reason !== "truncated";
}
