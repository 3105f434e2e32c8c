import type { CompletionEvent } from "../../core/completion.ts";
import type { CompletionChunk } from "./completionChunk.ts";
import { parseChunk } from "./completionChunk.ts";
import type { CompletionErrors } from "./completionErrors.ts";
import { DeltaShortcut } from "./deltaShortcut.ts";
import type { EventStreamHandler } from "./eventStream.ts";
import { SurrogateJoiner } from "./surrogateJoiner.ts";
import type { ContentPiece } from "./thinkTags.ts";
import { ThinkTagSplitter } from "./thinkTags.ts";
import { createToolCallNumbering } from "./toolCallPieces.ts";

/** Where the events of one answer go. */
export interface CompletionEventHandler {
  onEvent(event: CompletionEvent): void;
}

const doneMark = "[DONE]";

/**
 * Turns the pieces of one answer into completion events. Every method but `flush` may throw a ServiceError.
 * A class, and not closures: its methods stay the same functions from stream to stream, so that what the engine has
 * optimised for one stream serves the next.
 */
export class CompletionDecoder implements EventStreamHandler {
  readonly #handler: CompletionEventHandler;
  readonly #errors: CompletionErrors;
  readonly #shortcut = new DeltaShortcut();
  readonly #splitter = new ThinkTagSplitter();
  readonly #text = new SurrogateJoiner();
  readonly #reasoning = new SurrogateJoiner();
  readonly #numberToolCall = createToolCallNumbering();
  #isDone = false;
  #finishReason: string | null = null;

  constructor(handler: CompletionEventHandler, errors: CompletionErrors) {
    this.#handler = handler;
    this.#errors = errors;
  }

  /** Whether a finish reason or `[DONE]` said that the answer is complete. */
  get isComplete(): boolean {
    return this.#isDone || this.#finishReason !== null;
  }

  /** Whether `[DONE]` was read: nothing after it counts. */
  get isDone(): boolean {
    return this.#isDone;
  }

  get finishReason(): string | null {
    return this.#finishReason;
  }

  onEvent(data: string, name: string | undefined): void {
    if (this.#isDone || data === "") return;
    if (name === "error") throw this.#errors.reported(parseJson(data) ?? data);
    if (isDoneMark(data, this.isComplete)) this.#isDone = true;
    else if (name === undefined || name === "message" || data.includes('"choices"')) this.#readJson(data);
  }

  readKnown(text: string, start: number): number {
    let end = start;
    while (!this.#isDone) {
      const delta = this.#shortcut.match(text, end);
      if (delta === undefined) return end;
      end = this.#shortcut.end;
      this.#write(this.#shortcut.kind, delta);
    }
    return text.length;
  }

  /** Data that the end of the body cut off: counts only where it is whole. */
  onUnterminated(data: string): void {
    if (this.isComplete) return;
    if (data.trim() === doneMark) this.#isDone = true;
    else if (parseJson(data) !== undefined) this.#readJson(data);
  }

  onErrorField(value: string): void {
    this.onEvent(value, "error");
  }

  onOverflow(): void {
    throw this.#errors.tooLong();
  }

  /** An answer that is not streamed, or an error in its place. */
  readWhole(value: unknown): void {
    const chunk = parseChunk(value) ?? {};
    this.#readChunk(chunk);
    if (chunk.hasChoice === undefined) throw this.#errors.notAnAnswer(JSON.stringify(value));
    this.#isDone = true;
  }

  /** Tells what was held back. Call it once, at the end, whatever the end is. */
  flush(): void {
    this.#emitPieces(this.#splitter.end());
    this.#emit("text", this.#text.end());
    this.#emit("reasoning", this.#reasoning.end());
  }

  #readJson(data: string): void {
    const value = parseJson(data);
    if (value === undefined) {
      if (this.isComplete) return;
      throw this.#errors.malformedPiece();
    }
    const chunk = parseChunk(value);
    if (chunk === undefined) return;
    this.#readChunk(chunk);
    this.#shortcut.learn(data, chunk);
  }

  #readChunk(chunk: CompletionChunk): void {
    if (chunk.reasoning !== undefined) this.#write("reasoning", chunk.reasoning);
    if (chunk.text !== undefined) this.#write("text", chunk.text);
    for (const piece of chunk.toolCalls ?? []) this.#handler.onEvent(this.#numberToolCall(piece));
    if (chunk.usage !== undefined) this.#handler.onEvent({ type: "usage", usage: chunk.usage });
    this.#finishReason = chunk.finishReason ?? this.#finishReason;
    if (chunk.error !== undefined) throw this.#errors.reported(chunk.error);
  }

  /** A server that separates the reasoning itself means every tag in its text literally. */
  #write(kind: ContentPiece["kind"], delta: string): void {
    if (this.#splitter.isPassing) this.#emitJoined(kind, delta);
    else if (kind === "text") this.#emitPieces(this.#splitter.split(delta));
    else {
      this.#emitPieces(this.#splitter.end());
      this.#emitJoined(kind, delta);
    }
  }

  #emitPieces(pieces: readonly ContentPiece[]): void {
    for (const { kind, text } of pieces) this.#emitJoined(kind, text);
  }

  #emitJoined(kind: ContentPiece["kind"], text: string): void {
    this.#emit(kind, kind === "text" ? this.#text.join(text) : this.#reasoning.join(text));
  }

  #emit(type: ContentPiece["kind"], text: string): void {
    if (text !== "") this.#handler.onEvent({ type, text });
  }
}

/** Blanks around the mark are forgiven after a finish reason only: alone, it has to be exact to prove anything. */
function isDoneMark(data: string, isForgiving: boolean): boolean {
  return data === doneMark || (isForgiving && data.trim() === doneMark);
}

function parseJson(data: string): unknown {
  try {
    const value: unknown = JSON.parse(data);
    return value;
  } catch {
    return undefined;
  }
}
