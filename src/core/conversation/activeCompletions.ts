import { completionMessages } from "./completionMessages.ts";
import { continuationMessages, continuedFrom } from "./continuation.ts";
import type { ConversationSettings, Message } from "./conversation.ts";
import type { ConversationState } from "./conversationState.ts";
import type { JsonObject } from "../kernel/json.ts";
import { toolParameters } from "./toolPort.ts";
import { ToolRounds } from "./toolRounds.ts";
import { ActiveCompletion } from "./activeCompletion.ts";
import type { ActiveCompletionsContext, RequestChanges } from "./activeCompletion.ts";

interface ResponseOptions {
  /** Used instead of the conversation's own model. */
  readonly models?: readonly string[];
  /** The response to continue with. */
  readonly broken?: Message;
  readonly changes?: RequestChanges;
}

/** How often the model may be called again with the results of its tools. */
const defaultMaxRounds = 10;

/**
 * The responses in one conversation: requests them from its models, collects them as they arrive, and continues with
 * the results of their tools.
 */
export class ActiveCompletions {
  readonly #state: ConversationState;
  readonly #context: ActiveCompletionsContext;
  readonly #active: Map<string, ActiveCompletion>;
  readonly #tools: ToolRounds;

  /** @param active The responses in progress; more than one only when models are compared. */
  constructor(
    state: ConversationState,
    active: Map<string, ActiveCompletion>,
    context: ActiveCompletionsContext,
  ) {
    this.#state = state;
    this.#context = context;
    this.#active = active;
    this.#tools = new ToolRounds({
      state,
      port: context.tools,
      maxRounds: () => context.maxToolRounds?.() ?? defaultMaxRounds,
      complete: (parentId, model) => this.#complete(parentId, model),
      reportError: (error) => context.reportError(error),
    });
  }

  /** Whether the message is growing here: a response in progress, or a running tool. */
  has(messageId: string): boolean {
    return this.#active.has(messageId) || this.#tools.has(messageId);
  }

  /** Merges messages that another window has written. */
  takeIn(messages: readonly Message[]): void {
    this.#tools.takeIn(messages);
  }

  /** Starts a response from each model to the end of the path, and returns the IDs of the responses. */
  begin(options: ResponseOptions = {}): readonly string[] {
    const { tree } = this.#state;
    const parentId = options.broken === undefined ? tree.path.at(-1)?.id : options.broken.parentId;
    const leave = (): void => tree.end(parentId);
    return this.#begin(parentId, options, leave).map(({ id }) => id);
  }

  /** Runs the calls of a response that have no results yet, and then continues with the model. */
  followTools(caller: Message): void {
    void this.#tools.follow(caller);
  }

  /** Stops one response for the user, or all of them along with their tools. Resolves when the tools have ended, too. */
  async stop(messageId?: string): Promise<void> {
    const ended = messageId === undefined ? this.#tools.stop() : undefined;
    for (const completion of [...this.#active.values()])
      if (messageId === undefined || completion.id === messageId) completion.stop();
    await ended;
  }

  /** Closes the sockets because VS Code exits. Partial responses are kept as truncated. */
  interrupt(): void {
    this.#tools.dispose();
    for (const completion of [...this.#active.values()]) completion.interrupt();
  }

  /** Ends any response that looks finished without waiting for more. */
  settle(): void {
    for (const completion of [...this.#active.values()]) completion.settle();
  }

  /** Requests the response that follows this message; resolves with its final form. */
  #complete(parentId: string, model: string | undefined): Promise<Message> {
    const [completion] = this.#begin(parentId, model === undefined ? {} : { models: [model] });
    if (completion === undefined) return Promise.reject(new Error("No response was requested."));
    return completion.finished;
  }

  /** @param show Called before each response, so that it is shown instead of the current path. */
  #begin(
    parentId: string | undefined,
    { models, broken, changes = {} }: ResponseOptions,
    show: () => void = () => undefined,
  ): readonly ActiveCompletion[] {
    const state = this.#state;
    const history = completionMessages(parentId === undefined ? [] : state.pathTo(parentId));
    const messages = broken === undefined ? history : continuationMessages(history, broken.text);
    const all = models ?? [broken?.model ?? state.model];
    return all.map((model) => {
      const fresh = state.createResponse(parentId, model);
      const start = broken === undefined ? fresh : continuedFrom(broken, fresh);
      const completion = new ActiveCompletion(start, {
        ...this.#context,
        state,
        parameters: (settings) => this.#offeredTools(settings),
        onEnd: (message) => this.#end(message, all.length === 1),
      });
      this.#active.set(completion.id, completion);
      void completion.run(messages, changes);
      show();
      state.addMessage(start, () => completion.growing);
      state.emitStreaming();
      return completion;
    });
  }

  /** What is added to a request with these settings. */
  async #offeredTools({ tools = [] }: ConversationSettings = {}): Promise<JsonObject> {
    const port = this.#context.tools;
    if (port === undefined || tools.length === 0) return {};
    return toolParameters(await port.definitions(tools));
  }

  /** @param isOnly Whether no other model was asked at the same time. */
  #end(response: Message, isOnly: boolean): void {
    const { tree } = this.#state;
    this.#active.delete(response.id);
    this.#state.finishMessage(response);
    const isFollowed = tree.pathFrom(response.id).length > 1;
    // When there are several responses, one has to be chosen first, and nothing may come between a message and its
    // response.
    const isChosen = isOnly || (tree.comparison.length === 0 && tree.path.at(-1)?.id === response.id);
    const mayCall = isChosen && !isFollowed;
    if (mayCall && this.#tools.areAskedBy(response)) void this.#tools.follow(response);
    this.#state.emitStreaming();
  }
}
