import { ServiceError } from "../../core/errors.ts";
import type { ErrorContext } from "../errorResponse.ts";
import type { HttpResponse } from "../http/transport.ts";
import { createBodyReader } from "./bodyReader.ts";
import type { CompletionEventHandler } from "./completionDecoder.ts";
import { CompletionDecoder } from "./completionDecoder.ts";
import { createCompletionErrors } from "./completionErrors.ts";
import type { CompletionErrors } from "./completionErrors.ts";
import { drainBody } from "./drainBody.ts";
import type { EventStreamReader } from "./eventStream.ts";

/** Where the events of one answer go. After `onEnd` or `onError` nothing follows. */
export interface CompletionSink extends CompletionEventHandler {
  /** Whether an event was told before. */
  readonly hasBegun: boolean;
  onEnd(): void;
  onError(error: unknown): void;
}

/** How long a server may be silent between its finish reason and the end, for the usage and `[DONE]` to come. */
const finishGraceMs = 2_000;

/**
 * Reads the body of a good response as completion events, whatever its content type says. Complete is what ended
 * with a finish reason or `[DONE]`, whatever the socket does after it; `finish` is the last event. Everything else
 * ends with an error after the events that came.
 */
export function readCompletion(response: HttpResponse, context: ErrorContext, sink: CompletionSink): void {
  const { body } = response;
  const reading = new CompletionReading(response, context, sink);
  body.on("data", (chunk: Uint8Array) => reading.take(chunk));
  body.once("end", () => reading.end());
  body.on("error", (error) => reading.end(error));
  body.once("close", () => reading.end());
}

class CompletionReading {
  readonly #body: HttpResponse["body"];
  readonly #sink: CompletionSink;
  readonly #errors: CompletionErrors;
  readonly #decoder: CompletionDecoder;
  readonly #reader: EventStreamReader;
  #isOver = false;
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(response: HttpResponse, context: ErrorContext, sink: CompletionSink) {
    this.#body = response.body;
    this.#sink = sink;
    this.#errors = createCompletionErrors(response, context);
    this.#decoder = new CompletionDecoder(sink, this.#errors);
    this.#reader = createBodyReader(this.#decoder, this.#errors, response.headers["content-type"] ?? "");
  }

  take(chunk: Uint8Array): void {
    if (this.#isOver) return;
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#decoder.isDone) this.#complete();
    else if (this.#decoder.isComplete) this.#waitForRest();
  }

  /** The body ended, or broke for the cause. What its last bytes say still counts where it is whole. */
  end(cause?: unknown): void {
    if (this.#isOver) return;
    try {
      this.#reader.end();
    } catch (error) {
      if (cause === undefined || isReported(error)) return this.#fail(error);
    }
    if (this.#decoder.isComplete) this.#complete();
    else this.#fail(this.#brokenError(cause));
  }

  #waitForRest(): void {
    if (this.#graceTimer === undefined) this.#graceTimer = setTimeout(() => this.#complete(), finishGraceMs);
    else this.#graceTimer.refresh();
  }

  #complete(): void {
    if (!this.#close()) return;
    this.#sink.onEvent({ type: "finish", reason: this.#decoder.finishReason });
    this.#sink.onEnd();
    drainBody(this.#body);
  }

  #fail(error: unknown): void {
    if (!this.#close()) return;
    this.#body.destroy();
    this.#sink.onError(error);
  }

  /** Tells what was held back. False where the reading was over already. */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#graceTimer);
    this.#decoder.flush();
    return true;
  }

  /** Before any event the transport's own error is the whole story, and may be worth a retry. */
  #brokenError(cause: unknown): unknown {
    const isWhole = cause instanceof ServiceError && (!this.#sink.hasBegun || cause.reason === "timeout");
    return isWhole ? cause : this.#errors.truncated(cause);
  }
}

/** Whether the error is one that the server told, and not our trouble with a body that was cut. */
function isReported(error: unknown): boolean {
  return error instanceof ServiceError && error.reason !== "malformed" && error.reason !== "truncated";
}
