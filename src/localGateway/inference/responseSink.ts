import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonObject } from "../../core/kernel/json.ts";
import { inferenceError, sendJson } from "../http/reply.ts";

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

/** After this many tokens the loop yields to other work. Only then is a stop by the client noticed. */
const turnTokens = 2_000;

interface CallSoFar {
  readonly id: string;
  readonly name: string;
  readonly argumentTexts: string[];
}

/** Collects a response and sends it as one JSON reply (interface section 2.3). */
export class WholeReplySink implements ResponseSink {
  readonly #response: ServerResponse;
  readonly #head: ReplyHead;
  readonly #usage: () => JsonObject;
  readonly #texts: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #calls: CallSoFar[] = [];
  #finishReason: string | null = null;
  #isCut = false;
  #sinceFlush = 0;

  constructor(response: ServerResponse, head: ReplyHead, usage: () => JsonObject) {
    this.#response = response;
    this.#head = head;
    this.#usage = usage;
  }

  get isFull(): boolean {
    return this.#sinceFlush >= turnTokens;
  }

  write(piece: ResponsePiece): void {
    this.#sinceFlush++;
    if (piece.type === "text") this.#texts.push(piece.text);
    else if (piece.type === "reasoning") this.#reasoning.push(piece.text);
    else if (piece.type === "toolCall") this.#writeToolCall(piece);
    else if (piece.type === "finish") this.#finishReason = piece.reason;
    else if (piece.type === "cut") this.#isCut = true;
    else if (piece.type === "error") {
      throw inferenceError(500, piece.message, "server_error", piece.code);
    }
  }

  keepAlive(): void {
    // Nothing can be sent before a JSON body is complete.
  }

  async flush(): Promise<void> {
    if (this.isFull) await nextTurn();
    this.#sinceFlush = 0;
  }

  end(): void {
    if (this.#isCut) this.#endTooEarly();
    else sendJson(this.#response, 200, this.#reply());
  }

  #writeToolCall(piece: Extract<ResponsePiece, { type: "toolCall" }>): void {
    this.#calls[piece.index] ??= { id: piece.id ?? "", name: piece.name ?? "", argumentTexts: [] };
    this.#calls[piece.index]?.argumentTexts.push(piece.arguments);
  }

  #reply(): JsonObject {
    const { id, created, model } = this.#head;
    return {
      id,
      object: "chat.completion",
      created,
      model,
      choices: [{ index: 0, message: this.#message(), logprobs: null, finish_reason: this.#finishReason }],
      usage: this.#usage(),
    };
  }

  #message(): JsonObject {
    const hasText = this.#texts.length > 0 || this.#calls.length === 0;
    return {
      role: "assistant",
      content: hasText ? this.#texts.join("") : null,
      ...(this.#reasoning.length === 0 ? {} : { reasoning_content: this.#reasoning.join("") }),
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls.map(toolCallJson) }),
    };
  }

  /** Sends half of the JSON, then breaks the connection. */
  #endTooEarly(): void {
    const response = this.#response;
    const text = JSON.stringify(this.#reply());
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  }
}

function toolCallJson({ id, name, argumentTexts }: CallSoFar): JsonObject {
  return { id, type: "function", function: { name, arguments: argumentTexts.join("") } };
}
/** The destination of a response while it is generated: a stream of events or a single JSON body. */
export interface ResponseSink {
  write(piece: ResponsePiece): void;
  /** Keeps the connection alive while the next token takes a long time. */
  keepAlive(): void;
  /** Whether enough data is pending to require a `flush` before the next piece. */
  readonly isFull: boolean;
  /** Sends what is pending. Resolves when there is room for more; rejects if the client has disconnected. */
  flush(): Promise<void>;
  /** Ends the reply. */
  end(): void;
}
/** The fields that every chunk of a completion repeats. */
interface ReplyHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}
/**
 * One increment of a response as generated by a demo model. Text, reasoning and tool-call pieces each count as one
 * token.
 */
export type ResponsePiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "toolCall";
      readonly index: number;
      /** Only set in the first piece of a call. */
      readonly id?: string;
      readonly name?: string;
      /** Fragment of JSON text. */
      readonly arguments: string;
    }
  /** A comment line in the stream, which servers send to keep a connection alive. */
  | { readonly type: "comment"; readonly text: string }
  /** Sends nothing at all for this long, not even a comment. */
  | { readonly type: "silence"; readonly ms: number }
  | { readonly type: "finish"; readonly reason: FinishReason }
  /** An error that the server reports after the response has started. */
  | { readonly type: "error"; readonly code: string; readonly message: string }
  /** The response simply stops: either the body ends as if it were complete, or the connection breaks. */
  | { readonly type: "cut"; readonly how: "end" | "reset" };

/** The finish reasons that a demo response can have, by their names in the interface. */
export type FinishReason = "stop" | "length" | "tool_calls";

/** Whether the piece counts as output of the model, and is sent at the model's speed. */
export function isToken(piece: ResponsePiece): boolean {
  return piece.type === "text" || piece.type === "reasoning" || piece.type === "toolCall";
}
