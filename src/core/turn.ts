import { AnswerClock } from "./answerClock.ts";
import type { CompletionPort, CompletionRequest, CompletionRun, RetryNotice } from "./completion.ts";
import type { Message } from "./conversation.ts";
import type { MessageDelta } from "./conversationStore.ts";
import type { ErrorFacts } from "./errors.ts";
import { OpenAnswer } from "./openAnswer.ts";
import type { RetryView } from "./sessionEvent.ts";

export interface TurnContext {
  readonly completions: CompletionPort;
  /** Milliseconds since 1970. */
  now(): number;
  onDelta(delta: MessageDelta): void;
  /** The model begins to write a tool call; its arguments may take long. */
  onToolCall(): void;
  /** A wait before the next attempt has begun or ended. */
  onRetry(): void;
}

/** How an answer ended: whole, by the user's stop, or for the reason that is told. */
export type Ending = "complete" | "stopped" | ErrorFacts;

/** One answer under way: asks for it, takes it in, and is over at its end or at once when it is stopped. */
export class Turn {
  readonly #context: TurnContext;
  readonly #answer: OpenAnswer;
  readonly #clock: AnswerClock;
  #run: CompletionRun | undefined;
  #retry: RetryView | undefined;
  #isOver = false;

  /** @param start The message as it begins; one that is continued has its text already. */
  constructor(start: Message, context: TurnContext) {
    this.#context = context;
    this.#answer = new OpenAnswer(start);
    this.#clock = new AnswerClock(context.now());
  }

  get id(): string {
    return this.#answer.id;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get retry(): RetryView | undefined {
    return this.#retry;
  }

  /** The message as it is now. */
  get message(): Message {
    return this.#answer.freeze({ status: "streaming" });
  }

  /** The model is known only once the list of models has come. */
  setModel(model: string): void {
    this.#answer.setModel(model);
  }

  /** Resolves at the end of the answer, and soon after a stop. Rejects with why no whole answer came. */
  async ask(request: CompletionRequest): Promise<void> {
    this.#run = this.#context.completions.complete(request, {
      messageId: this.id,
      onRetry: (notice) => this.#showRetry(notice),
      onResponse: () => this.#clearRetry(),
      onOmitted: (omitted) => this.#answer.setOmitted(omitted),
    });
    for await (const event of this.#run.events) {
      // Stopped: what was under way already is not what the user saw when they stopped it.
      if (this.#isOver) return;
      this.#clock.hear(event, this.#context.now);
      const { callCount } = this.#answer;
      const delta = this.#answer.append(event);
      if (delta !== undefined) this.#context.onDelta(delta);
      if (this.#answer.callCount > callCount) this.#context.onToolCall();
    }
  }

  /** Ends the wait before the next attempt. */
  retryNow(): void {
    this.#run?.retryNow();
  }

  /** Closes the socket where it is still open; gives the message its final form. */
  end(ending: Ending): Message {
    this.#isOver = true;
    this.#retry = undefined;
    if (ending !== "complete") this.#run?.stop();
    const timing = this.#clock.timing(this.#context.now());
    if (ending === "complete" || ending === "stopped") return this.#answer.freeze({ status: ending, timing });
    return this.#answer.freeze({ status: "failed", error: ending, timing });
  }

  #showRetry({ attempt, maxAttempts, waitMs, error }: RetryNotice): void {
    if (this.#isOver) return;
    const dueAt = this.#context.now() + waitMs;
    this.#retry = { attempt, maxAttempts, dueAt, error: error.facts, messageId: this.id };
    this.#context.onRetry();
  }

  #clearRetry(): void {
    if (this.#isOver || this.#retry === undefined) return;
    this.#retry = undefined;
    this.#context.onRetry();
  }
}
