import type { CompletionEvent } from "../../core/conversation/completion.ts";
import type { CompletionChunk } from "./completionChunk.ts";
import { parseChunk } from "./completionChunk.ts";
import type { CompletionErrors } from "./completionErrors.ts";
import { DeltaShortcut } from "./deltaShortcut.ts";
import { parseCutJson } from "./cutJson.ts";
import type { EventStreamHandler } from "./eventStream.ts";
import { ProviderFieldsCollector } from "./providerFields.ts";
import { maxToolCalls } from "./completionLimits.ts";
import type { CompletionLimits } from "./completionLimits.ts";
import type { ContentPiece, ReasoningEnd } from "./thinkTags.ts";
import { SurrogateJoiner, ThinkTagSplitter } from "./thinkTags.ts";
import type { ToolCallPiece } from "./toolCallPieces.ts";
import { createToolCallNumbering } from "./toolCallPieces.ts";

/** Where the events of one response go. */
export interface CompletionEventHandler {
  onEvent(event: CompletionEvent): void;
}

const doneMark = "[DONE]";
/** UTF-16 units. */
const longestDelta = 32 * 1024;
/** UTF-16 units that are read in one step; more of them would keep Stop and the other panels waiting. */
const longestStep = 256 * 1024;

/**
 * Turns the pieces of one response into completion events. Every method but `flush` may throw a ServiceError. A class,
 * and not closures: its methods stay the same functions from stream to stream, so that what the engine has optimised
 * for one stream serves the next.
 */
export class CompletionDecoder implements EventStreamHandler {
  readonly #handler: CompletionEventHandler;
  readonly #errors: CompletionErrors;
  readonly #shortcut = new DeltaShortcut();
  readonly #splitter = new ThinkTagSplitter();
  readonly #text = new SurrogateJoiner();
  readonly #reasoning = new SurrogateJoiner();
  readonly #numberToolCall = createToolCallNumbering();
  readonly #providerFields = new ProviderFieldsCollector();
  readonly #maxLength: number;
  #length = 0;
  #progress = 0;
  #isDone = false;
  #finishReason: string | null = null;
  #hasGrownAfterFinish = false;
  /** What is still to be read of what has come. */
  #steps: (() => void)[] = [];

  constructor(
    handler: CompletionEventHandler,
    errors: CompletionErrors,
    { maxLength }: Pick<CompletionLimits, "maxLength">,
  ) {
    this.#handler = handler;
    this.#errors = errors;
    this.#maxLength = maxLength;
  }

  /** Whether a finish reason or `[DONE]` said that the response is complete. */
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

  /** Whether more came after a finish reason: this server's reasons prove nothing. */
  get hasGrownAfterFinish(): boolean {
    return this.#hasGrownAfterFinish;
  }

  /** Another value whenever the response has brought something. */
  get progress(): number {
    return this.#progress;
  }

  /** What the provider wants back with the message. */
  get providerFields(): ProviderFieldsCollector["fields"] {
    return this.#providerFields.fields;
  }

  /** Whether something that has come waits for `step`. */
  get hasSteps(): boolean {
    return this.#steps.length > 0;
  }

  /** Reads a part of what is too much for one task of the event loop. */
  step(): void {
    const [next, ...later] = this.#steps;
    this.#steps = [];
    next?.();
    // What the step has left over comes before what came after it.
    this.#steps.push(...later);
  }

  /** Does this behind everything that waits already. */
  defer(step: () => void): void {
    this.#steps.push(step);
  }

  onEvent(data: string, name: string | undefined): void {
    if (this.hasSteps || data.length > longestStep) this.defer(() => this.#readEvent(data, name));
    else this.#readEvent(data, name);
  }

  #readEvent(data: string, name: string | undefined): void {
    if (this.#isDone || data === "") return;
    if (name === "error") throw this.#errors.reported(parseJson(data) ?? data);
    if (isDoneMark(data, this.isComplete)) this.#isDone = true;
    else if (name === undefined || name === "message" || data.includes('"choices"')) this.#readJson(data);
  }

  readKnown(text: string, start: number): number {
    let end = start;
    if (this.hasSteps) return start;
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
    if (this.hasSteps || data.length > longestStep) return this.defer(() => this.#readUnterminated(data));
    this.#readUnterminated(data);
  }

  onErrorField(value: string): void {
    this.onEvent(value, "error");
  }

  /** Of an event that is too long, what was received still counts. */
  onOverflow(data: string): void {
    this.defer(() => this.readCut(data));
    this.defer(() => {
      throw this.#errors.tooLarge(this.#maxLength);
    });
  }

  /** JSON whose end is missing, as far as it goes. */
  readCut(data: string): void {
    const chunk = parseChunk(parseCutJson(data));
    if (chunk !== undefined) this.#readChunk(chunk);
  }

  /** A response that is not streamed, or an error in its place. */
  readWhole(value: unknown): void {
    const chunk = parseChunk(value) ?? {};
    this.#readChunk(chunk);
    this.defer(() => {
      if (chunk.hasChoice === undefined) throw this.#errors.unreadableResponse(JSON.stringify(value));
      this.#isDone = true;
    });
  }

  /** Emits what was buffered. Call it once, at the end, whatever the end is. */
  flush(): void {
    for (const piece of this.#splitter.end()) this.#emitPiece(piece);
    this.#emit("text", this.#text.end());
    this.#emit("reasoning", this.#reasoning.end());
  }

  #readUnterminated(data: string): void {
    if (this.#isDone) return;
    if (data.trim() === doneMark) this.#isDone = true;
    else if (parseJson(data) !== undefined) this.#readJson(data);
  }

  #readJson(data: string): void {
    const value = parseJson(data);
    if (value === undefined) {
      if (this.isComplete && !this.#hasGrownAfterFinish) return;
      throw this.#errors.malformedPiece();
    }
    const chunk = parseChunk(value);
    if (chunk === undefined) return;
    this.#readChunk(chunk);
    // Parts go back to the provider as they came: each of them has to be read.
    if (chunk.reasoningParts === undefined) this.#shortcut.learn(data, chunk);
  }

  #readChunk(chunk: CompletionChunk): void {
    const { text = "", reasoning = "" } = chunk;
    if (text.length > longestStep || reasoning.length > longestStep) return this.#readLongChunk(chunk);
    this.#grow(this.#providerFields.add(chunk));
    if (chunk.reasoning !== undefined) this.#write("reasoning", chunk.reasoning);
    if (chunk.text !== undefined) this.#write("text", chunk.text);
    for (const piece of chunk.toolCalls ?? []) this.#addToolCall(piece);
    if (chunk.usage !== undefined) {
      this.#progress++;
      this.#handler.onEvent({ type: "usage", usage: chunk.usage });
    }
    if (chunk.finishReason !== undefined && chunk.finishReason !== this.#finishReason) {
      this.#progress++;
      this.#finishReason = chunk.finishReason;
    }
    if (chunk.error !== undefined) throw this.#errors.reported(chunk.error);
  }

  /** The same in steps. */
  #readLongChunk(chunk: CompletionChunk): void {
    const { text = "", reasoning = "", toolCalls, usage, finishReason, error } = chunk;
    this.#grow(this.#providerFields.add(chunk));
    for (const [kind, content] of [
      ["reasoning", reasoning],
      ["text", text],
    ] as const)
      for (let start = 0; start < content.length; start += longestStep)
        this.defer(() => this.#write(kind, content.slice(start, start + longestStep)));
    this.defer(() =>
      this.#readChunk({
        ...(toolCalls === undefined ? {} : { toolCalls }),
        ...(usage === undefined ? {} : { usage }),
        ...(finishReason === undefined ? {} : { finishReason }),
        ...(error === undefined ? {} : { error }),
      }),
    );
  }

  #addToolCall(piece: ToolCallPiece): void {
    const event = this.#numberToolCall(piece);
    if (event.index >= maxToolCalls) throw this.#errors.tooManyToolCalls(maxToolCalls);
    this.#handler.onEvent(event);
    this.#grow(event.arguments.length + (event.name?.length ?? 0));
  }

  /** A server that separates the reasoning itself means every tag in its text literally. */
  #write(kind: ContentPiece["kind"], delta: string): void {
    const room = this.#maxLength - this.#length;
    if (delta.length <= room) this.#writePieces(kind, delta);
    // What fits is kept: the end of a string is no reason to lose the whole.
    else if (room > 0) this.#writePieces(kind, delta.slice(0, room));
    this.#grow(delta.length);
  }

  /** Strings of any length become deltas that the rest of the way can take in one by one. */
  #writePieces(kind: ContentPiece["kind"], text: string): void {
    if (text.length <= longestDelta) return this.#writeDelta(kind, text);
    for (let start = 0; start < text.length; start += longestDelta)
      this.#writeDelta(kind, text.slice(start, start + longestDelta));
  }

  #writeDelta(kind: ContentPiece["kind"], delta: string): void {
    if (this.#splitter.isPassing) return this.#emitJoined(kind, delta);
    if (kind === "text") {
      for (const piece of this.#splitter.split(delta)) this.#emitPiece(piece);
    } else {
      for (const piece of this.#splitter.end()) this.#emitPiece(piece);
      this.#emitJoined(kind, delta);
    }
  }

  /** Counts what was received. It must have been passed on before. */
  #grow(length: number): void {
    if (length === 0) return;
    this.#progress++;
    this.#length += length;
    if (this.#finishReason !== null) this.#hasGrownAfterFinish = true;
    if (this.#length > this.#maxLength) throw this.#errors.tooLarge(this.#maxLength);
  }

  #emitPiece(piece: ContentPiece | ReasoningEnd): void {
    if (piece.kind !== "reasoningEnd") return this.#emitJoined(piece.kind, piece.text);
    this.#emit("text", this.#text.end());
    this.#handler.onEvent({ type: "reasoningEnd", dropped: piece.dropped });
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
