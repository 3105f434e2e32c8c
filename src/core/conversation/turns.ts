import { t } from "@vscode/l10n";
import type { CompletionMessage, CompletionPort, CompletionRequest } from "./completion.ts";
import { completionRequest } from "./completionRequest.ts";
import type { ConversationSettings, Message } from "./conversation.ts";
import type { MessageDelta } from "./conversationStore.ts";
import { ServiceError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { RetryView } from "./sessionEvent.ts";
import { Turn } from "./turn.ts";
import type { Ending } from "./turn.ts";

/** What one request has that its conversation doesn't say. */
export type RequestChanges = Pick<CompletionRequest, "shorten">;

export interface TurnsContext {
  readonly completions: CompletionPort;
  /** Milliseconds since 1970. */
  now(): number;
  /** What a request with these settings has beside their parameters, such as the tools that it offers. */
  parameters(settings: ConversationSettings | undefined): Promise<JsonObject> | undefined;
  /** The model for an answer that has none yet. Rejects with a ServiceError where none can be had. */
  defaultModel(): Promise<string>;
  /** Members of the body that this model has rejected. */
  without(model: string): readonly string[];
  reportError(error: unknown): void;
  onDelta(messageId: string, delta: MessageDelta): void;
  /** The model begins to write a tool call. */
  onToolCall(message: Message): void;
  /** What had come as text was reasoning: the message has other text now. */
  onRewritten(message: Message): void;
  /** The response looks finished, or has gone on after it did. */
  onSettling(message: Message): void;
  /** The answer's model is known now. */
  onModel(model: string, message: Message): void;
  /** A wait before the next attempt has begun or ended. */
  onRetry(): void;
  /** The answer has its final form. */
  onEnd(message: Message): void;
}

/** The answers of a conversation that are under way; more than one only where models are compared. */
export class Turns {
  readonly #context: TurnsContext;
  readonly #turns = new Map<string, Turn>();

  constructor(context: TurnsContext) {
    this.#context = context;
  }

  get isEmpty(): boolean {
    return this.#turns.size === 0;
  }

  /** Whether a response is coming that doesn't look finished yet. */
  get isBusy(): boolean {
    return [...this.#turns.values()].some(({ isSettling }) => !isSettling);
  }

  has(messageId: string): boolean {
    return this.#turns.has(messageId);
  }

  /** A message as it is now, where its answer is under way. */
  current(message: Message): Message {
    return this.#turns.get(message.id)?.message ?? message;
  }

  /** The same to be stored: what may still grow is not final. */
  growing(message: Message): Message {
    return this.#turns.get(message.id)?.growing ?? message;
  }

  get retry(): RetryView | undefined {
    for (const { retry } of this.#turns.values()) if (retry !== undefined) return retry;
    return undefined;
  }

  /**
   * Asks for the answer that begins as `start`, with its settings.
   * @param messages What the model is told before it.
   * @param changes What is different from what these make of the request.
   */
  begin(start: Message, messages: readonly CompletionMessage[], changes: RequestChanges = {}): void {
    const { completions, now, onDelta, onToolCall, onRewritten, onSettling, onRetry } = this.#context;
    const turn = new Turn(start, {
      completions,
      now,
      onDelta: (delta) => onDelta(start.id, delta),
      onToolCall: () => onToolCall(turn.message),
      onRewritten: () => onRewritten(turn.message),
      onSettling: () => onSettling(turn.message),
      onRetry,
    });
    this.#turns.set(turn.id, turn);
    void this.#run(turn, start, messages, changes);
  }

  /** The user's stop of one answer, or of all. What looks finished is complete. */
  stop(messageId?: string): void {
    for (const turn of [...this.#turns.values()])
      if (messageId === undefined || turn.id === messageId)
        this.#end(turn, turn.isSettling ? "complete" : "stopped");
  }

  /** Ends what looks finished without waiting for more. */
  settle(): void {
    for (const turn of [...this.#turns.values()]) if (turn.isSettling) this.#end(turn, "complete");
  }

  /** Ends all of them as cut, because VS Code ends. */
  interrupt(): void {
    const message = t(
      "VS Code was closed while this response was streaming. The partial response was kept. Retry to ask again.",
    );
    for (const turn of [...this.#turns.values()])
      this.#end(turn, turn.isSettling ? "complete" : { reason: "truncated", message });
  }

  retryNow(): void {
    for (const turn of this.#turns.values()) turn.retryNow();
  }

  async #run(
    turn: Turn,
    start: Message,
    messages: readonly CompletionMessage[],
    changes: RequestChanges,
  ): Promise<void> {
    try {
      const model = start.model ?? (await this.#chooseModel(turn));
      if (model === undefined) return;
      const offered = await this.#context.parameters(start.settings);
      if (turn.isOver) return;
      const without = this.#context.without(model);
      await turn.ask({
        ...completionRequest(model, messages, start.settings, offered),
        ...changes,
        ...(without.length === 0 ? {} : { without }),
      });
      this.#end(turn, turn.emptiness ?? "complete");
    } catch (error) {
      if (turn.isOver) return;
      this.#end(turn, error instanceof ServiceError ? error.facts : unreadable());
      this.#context.reportError(error);
    }
  }

  /** Names the answer after its model as soon as that is known; undefined where the turn has ended meanwhile. */
  async #chooseModel(turn: Turn): Promise<string | undefined> {
    const model = await this.#context.defaultModel();
    if (turn.isOver) return undefined;
    turn.setModel(model);
    this.#context.onModel(model, turn.message);
    return model;
  }

  #end(turn: Turn, ending: Ending): void {
    if (turn.isOver) return;
    const message = turn.end(ending);
    this.#turns.delete(turn.id);
    this.#context.onEnd(message);
  }
}

/** Nothing of an unknown error is shown: it may carry anything. */
function unreadable(): Exclude<Ending, string> {
  return {
    reason: "malformed",
    message: t(
      "The response couldn't be read because of an error in the extension. The partial response was kept. See the log for details.",
    ),
  };
}
