import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonObject } from "../../core/kernel/json.ts";
import { inferenceError, sendJson } from "../http/reply.ts";
import type { ResponseSink, ReplyHead, ResponsePiece } from "./responseSink.ts";

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
