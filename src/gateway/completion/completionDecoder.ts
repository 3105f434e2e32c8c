import type { CompletionEvent, Usage } from "../../core/conversation/completion.ts";
import { addSources } from "../../core/conversation/sources.ts";
import type { Source } from "../../core/conversation/sources.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { isDoneMark, parseChunk, parseEvent } from "./completionChunk.ts";
import type { CompletionChunk } from "./completionChunk.ts";
import type { CompletionErrors, CompletionLimits } from "./completionErrors.ts";
import { parseCutJson } from "./cutJson.ts";
import type { EventStreamHandler } from "./eventStream.ts";
import { ProviderFieldsCollector } from "./providerFields.ts";
import { maxToolCalls } from "./completionErrors.ts";
import type { ContentPiece, ReasoningEnd } from "./thinkTags.ts";
import { SurrogateJoiner, ThinkTagSplitter } from "./thinkTags.ts";
import type { ToolCallPiece } from "./toolCallPieces.ts";
import { createToolCallNumbering } from "./toolCallPieces.ts";

/** Receives the events of one response. */
export interface CompletionEventHandler {
  onEvent(event: CompletionEvent): void;
}

/** UTF-16 units of what can't be read that are shown. */
const longestUnread = 4_000;
/** UTF-16 units. */
const longestDelta = 32 * 1024;
const fieldsToSendBack = ["extra", "reasoningDetails", "reasoningParts"] as const;
/** UTF-16 units. A shorter last delta may be what it says once more, such as “ha”. */
const shortestRepeated = 40;
/** UTF-16 units that are processed in one step; more would delay Stop and the other panels. */
const longestStep = 256 * 1024;

/**
 * Turns the pieces of one response into completion events. Every method except `flush` may throw a ServiceError. This
 * is a class rather than closures, so that its methods are the same functions for every stream and what the engine
 * optimizes for one stream benefits the next.
 */
export class CompletionDecoder implements EventStreamHandler {
  readonly #handler: CompletionEventHandler;
  readonly #errors: CompletionErrors;
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
  /** The latest token counts that haven't been emitted: some servers send them with every token. */
  #usage: Usage | undefined;
  #hasGrownAfterFinish = false;
  /** By URL. */
  readonly #sources = new Map<string, Source>();
  #emittedSources = 0;
  readonly #receivedText = new ReceivedText();
  readonly #receivedReasoning = new ReceivedText();
  /** The arguments of each call by its index, in the order in which they began. */
  readonly #receivedCalls = new Map<number, ReceivedText>();
  /** Whether there has been a delta, so that a whole message isn't a piece that only has another name. */
  #hasDelta = false;
  /** Which fields that the provider expects back deltas have brought. */
  readonly #receivedFields = new Set<(typeof fieldsToSendBack)[number]>();
  /** The beginning of what was received but isn't a part of a response. */
  #unread = "";
  /** Steps for received data that is still to be processed. */
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

  /** Whether a finish reason or `[DONE]` has marked the response as complete. */
  get isComplete(): boolean {
    return this.#isDone || this.#finishReason !== null;
  }

  /** Whether `[DONE]` was read, after which nothing counts. */
  get isDone(): boolean {
    return this.#isDone;
  }

  get finishReason(): string | null {
    return this.#finishReason;
  }

  /** Whether more data followed a finish reason, which makes this server's finish reasons unreliable. */
  get hasGrownAfterFinish(): boolean {
    return this.#hasGrownAfterFinish;
  }

  /** The beginning of what isn't a part of a response, in lines; empty if there is no such thing. */
  get unread(): string {
    return this.#unread;
  }

  /** A value that changes whenever the response has produced something. */
  get progress(): number {
    return this.#progress;
  }

  /** What the provider expects back with the message. */
  get providerFields(): ProviderFieldsCollector["fields"] {
    return this.#providerFields.fields;
  }

  /** Whether received data is waiting for `step`. */
  get hasSteps(): boolean {
    return this.#steps.length > 0;
  }

  /** Processes a part of what is too much for one task of the event loop. */
  step(): void {
    const [next, ...later] = this.#steps;
    this.#steps = [];
    next?.();
    // The rest of the step comes before what was received after it.
    this.#steps.push(...later);
  }

  /** Runs the step after everything that is already waiting. */
  defer(step: () => void): void {
    this.#steps.push(step);
  }

  onEvent(data: string, name: string | undefined): void {
    if (this.hasSteps || data.length > longestStep) this.defer(() => this.#readEvent(data, name));
    else this.#readEvent(data, name);
  }

  #readEvent(data: string, name: string | undefined): void {
    if (this.#isDone || data === "") return;
    if (name !== undefined && /error|exception|failure/i.test(name))
      throw this.#errors.reported(parseJson(data) ?? data);
    if (isDoneMark(data)) this.#isDone = true;
    else if (name === undefined || name === "message" || /"(?:choices|error)"/.test(data))
      this.#readJson(data);
    else this.#noteUnread(data);
  }

  /** Data that was cut off by the end of the body counts only if it is complete. */
  onUnterminated(data: string): void {
    if (this.hasSteps || data.length > longestStep) return this.defer(() => this.#readUnterminated(data));
    this.#readUnterminated(data);
  }

  onOtherLine(line: string): void {
    if (line.startsWith("error:")) return this.onEvent(line.slice("error:".length).trim(), "error");
    const isObject = /^\s*[[{].*[\]}]\s*$/.test(line) && parseJson(line) !== undefined;
    if (isObject) this.onEvent(line, undefined);
    else this.#noteUnread(line);
  }

  /** The received part of an event that is too long still counts. */
  onOverflow(data: string): void {
    this.defer(() => this.readCut(data));
    this.defer(() => {
      throw this.#errors.tooLarge(this.#maxLength);
    });
  }

  /** Reads truncated JSON as far as possible. */
  readCut(data: string): void {
    const chunk = parseChunk(parseCutJson(data));
    if (chunk !== undefined) this.#readChunk(chunk);
  }

  /** Reads a response that is not streamed, or an error in its place. */
  readWhole(value: unknown): void {
    const chunks = chunksIn(value);
    addSources(this.#sources, value);
    for (const chunk of chunks) this.#readChunk(chunk);
    this.defer(() => {
      if (!chunks.some(({ hasChoice }) => hasChoice))
        throw this.#errors.unreadableResponse(JSON.stringify(value));
      this.#isDone = true;
    });
  }

  #noteUnread(data: string): void {
    if (this.#unread.length < longestUnread) this.#unread += `${data.slice(0, longestUnread)}\n`;
  }

  /** Emits the token counts of everything that was read. */
  flushUsage(): void {
    const usage = this.#usage;
    if (usage === undefined) return;
    this.#usage = undefined;
    this.#progress++;
    this.#handler.onEvent({ type: "usage", usage });
  }

  /** Emits what was buffered. Must be called once at the end, however the response ends. */
  flush(): void {
    for (const piece of this.#splitter.end()) this.#emitPiece(piece);
    this.#emit("text", this.#text.end());
    this.#emit("reasoning", this.#reasoning.end());
    this.flushUsage();
    if (this.#sources.size > 0) this.#emitSources();
  }

  #emitSources(): void {
    this.#emittedSources = this.#sources.size;
    this.#handler.onEvent({ type: "sources", sources: [...this.#sources.values()] });
  }

  #readUnterminated(data: string): void {
    if (this.#isDone) return;
    if (isDoneMark(data)) this.#isDone = true;
    else if (parseEvent(data) !== undefined) this.#readJson(data);
  }

  #readJson(data: string): void {
    const value = parseEvent(data);
    if (value === undefined && this.isComplete && !this.#hasGrownAfterFinish) return;
    if (value === undefined) throw this.#errors.malformedPiece();
    // Looking through every chunk would take a quarter of the decoder's time.
    if (data.includes("http")) addSources(this.#sources, value);
    for (const chunk of chunksIn(value)) {
      this.#readChunk(chunk);
      if (Object.keys(chunk).length === 0) this.#noteUnread(data);
    }
  }

  #readChunk(received: CompletionChunk): void {
    const chunk = this.#withoutRepeated(received);
    const longest = Math.max(chunk.text?.length ?? 0, chunk.reasoning?.length ?? 0);
    if (longest > longestStep) return this.#readLongChunk(chunk);
    this.#grow(this.#providerFields.add(chunk));
    if (chunk.reasoning !== undefined) this.#write("reasoning", chunk.reasoning);
    if (chunk.text !== undefined) this.#write("text", chunk.text);
    if (chunk.toolCalls !== undefined) for (const piece of chunk.toolCalls) this.#addToolCall(piece);
    if (chunk.usage !== undefined) this.#addUsage(chunk.usage);
    if (chunk.finishReason !== undefined && chunk.finishReason !== this.#finishReason) {
      this.#progress++;
      this.#finishReason = chunk.finishReason;
    }
    if (chunk.error !== undefined) throw this.#errors.reported(chunk.error);
  }

  /**
   * What a chunk adds: some servers repeat everything at the end as a whole message or a last delta, and some send what
   * there is so far as a message each time. Called for every token, so it creates nothing for a delta.
   */
  #withoutRepeated(chunk: CompletionChunk): CompletionChunk {
    if (chunk.isMessage === true) return this.#restOfMessage(chunk);
    const { text = "", reasoning = "" } = chunk;
    if (chunk.finishReason !== undefined && text.length >= shortestRepeated && this.#receivedText.is(text))
      return { ...chunk, text: "" };
    if (text !== "" || reasoning !== "" || chunk.toolCalls !== undefined) this.#hasDelta = true;
    this.#receivedText.add(text);
    this.#receivedReasoning.add(reasoning);
    for (const name of fieldsToSendBack) if (chunk[name] !== undefined) this.#receivedFields.add(name);
    return chunk;
  }

  #restOfMessage(message: CompletionChunk): CompletionChunk {
    const { text, reasoning, toolCalls, extra, reasoningDetails, reasoningParts, ...others } = message;
    const restOf = (received: ReceivedText, whole: string): string =>
      received.restOf(whole) ?? (this.#hasDelta ? "" : whole);
    const take = (received: ReceivedText, whole: string): string => {
      const added = restOf(received, whole);
      received.add(added);
      return added;
    };
    const known = [...this.#receivedCalls];
    const calls = toolCalls?.flatMap((call, place) => {
      const [index, received] = known[place] ?? [];
      if (index === undefined || received === undefined) return [call];
      const added = restOf(received, call.arguments);
      return added === "" ? [] : [{ index, arguments: added }];
    });
    return {
      ...others,
      ...(text === undefined ? {} : { text: take(this.#receivedText, text) }),
      ...(reasoning === undefined ? {} : { reasoning: take(this.#receivedReasoning, reasoning) }),
      ...(calls === undefined ? {} : { toolCalls: calls }),
      ...(extra === undefined || this.#receivedFields.has("extra") ? {} : { extra }),
      ...(reasoningDetails === undefined || this.#receivedFields.has("reasoningDetails")
        ? {}
        : { reasoningDetails }),
      ...(reasoningParts === undefined || this.#receivedFields.has("reasoningParts")
        ? {}
        : { reasoningParts }),
    };
  }

  /** Reads a long chunk in steps. */
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

  /** Later counts replace earlier ones, name by name. */
  #addUsage(usage: Usage): void {
    this.#usage = this.#usage === undefined ? usage : { ...this.#usage, ...usage };
  }

  #addToolCall(piece: ToolCallPiece): void {
    const event = this.#numberToolCall(piece);
    if (event.index >= maxToolCalls) throw this.#errors.tooManyToolCalls(maxToolCalls);
    let received = this.#receivedCalls.get(event.index);
    if (received === undefined) this.#receivedCalls.set(event.index, (received = new ReceivedText()));
    received.add(event.arguments);
    this.#handler.onEvent(event);
    this.#grow(event.arguments.length + (event.name?.length ?? 0));
  }

  /** If a server separates the reasoning itself, every tag in its text is literal. */
  #write(kind: ContentPiece["kind"], delta: string): void {
    const room = this.#maxLength - this.#length;
    if (delta.length <= room) this.#writePieces(kind, delta);
    // Whatever fits is kept, because a string that is too long is no reason to lose all of it.
    else if (room > 0) this.#writePieces(kind, delta.slice(0, room));
    this.#grow(delta.length);
  }

  /** Splits strings of any length into deltas that the rest of the pipeline can process one by one. */
  #writePieces(kind: ContentPiece["kind"], text: string): void {
    if (text.length <= longestDelta) return this.#writeDelta(kind, text);
    for (let start = 0; start < text.length; start += longestDelta)
      this.#writeDelta(kind, text.slice(start, start + longestDelta));
  }

  #writeDelta(kind: ContentPiece["kind"], delta: string): void {
    if (kind === "text" ? this.#splitter.passes(delta) : this.#splitter.isPassing)
      this.#emitJoined(kind, delta);
    else if (kind === "text") {
      for (const piece of this.#splitter.split(delta)) this.#emitPiece(piece);
    } else {
      for (const piece of this.#splitter.end()) this.#emitPiece(piece);
      this.#emitJoined(kind, delta);
    }
  }

  /** Counts what was received. It must have been passed on already. */
  #grow(length: number): void {
    if (length === 0) return;
    this.#progress++;
    this.#length += length;
    if (this.#finishReason !== null) this.#hasGrownAfterFinish = true;
    if (this.#length > this.#maxLength) throw this.#errors.tooLarge(this.#maxLength);
  }

  #emitPiece(piece: ContentPiece | ReasoningEnd): void {
    if (piece.kind !== "text") this.#providerFields.addTagged();
    if (piece.kind === "reasoning") this.#receivedReasoning.add(piece.text);
    if (piece.kind !== "reasoningEnd") return this.#emitJoined(piece.kind, piece.text);
    this.#emit("text", this.#text.end());
    this.#handler.onEvent({ type: "reasoningEnd", dropped: piece.dropped });
  }

  #emitJoined(kind: ContentPiece["kind"], text: string): void {
    this.#emit(kind, kind === "text" ? this.#text.join(text) : this.#reasoning.join(text));
  }

  #emit(type: ContentPiece["kind"], text: string): void {
    if (text === "") return;
    this.#handler.onEvent({ type, text });
    // The user may not wait for the end. Before any text, they would keep a failed attempt from being repeated.
    if (this.#sources.size > this.#emittedSources) this.#emitSources();
  }
}

/** Remembers so much of a text that what repeats it can be recognized, without keeping it. */
class ReceivedText {
  #length = 0;
  #first = "";
  #last = "";

  add(text: string): void {
    if (text === "") return;
    if (this.#length === 0) this.#first = text;
    this.#length += text.length;
    this.#last = text;
  }

  is(text: string): boolean {
    return text.length === this.#length && this.restOf(text) === "";
  }

  /** What the text adds if it repeats everything before; undefined if it doesn't. */
  restOf(text: string): string | undefined {
    const isRepeated =
      text.length >= this.#length &&
      text.startsWith(this.#first) &&
      text.slice(0, this.#length).endsWith(this.#last);
    return isRepeated ? text.slice(this.#length) : undefined;
  }
}

/** Some servers send a list, of chunks or of errors. */
function chunksIn(value: unknown): readonly CompletionChunk[] {
  return (Array.isArray(value) ? value : [value]).map((item) => parseChunk(item) ?? {});
}
