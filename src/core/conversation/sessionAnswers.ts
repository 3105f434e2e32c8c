import type { CompletionPort } from "./completion.ts";
import { completionMessages } from "./completionMessages.ts";
import { continuationMessages, continuedFrom } from "./continuation.ts";
import type { Message } from "./conversation.ts";
import type { OpenConversation } from "./openConversation.ts";
import type { RetryView } from "./sessionEvent.ts";
import { SessionTools } from "./sessionTools.ts";
import type { ToolPort } from "./toolPort.ts";
import { Turns } from "./turns.ts";
import type { RequestChanges } from "./turns.ts";

export interface SessionAnswersContext {
  readonly completions: CompletionPort;
  /** Without it no answer is offered tools. */
  readonly tools?: ToolPort;
  /** How often the model may be asked again with the results of its tools; 10 unless given. */
  maxToolRounds?(): number;
  maxToolCallsPerRound?(): number;
  /** Milliseconds since 1970. */
  now(): number;
  /** The model for a conversation that has none yet. Rejects with a ServiceError where none can be had. */
  defaultModel(): Promise<string>;
  /** For the log: why an answer failed. */
  reportError(error: unknown): void;
}

export interface AnswerOptions {
  /** Instead of the conversation's own. */
  readonly models?: readonly string[];
  /** The answer to go on with. */
  readonly broken?: Message;
  readonly changes?: RequestChanges;
}

/** How often the model may be asked again with the results of its tools. */
const defaultMaxRounds = 10;
const defaultMaxCalls = 20;

/** None of them means anything without the others. */
const toolMembers: readonly string[] = ["tools", "tool_choice", "parallel_tool_calls"];

/** The answers to one conversation: asked of its models, taken in as they come, followed by what their tools give. */
export class SessionAnswers {
  readonly #conversation: OpenConversation;
  readonly #turns: Turns;
  readonly #tools: SessionTools;
  /** By model: members of the body that it has rejected, as long as the conversation is open. */
  readonly #rejected = new Map<string, ReadonlySet<string>>();

  constructor(conversation: OpenConversation, context: SessionAnswersContext) {
    this.#conversation = conversation;
    this.#turns = this.#createTurns(context);
    this.#tools = this.#createTools(context);
  }

  /** Whether something is coming that doesn't look finished. */
  get isStreaming(): boolean {
    return this.#turns.isBusy || this.#tools.isBusy;
  }

  /** Whether something may still come, though it looks finished. */
  get isOpen(): boolean {
    return !this.#turns.isEmpty || this.#tools.isBusy;
  }

  /** The answer whose calls were not run because there had been too many rounds of them. */
  get limitedId(): string | undefined {
    return this.#tools.limitedId;
  }

  get retryView(): RetryView | undefined {
    const { retry } = this.#turns;
    if (retry === undefined || this.#conversation.tree.comparison.length === 0) return retry;
    const { attempt, maxAttempts, dueAt, error } = retry;
    return { attempt, maxAttempts, dueAt, error };
  }

  /** Whether the message grows here: a response that is coming in, or a tool that runs. */
  has(messageId: string): boolean {
    return this.#turns.has(messageId) || this.#tools.has(messageId);
  }

  /** The message as it is now. */
  current(message: Message): Message {
    return this.#turns.current(message);
  }

  /** Begins an answer from each model to what the path ends with, and returns their ids. */
  begin({ models, broken, changes }: AnswerOptions = {}): readonly string[] {
    const { tree, model: ownModel } = this.#conversation;
    const parentId = broken === undefined ? tree.path.at(-1)?.id : broken.parentId;
    const path = parentId === undefined ? [] : tree.pathTo(parentId);
    const told = completionMessages(path.map((message) => this.current(message)));
    const messages = broken === undefined ? told : continuationMessages(told, broken.text);
    return (models ?? [broken?.model ?? ownModel]).map((model) => {
      const fresh = this.#conversation.createAnswer(parentId, model);
      const start = broken === undefined ? fresh : continuedFrom(broken, fresh);
      this.#turns.begin(start, messages, changes);
      this.#conversation.addMessage(start, () => this.#turns.growing(start));
      this.#tellStreaming();
      return start.id;
    });
  }

  /** From now on this model is asked without the member of the body. */
  leaveOut(model: string, member: string): void {
    const members = toolMembers.includes(member) ? toolMembers : [member];
    this.#rejected.set(model, new Set([...(this.#rejected.get(model) ?? []), ...members]));
  }

  /** Runs the calls of an answer that have no results yet, and goes on with the model. */
  followTools(caller: Message): void {
    this.#tools.follow(caller);
  }

  /** Another window has written these messages. */
  takeIn(messages: readonly Message[]): void {
    this.#tools.takeIn(messages);
  }

  /** The user's stop of one answer, or of all with their tools. */
  stop(messageId?: string): void {
    if (messageId === undefined) this.#tools.stop();
    this.#turns.stop(messageId);
  }

  /** Closes the sockets because VS Code ends: what came is kept as cut. */
  interrupt(): void {
    this.#tools.dispose();
    this.#turns.interrupt();
  }

  /** Ends what looks finished without waiting for more. */
  settle(): void {
    this.#turns.settle();
  }

  /** Ends the wait before the next attempt. */
  retryNow(): void {
    this.#turns.retryNow();
  }

  #createTurns({ completions, now, defaultModel, reportError }: SessionAnswersContext): Turns {
    const conversation = this.#conversation;
    return new Turns({
      completions,
      now,
      defaultModel,
      reportError,
      parameters: (settings) => this.#tools.parameters(settings),
      without: (model) => [...(this.#rejected.get(model) ?? [])],
      onDelta: (messageId, delta) => conversation.growMessage(messageId, delta),
      onToolCall: (message) => conversation.emit({ type: "messageChanged", message }),
      onRewritten: (message) => conversation.rewriteMessage(message),
      onSettling: (message) => {
        const isGoingOn = message.status === "streaming";
        conversation.emit({ type: isGoingOn ? "messageReplaced" : "messageChanged", message });
        this.#tellStreaming();
      },
      onModel: (model, message) => {
        conversation.selectModel(model);
        conversation.changeMessage(message);
      },
      onRetry: () => this.#tellStreaming(),
      onEnd: (message) => this.#end(message),
    });
  }

  #createTools({
    tools,
    maxToolRounds,
    maxToolCallsPerRound,
    reportError,
  }: SessionAnswersContext): SessionTools {
    const conversation = this.#conversation;
    return new SessionTools({
      conversationId: conversation.id,
      port: tools,
      maxRounds: () => maxToolRounds?.() ?? defaultMaxRounds,
      maxCalls: () => maxToolCallsPerRound?.() ?? defaultMaxCalls,
      settings: () => conversation.settings,
      pathFrom: (answer) => conversation.tree.pathFrom(answer.id),
      startCall: (place, call, mayBeUnwritten) => conversation.startTool(place, call, mayBeUnwritten),
      addResult: (place, call, result) => conversation.finishTool(place, call, result),
      ask: (parentId, model) => {
        conversation.tree.end(parentId);
        return this.begin(model === undefined ? {} : { models: [model] })[0] ?? "";
      },
      onChange: () => this.#tellStreaming(),
      reportError,
    });
  }

  #end(answer: Message): void {
    this.#conversation.finishMessage(answer);
    const { comparison } = this.#conversation.tree;
    const isFollowed = this.#conversation.tree.pathFrom(answer.id).length > 1;
    // Answers that are compared ask for nothing before one of them is chosen, and none does behind which more was said.
    if (comparison.length === 0 && !isFollowed) this.#tools.hear(answer);
    this.#tellStreaming();
  }

  #tellStreaming(): void {
    const { isStreaming, retryView: retry } = this;
    this.#conversation.emit({ type: "streaming", isStreaming, ...(retry === undefined ? {} : { retry }) });
  }
}
