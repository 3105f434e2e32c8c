import type { CompletionEvent, ProviderFields, ToolCall, Usage } from "./completion.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Message, MessageDelta, Timing } from "./conversation.ts";
import { joinSources } from "./sources.ts";
import type { Source } from "./sources.ts";
import type { Omission } from "./tooLong.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** The final fields of a response. */
type FinalFields = Pick<Message, "status"> & Partial<Pick<Message, "error">>;

/**
 * A response that is still growing. It is mutable so that a delta costs the same at the end of a long response as at
 * its beginning; all other code sees frozen messages.
 */
export class StreamingResponse {
  #start: Message;
  readonly #toolCalls = new Map<number, OpenToolCall>();
  #text: string;
  #reasoning: string;
  #usage: Usage | undefined;
  #finishReason: string | undefined;
  #sources: readonly Source[] | undefined;
  #providerFields: ProviderFields | undefined;

  readonly #now: () => number;
  readonly #askedAt: number;
  #firstDeltaAt: number | undefined;
  #reasoningAt: number | undefined;
  #textAt: number | undefined;

  /**
   * @param start The message at the start; one that is continued already has its text.
   * @param now Milliseconds since 1970.
   */
  constructor(start: Message, now: () => number) {
    this.#now = now;
    this.#askedAt = now();
    this.#start = start;
    this.#text = start.text;
    this.#reasoning = start.reasoning;
  }

  get id(): string {
    return this.#start.id;
  }

  /** How many tool calls have started. */
  get callCount(): number {
    return this.#toolCalls.size;
  }

  get finishReason(): string | undefined {
    return this.#finishReason;
  }

  get model(): string | undefined {
    return this.#start.model;
  }

  /** The token counts that the server has reported; undefined until then. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Whether a tool call arrived, or text beyond that of a continued response. */
  get hasContent(): boolean {
    return this.#toolCalls.size > 0 || this.#text.slice(this.#start.text.length).trim() !== "";
  }

  /** Whether reasoning arrived beyond that of a continued response. */
  get hasReasoning(): boolean {
    return this.#reasoning.length > this.#start.reasoning.length;
  }

  /** The model is only known once the list of models has loaded. */
  setModel(model: string): void {
    this.#start = { ...this.#start, model };
  }

  /** Adds what was left out of the request. */
  addOmitted(omission: Partial<Omission>): void {
    const { omitted } = this.#start;
    this.#start = { ...this.#start, omitted: { turns: 0, files: 0, tokens: 0, ...omitted, ...omission } };
  }

  /** Applies the event; returns the growth of the text, if any. */
  append(event: CompletionEvent): MessageDelta | undefined {
    switch (event.type) {
      case "text":
        this.#noteTime("text");
        this.#text += event.text;
        return { kind: "text", text: event.text };
      case "reasoning":
        this.#noteTime("reasoning");
        this.#reasoning += event.text;
        return { kind: "reasoning", text: event.text };
      case "toolCall":
        this.#firstDeltaAt ??= this.#now();
        this.#appendToolCall(event);
        return undefined;
      case "usage":
        this.#usage = event.usage;
        return undefined;
      case "sources":
        this.#sources = joinSources(this.#start.sources, event.sources);
        return undefined;
      case "reasoningEnd":
        this.#endReasoning(event.dropped);
        return undefined;
      case "providerFields":
        this.#providerFields = providerFieldsOf(event);
        return undefined;
      case "settling":
      case "finish":
        this.#finishReason = event.reason ?? undefined;
        return undefined;
    }
  }

  /** The message in its final form, including its timing. */
  finish(fields: FinalFields): Message {
    return { ...this.freeze(fields.status), ...fields, timing: this.#timing() };
  }

  /** The current message. */
  freeze(status: Message["status"]): Message {
    const calls: readonly ToolCall[] = [...this.#toolCalls.entries()]
      .toSorted(([left], [right]) => left - right)
      .map(([, call]) => ({ ...call }));
    return {
      ...this.#start,
      ...{ status, text: this.#text, reasoning: this.#reasoning, toolCalls: withCallIds(this.id, calls) },
      ...filledFields({ usage: this.#usage, finishReason: this.#finishReason }),
      ...filledFields({ sources: this.#sources, providerFields: this.#providerFields }),
    };
  }

  #noteTime(kind: MessageDelta["kind"]): void {
    if (this.#textAt !== undefined) return;
    if (kind === "text") this.#textAt = this.#now();
    else this.#reasoningAt ??= this.#now();
    this.#firstDeltaAt ??= this.#textAt ?? this.#reasoningAt;
  }

  #timing(): Timing {
    const endedAt = this.#now();
    const reasonedUntil = this.#textAt ?? endedAt;
    return {
      ...(this.#firstDeltaAt === undefined ? {} : { firstDeltaMs: this.#firstDeltaAt - this.#askedAt }),
      ...(this.#reasoningAt === undefined ? {} : { reasoningMs: reasonedUntil - this.#reasoningAt }),
      totalMs: endedAt - this.#askedAt,
    };
  }

  /** What was received as text was reasoning. The beginning of a continued response is not affected. */
  #endReasoning(dropped: number): void {
    const start = this.#start.text.length;
    this.#reasoning += this.#text.slice(start, Math.max(start, this.#text.length - dropped));
    this.#text = this.#text.slice(0, start);
  }

  /** Some servers send an empty call with every response, which is none. */
  #appendToolCall(event: Extract<CompletionEvent, { type: "toolCall" }>): void {
    const { id = "", name = "", extra } = event;
    const isEmpty = id === "" && name === "" && event.arguments === "" && extra === undefined;
    if (isEmpty && !this.#toolCalls.has(event.index)) return;
    const call: OpenToolCall = this.#toolCalls.get(event.index) ?? { id: "", name: "", arguments: "" };
    if (event.id !== undefined && event.id !== "") call.id = event.id;
    if (event.name !== undefined && event.name !== "") call.name = event.name;
    call.arguments += event.arguments;
    if (event.extra !== undefined) call.extra = { ...call.extra, ...event.extra };
    this.#toolCalls.set(event.index, call);
  }
}

interface OpenToolCall {
  id: string;
  name: string;
  arguments: string;
  extra?: JsonObject;
}

function providerFieldsOf({ baseUrl, model, reasoningNames, members }: ProviderFields): ProviderFields {
  return filledFields({ baseUrl, model, reasoningNames, members });
}

/**
 * The calls with unique IDs: some servers send none, or the same one for all. Deterministic, so that freezing a message
 * twice gives the same result.
 */
export function withCallIds(messageId: string, calls: readonly ToolCall[]): readonly ToolCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const id = call.id === "" || taken.has(call.id) ? `${messageId}-${index}` : call.id;
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
}
