import { t } from "@vscode/l10n";
import { AnswerClock } from "./answerClock.ts";
import type {
  CompletionEvent,
  CompletionPort,
  CompletionRequest,
  CompletionRun,
  RetryNotice,
} from "./completion.ts";
import type { Message } from "./conversation.ts";
import type { MessageDelta } from "./conversationStore.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import { OpenAnswer } from "./openAnswer.ts";
import type { RetryView } from "./sessionEvent.ts";

export interface TurnContext {
  readonly completions: CompletionPort;
  /** Milliseconds since 1970. */
  now(): number;
  onDelta(delta: MessageDelta): void;
  /** The model begins to write a tool call; its arguments may take long. */
  onToolCall(): void;
  /** What had come as text was reasoning: the message has other text now. */
  onRewritten(): void;
  /** The response looks finished, or has gone on after it did. */
  onSettling(): void;
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
  #isSettling = false;
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

  /** Whether the response looks finished, though more may follow. One with tool calls doesn't: they are to be run. */
  get isSettling(): boolean {
    return this.#isSettling && this.#answer.callCount === 0;
  }

  /** The message as it is now. */
  get message(): Message {
    return this.#answer.freeze({ status: this.isSettling ? "complete" : "streaming" });
  }

  /** The message as it is now, to be stored: what may still grow is not final. */
  get growing(): Message {
    return this.#answer.freeze({ status: "streaming" });
  }

  /** Why a response that came to its end is of no use; undefined where it is. */
  get emptiness(): ErrorFacts | undefined {
    if (this.#answer.hasContent) return undefined;
    return emptyResponse(this.#answer.hasReasoning, this.#answer.finishReason === "length");
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
      this.#setSettling(event);
      this.#clock.hear(event, this.#context.now);
      const { callCount } = this.#answer;
      const delta = this.#answer.append(event);
      if (delta !== undefined) this.#context.onDelta(delta);
      if (this.#answer.callCount > callCount) this.#context.onToolCall();
      if (event.type === "settling") this.#context.onSettling();
      if (event.type === "reasoningEnd") this.#context.onRewritten();
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
    // One that only looks finished is still being read.
    if (ending !== "complete" || this.#isSettling) this.#run?.stop();
    const timing = this.#clock.timing(this.#context.now());
    if (ending === "complete" || ending === "stopped") return this.#answer.freeze({ status: ending, timing });
    return this.#answer.freeze({ status: "failed", error: ending, timing });
  }

  /** Called before an event is taken in: whoever listens has to be ready for what follows. */
  #setSettling({ type }: CompletionEvent): void {
    const grows = type === "text" || type === "reasoning" || type === "toolCall" || type === "reasoningEnd";
    if (type === "settling") this.#isSettling = true;
    else if (grows && this.#isSettling) {
      this.#isSettling = false;
      this.#context.onSettling();
    }
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

function emptyResponse(hasReasoning: boolean, isCutByLength: boolean): ErrorFacts {
  const message = isCutByLength
    ? t(
        "The response reached its token limit before any text came. Raise “max_tokens” in the chat settings or leave it empty, then retry.",
      )
    : hasReasoning
      ? t("The model reasoned, but returned no text. Retry, or ask another model.")
      : t(
          "The response is empty: the model returned no text. Retry, rephrase the message, or ask another model.",
        );
  return { reason: "service", message };
}
