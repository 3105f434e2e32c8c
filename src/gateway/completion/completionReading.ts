import { ServiceError } from "../../core/errors.ts";
import type { ErrorContext } from "../errorResponse.ts";
import type { HttpResponse } from "../http/transport.ts";
import { createBodyReader } from "./bodyReader.ts";
import type { CompletionEventHandler } from "./completionDecoder.ts";
import { CompletionDecoder } from "./completionDecoder.ts";
import { createCompletionErrors } from "./completionErrors.ts";
import { drainBody } from "./drainBody.ts";

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
  const errors = createCompletionErrors(response, context);
  const decoder = new CompletionDecoder(sink, errors);
  const reader = createBodyReader(decoder, errors, response.headers["content-type"] ?? "");
  let isOver = false;
  let graceTimer: NodeJS.Timeout | undefined;

  function complete(): void {
    if (!close()) return;
    sink.onEvent({ type: "finish", reason: decoder.finishReason });
    sink.onEnd();
    drainBody(body);
  }

  function fail(error: unknown): void {
    if (!close()) return;
    body.destroy();
    sink.onError(error);
  }

  /** Tells what was held back. False where the reading was over already. */
  function close(): boolean {
    if (isOver) return false;
    isOver = true;
    clearTimeout(graceTimer);
    decoder.flush();
    return true;
  }

  function onChunk(chunk: Uint8Array): void {
    if (isOver) return;
    try {
      reader.push(chunk);
    } catch (error) {
      fail(error);
      return;
    }
    if (decoder.isDone) complete();
    else if (decoder.isComplete) waitForRest();
  }

  function waitForRest(): void {
    if (graceTimer === undefined) graceTimer = setTimeout(complete, finishGraceMs);
    else graceTimer.refresh();
  }

  /** The body ended, or broke for the cause. What its last bytes say still counts where it is whole. */
  function onBodyOver(cause?: unknown): void {
    if (isOver) return;
    try {
      reader.end();
    } catch (error) {
      if (cause === undefined || isReported(error)) return fail(error);
    }
    if (decoder.isComplete) complete();
    else fail(brokenError(cause));
  }

  /** Before any event the transport's own error is the whole story, and may be worth a retry. */
  function brokenError(cause: unknown): unknown {
    const isWhole = cause instanceof ServiceError && (!sink.hasBegun || cause.reason === "timeout");
    return isWhole ? cause : errors.truncated(cause);
  }

  body.on("data", onChunk);
  body.once("end", () => onBodyOver());
  body.on("error", onBodyOver);
  body.once("close", () => onBodyOver());
}

/** Whether the error is one that the server told, and not our trouble with a body that was cut. */
function isReported(error: unknown): boolean {
  return error instanceof ServiceError && error.reason !== "malformed" && error.reason !== "truncated";
}
