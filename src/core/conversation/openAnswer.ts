import type { CompletionEvent, ProviderFields, ToolCall, Usage } from "./completion.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Message } from "./conversation.ts";
import type { MessageDelta } from "./conversationStore.ts";
import type { Omission } from "./tooLong.ts";
import { withCallIds } from "./toolRounds.ts";

/**
 * An answer that is still growing. It is mutable so that a delta costs the same at the end of a long answer as at
 * its beginning; everyone else sees frozen messages.
 */
export class OpenAnswer {
  #start: Message;
  readonly #toolCalls = new Map<number, OpenToolCall>();
  #text: string;
  #reasoning: string;
  #usage: Usage | undefined;
  #finishReason: string | undefined;
  #providerFields: ProviderFields | undefined;

  constructor(start: Message) {
    this.#start = start;
    this.#text = start.text;
    this.#reasoning = start.reasoning;
  }

  get id(): string {
    return this.#start.id;
  }

  /** How many tool calls have begun. */
  get callCount(): number {
    return this.#toolCalls.size;
  }

  get finishReason(): string | undefined {
    return this.#finishReason;
  }

  /** Whether text, beyond what a continued response began with, or a tool call came. */
  get hasContent(): boolean {
    return this.#toolCalls.size > 0 || this.#text.slice(this.#start.text.length).trim() !== "";
  }

  get hasReasoning(): boolean {
    return this.#reasoning.length > this.#start.reasoning.length;
  }

  /** The model is known only once the list of models has come. */
  setModel(model: string): void {
    this.#start = { ...this.#start, model };
  }

  /** What it was asked without. */
  setOmitted(omitted: Omission): void {
    this.#start = { ...this.#start, omitted };
  }

  /** Takes the event in; returns what the text grew by, if it did. */
  append(event: CompletionEvent): MessageDelta | undefined {
    switch (event.type) {
      case "text":
        this.#text += event.text;
        return { text: event.text, reasoning: "" };
      case "reasoning":
        this.#reasoning += event.text;
        return { text: "", reasoning: event.text };
      case "toolCall":
        this.#appendToolCall(event);
        return undefined;
      case "usage":
        this.#usage = event.usage;
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

  /** The message as it is now. */
  freeze(change: Pick<Message, "status"> & Partial<Pick<Message, "error" | "timing">>): Message {
    const calls: readonly ToolCall[] = [...this.#toolCalls.entries()]
      .toSorted(([left], [right]) => left - right)
      .map(([, call]) => ({ ...call }));
    return {
      ...this.#start,
      ...change,
      text: this.#text,
      reasoning: this.#reasoning,
      toolCalls: withCallIds(this.id, calls),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(this.#finishReason === undefined ? {} : { finishReason: this.#finishReason }),
      ...(this.#providerFields === undefined ? {} : { providerFields: this.#providerFields }),
    };
  }

  /** What came as text was reasoning; what a continued response began with stays. */
  #endReasoning(dropped: number): void {
    const start = this.#start.text.length;
    this.#reasoning += this.#text.slice(start, Math.max(start, this.#text.length - dropped));
    this.#text = this.#text.slice(0, start);
  }

  #appendToolCall(event: Extract<CompletionEvent, { type: "toolCall" }>): void {
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
  return {
    baseUrl,
    model,
    ...(reasoningNames === undefined ? {} : { reasoningNames }),
    ...(members === undefined ? {} : { members }),
  };
}
