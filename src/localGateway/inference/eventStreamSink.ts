import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonObject } from "../../core/kernel/json.ts";
import type { ResponseSink, ReplyHead, ResponsePiece } from "./responseSink.ts";

/** In UTF-16 code units: roughly what a socket accepts at once. */
const fullLength = 65_536;

/** Writes a response as server-sent events, each `data: <JSON>` followed by an empty line. */
export class EventStreamSink implements ResponseSink {
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  readonly #usage: (() => JsonObject) | undefined;
  readonly #beforeDelta: string;
  readonly #beforeUsage: string;
  #pending = "";
  #hasBegun = false;
  #isReset = false;

  /** With `usage`, a final event reports it, as requested by `stream_options.include_usage`. */
  constructor(response: ServerResponse, head: ReplyHead, signal: AbortSignal, usage?: () => JsonObject) {
    this.#response = response;
    this.#signal = signal;
    this.#usage = usage;
    const { id, created, model } = head;
    const fields = JSON.stringify({ id, object: "chat.completion.chunk", created, model }).slice(0, -1);
    this.#beforeDelta = `data: ${fields},"choices":[{"index":0,"delta":`;
    this.#beforeUsage = `data: ${fields},"choices":[],"usage":`;
  }

  get isFull(): boolean {
    return this.#pending.length >= fullLength;
  }

  write(piece: ResponsePiece): void {
    if (!this.#hasBegun && piece.type !== "comment") this.#begin();
    switch (piece.type) {
      case "text":
        this.#writeDelta(`{"content":${JSON.stringify(piece.text)}}`);
        break;
      case "reasoning":
        this.#writeDelta(`{"reasoning_content":${JSON.stringify(piece.text)}}`);
        break;
      case "toolCall":
        this.#writeDelta(JSON.stringify({ tool_calls: [toolCallDelta(piece)] }));
        break;
      case "comment":
        this.#pending += `: ${piece.text}\n\n`;
        break;
      case "finish":
        this.#finish(piece.reason);
        break;
      case "error":
        this.#pending += `data: ${JSON.stringify({ error: errorBody(piece) })}\n\n`;
        break;
      case "cut":
        this.#isReset = piece.how === "reset";
        break;
      case "silence":
        break;
    }
  }

  keepAlive(): void {
    this.#sendHead();
    this.#response.write(": keep-alive\n\n");
  }

  async flush(): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#pending === "") return;
    this.#sendHead();
    const hasRoom = this.#response.write(this.#pending);
    const wasFull = this.isFull;
    this.#pending = "";
    if (!hasRoom) await once(this.#response, "drain", { signal: this.#signal });
    // At full speed this loop would never yield, and so would never notice that the client has stopped.
    else if (wasFull) await nextTurn();
    this.#signal.throwIfAborted();
  }

  end(): void {
    this.#sendHead();
    // Everything already written has to arrive before the reset, so a meaningless empty line is written last.
    if (this.#isReset) this.#response.write("\n", () => this.#response.destroy());
    else this.#response.end();
  }

  #begin(): void {
    this.#hasBegun = true;
    this.#writeDelta('{"role":"assistant","content":""}');
  }

  #writeDelta(delta: string, finishReason = "null"): void {
    const end = this.#usage === undefined ? "}]}" : '}],"usage":null}';
    this.#pending += `${this.#beforeDelta}${delta},"finish_reason":${finishReason}${end}\n\n`;
  }

  #finish(reason: string): void {
    this.#writeDelta("{}", JSON.stringify(reason));
    if (this.#usage !== undefined)
      this.#pending += `${this.#beforeUsage}${JSON.stringify(this.#usage())}}\n\n`;
    this.#pending += "data: [DONE]\n\n";
  }

  #sendHead(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
    });
  }
}

function toolCallDelta(piece: Extract<ResponsePiece, { type: "toolCall" }>): JsonObject {
  const { index, id, name, arguments: text } = piece;
  return {
    index,
    ...(id === undefined ? {} : { id, type: "function" }),
    function: { ...(name === undefined ? {} : { name }), arguments: text },
  };
}

function errorBody({ code, message }: Extract<ResponsePiece, { type: "error" }>): JsonObject {
  return { message, type: "server_error", param: null, code };
}
