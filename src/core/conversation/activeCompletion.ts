import { t } from "@vscode/l10n";
import { ServiceError } from "../kernel/errors.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type {
  CompletionEvent,
  CompletionMessage,
  CompletionPort,
  CompletionRequest,
  CompletionRun,
  RetryNotice,
} from "./completion.ts";
import type { ConversationSettings, Message } from "./conversation.ts";
import type { ConversationState } from "./conversationState.ts";
import { emptyResponse } from "./finishReason.ts";
import { StreamingResponse } from "./streamingResponse.ts";
import type { LiveResponse, RetryView } from "./sessionEvent.ts";
import type { ToolPort } from "./toolPort.ts";

/** Properties of one request that don't come from its conversation. */
export type RequestChanges = Pick<CompletionRequest, "shorten" | "adaptations">;

/** The ports of the responses in progress. */
export interface ActiveCompletionsContext {
  readonly completions: CompletionPort;
  /** Without it, no response is offered tools. */
  readonly tools?: ToolPort;
  /** How often the model may be called again with the results of its tools; 10 by default. */
  maxToolRounds?(): number;
  /** Milliseconds since 1970. */
  now(): number;
  /** The model for a conversation that doesn't have one yet. Rejects with a ServiceError if no model is available. */
  defaultModel(): Promise<string>;
  /** The tokens that the model can read, if known. */
  contextLength?(model: string): number | undefined;
  /** Logs why a response failed. */
  reportError(error: unknown): void;
}

interface ActiveCompletionContext extends ActiveCompletionsContext {
  /** Stores the response as it grows and notifies listeners. */
  readonly state: ConversationState;
  /** What a request with these settings contains besides their parameters, such as the available tools. */
  parameters(settings: ConversationSettings | undefined): Promise<JsonObject>;
  /** The response has its final form. */
  onEnd(message: Message): void;
}

/** How a response ended: complete, stopped by the user, or with an error. */
type Outcome = "complete" | "stopped" | ErrorFacts;

/** One response in progress: requests it, collects it, and ends with it or as soon as it is stopped. */
export class ActiveCompletion implements LiveResponse {
  readonly id: string;
  /** Resolves with the response in its final form, however it ended. */
  readonly finished: Promise<Message>;
  readonly #context: ActiveCompletionContext;
  readonly #start: Message;
  readonly #response: StreamingResponse;
  #finish: (message: Message) => void = () => undefined;
  #run: CompletionRun | undefined;
  #retry: { readonly view: RetryView; now(): void } | undefined;
  #isSettling = false;
  #isOver = false;

  /** @param start The message at the start; one that is continued already has its text. */
  constructor(start: Message, context: ActiveCompletionContext) {
    this.id = start.id;
    this.#context = context;
    this.#start = start;
    this.#response = new StreamingResponse(start, context.now);
    this.finished = new Promise((resolve) => (this.#finish = resolve));
  }

  /** The wait before the next attempt, as the page shows it; undefined if there is none. */
  get retry(): RetryView | undefined {
    return this.#retry?.view;
  }

  /** Skips the wait before the next attempt; undefined if there is no wait. */
  get retryNow(): (() => void) | undefined {
    return this.#retry?.now;
  }

  /**
   * Whether the response looks finished, though more may follow. A response with tool calls doesn't look finished,
   * because they still have to run.
   */
  get isSettling(): boolean {
    return this.#isSettling && this.#response.callCount === 0;
  }

  /** The current message. */
  get message(): Message {
    return this.#response.freeze(this.isSettling ? "complete" : "streaming");
  }

  /** The current message for storage: text that may still grow isn't final. */
  get growing(): Message {
    return this.#response.freeze("streaming");
  }

  /**
   * Requests the response. Resolves at its end, and soon after a stop.
   * @param messages The messages sent to the model.
   */
  async run(messages: readonly CompletionMessage[], changes: RequestChanges): Promise<void> {
    const { parameters, reportError } = this.#context;
    const { settings } = this.#start;
    try {
      const model = this.#start.model ?? (await this.#chooseModel());
      if (model === undefined) return;
      const offered = await parameters(settings);
      if (this.#isOver) return;
      await this.#ask({ ...completionRequest(model, messages, settings, offered), ...changes });
      this.#end(this.#emptiness ?? "complete");
    } catch (error) {
      if (this.#isOver) return;
      this.#end(error instanceof ServiceError ? error.facts : unreadable());
      reportError(error);
    }
  }

  /** Called when the user stops the response. If it looks finished, it counts as complete. */
  stop(): void {
    this.#end(this.isSettling ? "complete" : "stopped");
  }

  /** Ends any response that looks finished without waiting for more. */
  settle(): void {
    if (this.isSettling) this.#end("complete");
  }

  /** VS Code exits. The partial response is kept as truncated. */
  interrupt(): void {
    const message = t(
      "VS Code was closed while this response was streaming. The partial response was kept. Retry to get a complete one.",
    );
    this.#end(this.isSettling ? "complete" : { reason: "truncated", message });
  }

  async #ask(request: CompletionRequest): Promise<void> {
    const { state, completions } = this.#context;
    this.#run = completions.complete(request, {
      messageId: this.id,
      onRetry: (notice) => this.#showRetry(notice),
      onResponse: () => this.#clearRetry(),
      onOmitted: (omission) => this.#response.addOmitted(omission),
    });
    for await (const event of this.#run.events) {
      // Stopped: the user didn't see what was still in transit.
      if (this.#isOver) return;
      this.#goOn(event);
      const { callCount } = this.#response;
      const delta = this.#response.append(event);
      if (delta !== undefined) state.appendDelta(this.id, delta);
      // The model has started to write a tool call, whose arguments may take long.
      else if (this.#response.callCount > callCount)
        state.emit({ type: "messageChanged", message: this.message });
      else if (event.type === "settling") this.#showSettling();
      else if (event.type === "reasoningEnd") state.replaceMessage(this.message);
    }
  }

  /** Sets the model of the response as soon as it is known; undefined if the response was stopped in the meantime. */
  async #chooseModel(): Promise<string | undefined> {
    const { state, defaultModel } = this.#context;
    const model = await defaultModel();
    if (this.#isOver) return undefined;
    this.#response.setModel(model);
    state.selectModel(model);
    state.changeMessage(this.message);
    return model;
  }

  /** Closes the socket if it is still open and gives the message its final form. */
  #end(ending: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#retry = undefined;
    // A response that only looks finished is still being read.
    if (ending !== "complete" || this.#isSettling) this.#run?.stop();
    const isFailure = ending !== "complete" && ending !== "stopped";
    const message = this.#response.finish(
      isFailure ? { status: "failed", error: ending } : { status: ending },
    );
    this.#context.onEnd(message);
    this.#finish(message);
  }

  /** Why a response that ended normally is unusable; undefined if it is usable. */
  get #emptiness(): ErrorFacts | undefined {
    if (this.#response.hasContent) return undefined;
    const { finishReason, hasReasoning, model, usage } = this.#response;
    const contextLength = model === undefined ? undefined : this.#context.contextLength?.(model);
    return emptyResponse({ finishReason, hasReasoning, usage, contextLength });
  }

  /** Called before an event is processed, because listeners have to be ready for what follows. */
  #goOn({ type }: CompletionEvent): void {
    const grows = type === "text" || type === "reasoning" || type === "toolCall" || type === "reasoningEnd";
    if (type === "settling") this.#isSettling = true;
    else if (grows && this.#isSettling) {
      this.#isSettling = false;
      this.#showSettling();
    }
  }

  /** The response looks finished, or has continued after that. */
  #showSettling(): void {
    const [{ state }, { message }] = [this.#context, this];
    const isGoingOn = message.status === "streaming";
    state.emit({ type: isGoingOn ? "messageReplaced" : "messageChanged", message });
    state.emitStreaming();
  }

  #showRetry({ attempt, maxAttempts, waitMs, error, retryNow }: RetryNotice): void {
    if (this.#isOver) return;
    const dueAt = this.#context.now() + waitMs;
    const view = { attempt, maxAttempts, dueAt, error: error.facts, messageId: this.id };
    this.#retry = { view, now: retryNow };
    this.#context.state.emitStreaming();
  }

  #clearRetry(): void {
    if (this.#isOver || this.#retry === undefined) return;
    this.#retry = undefined;
    this.#context.state.emitStreaming();
  }
}

/** No part of an unknown error is shown, because it may contain anything. */
function unreadable(): ErrorFacts {
  return {
    reason: "malformed",
    message: t(
      "The response couldn't be read because of an error in the extension. The partial response was kept. See the log for details.",
    ),
  };
}

/**
 * The request for a response: the system prompt comes first, parameters become fields of the body, and unset ones are
 * not sent.
 */
function completionRequest(
  model: string,
  messages: readonly CompletionMessage[],
  { systemPrompt, parameters, whenTooLong }: ConversationSettings = {},
  offered: JsonObject = {},
): CompletionRequest {
  const system = systemPrompt === undefined ? [] : [{ role: "system", content: systemPrompt } as const];
  const all = { ...parameters, ...offered };
  return {
    model,
    messages: [...system, ...messages],
    stream: true,
    ...(whenTooLong === undefined ? {} : { whenTooLong }),
    ...(Object.keys(all).length === 0 ? {} : { parameters: all }),
  };
}
