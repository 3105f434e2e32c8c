import type { ToolCall } from "./completion.ts";
import type { ConversationSettings, Message } from "./conversation.ts";
import type { JsonObject } from "./json.ts";
import type { ToolPort, ToolResult } from "./toolPort.ts";
import { openCalls, ToolRounds } from "./toolRounds.ts";
import { toolParameters } from "./tools/toolRequest.ts";

/** The session as its tools see it. */
export interface SessionToolsContext {
  readonly conversationId: string;
  readonly port: ToolPort | undefined;
  maxRounds(): number;
  settings(): ConversationSettings;
  /** The answer with the results that follow it on their way to the end of the conversation. */
  pathFrom(answer: Message): readonly Message[];
  addResult(parentId: string, call: ToolCall, result: ToolResult): void;
  /** Begins the answer that follows this message, from the same model, and returns its id. */
  ask(parentId: string, model: string | undefined): string;
  /** The rounds of an answer have begun or ended. */
  onChange(): void;
  reportError(error: unknown): void;
}

/** The tools of one conversation: offered with each request, run when an answer asks for them. */
export class SessionTools {
  readonly #context: SessionToolsContext;
  #rounds: ToolRounds | undefined;
  #limitedId: string | undefined;
  #awaited: { readonly id: string; resolve(message: Message | undefined): void } | undefined;
  #isDisposed = false;

  constructor(context: SessionToolsContext) {
    this.#context = context;
  }

  /** Whether calls are running, or the model is being asked with their results. */
  get isBusy(): boolean {
    return this.#rounds !== undefined;
  }

  /** The answer whose calls were not run because there had been too many rounds. */
  get limitedId(): string | undefined {
    return this.#limitedId;
  }

  /** What is added to a request with these settings. */
  async parameters({ tools = [] }: ConversationSettings = {}): Promise<JsonObject> {
    const { port } = this.#context;
    if (port === undefined || tools.length === 0) return {};
    return toolParameters(await port.definitions(tools));
  }

  /** An answer has its final form: the rounds go on with it, or begin. */
  hear(answer: Message): void {
    const isWhole = answer.status === "complete";
    if (this.#awaited?.id === answer.id) {
      const { resolve } = this.#awaited;
      this.#awaited = undefined;
      return resolve(isWhole ? answer : undefined);
    }
    const { port, settings } = this.#context;
    const hasTools = port !== undefined && (settings().tools ?? []).length > 0;
    if (isWhole && hasTools && answer.toolCalls.length > 0) this.follow(answer);
  }

  /** Runs the calls of an answer that have no results yet, and goes on. */
  follow(answer: Message): void {
    if (this.isBusy || this.#context.port === undefined) return;
    this.#limitedId = undefined;
    void this.#run(answer, this.#context.port);
  }

  /** The user's stop: what runs is cancelled, and told to the model as stopped. */
  stop(): void {
    this.#rounds?.stop();
  }

  /** VS Code ends: calls without a result stay without one, and can be run later. */
  dispose(): void {
    this.#isDisposed = true;
    this.stop();
  }

  async #run(answer: Message, port: ToolPort): Promise<void> {
    const { conversationId, maxRounds, settings, onChange, reportError } = this.#context;
    const rounds = new ToolRounds(
      {
        run: (call, { id: messageId }) =>
          port.run(call, { conversationId, messageId, tools: settings().tools ?? [] }),
        openCalls: (caller) => openCalls(this.#context.pathFrom(caller), 0),
        addResult: (call, result, caller) => this.#addResult(call, result, caller),
        ask: (caller) => this.#ask(caller),
      },
      maxRounds(),
    );
    this.#rounds = rounds;
    onChange();
    try {
      const { end, last } = await rounds.follow(answer);
      if (end === "limit") this.#limitedId = last.id;
    } catch (error) {
      reportError(error);
    }
    this.#rounds = undefined;
    if (!this.#isDisposed) onChange();
  }

  #addResult(call: ToolCall, result: ToolResult, caller: Message): void {
    if (!this.#isDisposed) this.#context.addResult(this.#endOf(caller), call, result);
  }

  #ask(caller: Message): Promise<Message | undefined> {
    if (this.#isDisposed) return Promise.resolve(undefined);
    const id = this.#context.ask(this.#endOf(caller), caller.model);
    return new Promise((resolve) => {
      this.#awaited = { id, resolve };
    });
  }

  /** The last of the results that follow the answer; the answer itself where there is none yet. */
  #endOf(caller: Message): string {
    const path = this.#context.pathFrom(caller);
    const results = path.slice(1).findIndex(({ role }) => role !== "tool");
    return path.at(results === -1 ? -1 : results)?.id ?? caller.id;
  }
}
