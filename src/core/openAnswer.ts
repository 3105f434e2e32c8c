import type { CompletionEvent, ToolCall, Usage } from "./completion.ts";
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
  readonly #toolCalls = new Map<number, { id: string; name: string; arguments: string }>();
  #text: string;
  #reasoning: string;
  #usage: Usage | undefined;
  #finishReason: string | undefined;

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
    };
  }

  #appendToolCall(event: Extract<CompletionEvent, { type: "toolCall" }>): void {
    const call = this.#toolCalls.get(event.index) ?? { id: "", name: "", arguments: "" };
    if (event.id !== undefined && event.id !== "") call.id = event.id;
    if (event.name !== undefined && event.name !== "") call.name = event.name;
    call.arguments += event.arguments;
    this.#toolCalls.set(event.index, call);
  }
}
