import type { ToolCall } from "./completion.ts";
import type { ConversationSettings, Message } from "./conversation.ts";
import type { CallStart } from "./conversationStore.ts";
import type { JsonObject } from "../kernel/json.ts";
import { isInterrupted } from "./newMessage.ts";
import type { ToolPort, ToolResult } from "./toolPort.ts";
import { openCalls, ToolRounds } from "./toolRounds.ts";
import { toolParameters } from "./toolRequest.ts";

/** The session as its tools see it. */
export interface SessionToolsContext {
  readonly conversationId: string;
  readonly port: ToolPort | undefined;
  maxRounds(): number;
  /** Calls of one response that are run. */
  maxCalls(): number;
  settings(): ConversationSettings;
  /** The answer with the results that follow it on their way to the end of the conversation. */
  pathFrom(answer: Message): readonly Message[];
  /** Resolves with the message of a call that starts now, once it is on disk; otherwise with what keeps it from that. */
  startCall(
    place: ToolMessagePlace,
    call: ToolCall,
    mayBeUnwritten: boolean,
  ): Promise<Message | Exclude<CallStart, "started">>;
  /** Resolves once the message with the result of a call is on disk and was told. */
  addResult(place: ToolMessagePlace, call: ToolCall, result: ToolResult): Promise<void>;
  /** Begins the answer that follows this message, from the same model, and returns its id. */
  ask(parentId: string, model: string | undefined): string;
  /** The rounds of an answer have begun or ended. */
  onChange(): void;
  reportError(error: unknown): void;
}

/** Where the message of a call goes: after another one, or in the place of what stands for the call already. */
export type ToolMessagePlace = { readonly parentId: string } | { readonly replaces: Message };

/** The tools of one conversation: offered with each request, run when an answer asks for them. */
export class SessionTools {
  readonly #context: SessionToolsContext;
  #rounds: ToolRounds | undefined;
  /** The response whose calls are under way. */
  #caller: Message | undefined;
  #limitedId: string | undefined;
  #awaited: { readonly id: string; resolve(message: Message | undefined): void } | undefined;
  /** The messages of the calls that run here. */
  readonly #running = new Map<string, Message>();
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

  /** Whether the message stands for a call that runs here. */
  has(messageId: string): boolean {
    return this.#running.has(messageId);
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

  /** Another window has written these messages: where one of them is that of a call under way, the rest is left to it. */
  takeIn(messages: readonly Message[]): void {
    const caller = this.#caller;
    if (caller === undefined || this.#rounds === undefined) return;
    const results = new Set(this.#resultsOf(caller).map(({ id }) => id));
    if (messages.some(({ id }) => results.has(id) && !this.#running.has(id))) this.#rounds.leave();
  }

  /** VS Code ends: calls without a result stay without one, and can be run later. */
  dispose(): void {
    this.#isDisposed = true;
    this.stop();
  }

  async #run(answer: Message, port: ToolPort): Promise<void> {
    const { conversationId, maxRounds, maxCalls, settings, onChange, reportError } = this.#context;
    const rounds = new ToolRounds(
      {
        run: (call, caller) =>
          port.run(call, {
            conversationId,
            messageId: caller.id,
            tools: settings().tools ?? [],
            mayHaveRun: isInterrupted(this.#messageOf(call, caller)),
            recordStart: (mayBeUnwritten = false) => this.#recordStart(call, caller, mayBeUnwritten),
          }),
        openCalls: (caller) => {
          this.#caller = caller;
          return openCalls(this.#context.pathFrom(caller), 0);
        },
        hasStarted: (call, caller) => this.#running.has(this.#messageOf(call, caller)?.id ?? ""),
        addResult: (call, result, caller) => this.#addResult(call, result, caller),
        ask: (caller) => this.#ask(caller),
      },
      { maxRounds: maxRounds(), maxCalls: maxCalls() },
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
    this.#caller = undefined;
    if (!this.#isDisposed) onChange();
  }

  async #recordStart(call: ToolCall, caller: Message, mayBeUnwritten: boolean): Promise<CallStart> {
    if (this.#isDisposed) return "unwritten";
    const place = this.#placeOf(call, caller);
    // It was answered, or has started, in another window since the user was asked.
    if ("replaces" in place && !isInterrupted(place.replaces)) return "taken";
    const message = await this.#context.startCall(place, call, mayBeUnwritten);
    if (typeof message === "string") return message;
    this.#running.set(message.id, message);
    return "started";
  }

  async #addResult(call: ToolCall, result: ToolResult, caller: Message): Promise<void> {
    // What VS Code's end has cut off stays on disk as started: it may have done its work all the same.
    if (this.#isDisposed) return;
    const place = this.#placeOf(call, caller);
    await this.#context.addResult(place, call, result);
    if ("replaces" in place) this.#running.delete(place.replaces.id);
  }

  #placeOf(call: ToolCall, caller: Message): ToolMessagePlace {
    const replaces = this.#messageOf(call, caller);
    return replaces === undefined ? { parentId: this.#endOf(caller) } : { replaces };
  }

  /** What stands for the call already: it runs, or it was interrupted. */
  #messageOf({ id }: ToolCall, caller: Message): Message | undefined {
    return this.#resultsOf(caller).find(({ toolCallId }) => toolCallId === id);
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
    return this.#resultsOf(caller).at(-1)?.id ?? caller.id;
  }

  #resultsOf(caller: Message): readonly Message[] {
    const following = this.#context.pathFrom(caller).slice(1);
    const end = following.findIndex(({ role }) => role !== "tool");
    return end === -1 ? following : following.slice(0, end);
  }
}
