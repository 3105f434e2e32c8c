import type { ToolCall } from "./completion.ts";
import { endingOf } from "./finishReason.ts";
import type { Message } from "./conversation.ts";
import type { ConversationState } from "./conversationState.ts";
import type { CallStart } from "./conversationStore.ts";
import { isInterrupted, newRunningTool, newToolMessage } from "./forkConversation.ts";
import { toolReplies } from "./toolPort.ts";
import type { ToolPort, ToolResult, ToolRun } from "./toolPort.ts";

interface ToolRoundsContext {
  readonly state: ConversationState;
  /** Without it, no tool is run. */
  readonly port: ToolPort | undefined;
  /** Maximum number of consecutive rounds. */
  maxRounds(): number;
  /** Requests the response that follows this message, from the same model; resolves with its final form. */
  complete(parentId: string, model: string | undefined): Promise<Message>;
  reportError(error: unknown): void;
}

/** More calls than this in one response are usually a mistake of the model, which is told that it may make them again. */
const maxCalls = 20;

/**
 * The tools of one conversation. The start of a call is on disk before the call is invoked or shown, and its result is
 * on disk before it is sent to the model.
 */
export class ToolRounds {
  readonly #context: ToolRoundsContext;
  /** The messages of the calls that are running here. */
  readonly #running = new Map<string, Message>();
  /** IDs of the messages of calls whose start is being written. */
  readonly #starting = new Set<string>();
  readonly #runs = new Map<ToolRun, { readonly call: ToolCall; readonly caller: Message }>();
  /** The response whose calls are in progress. */
  #caller: Message | undefined;
  #isStopped = false;
  /** Whether another window continues with the calls. */
  #isLeft = false;
  #isDisposed = false;
  #rounds: Promise<void> = Promise.resolve();

  constructor(context: ToolRoundsContext) {
    this.#context = context;
  }

  /** Whether the message belongs to a call that is running here. */
  has(messageId: string): boolean {
    return this.#running.has(messageId);
  }

  /** Whether a response that has just ended calls tools and the conversation has tools. */
  areAskedBy({ status, toolCalls }: Message): boolean {
    const { port, state } = this.#context;
    const hasTools = port !== undefined && (state.settings.tools ?? []).length > 0;
    return hasTools && status === "complete" && toolCalls.length > 0;
  }

  /**
   * Runs the calls of a response that have no results yet and requests another response, until the model makes no more
   * tool calls.
   */
  follow(first: Message): Promise<void> {
    const { state, port } = this.#context;
    if (!state.isRunningTools && port !== undefined) this.#rounds = this.#follow(first, port);
    return this.#rounds;
  }

  async #follow(first: Message, port: ToolPort): Promise<void> {
    const { state, complete, reportError } = this.#context;
    const maxRounds = this.#context.maxRounds();
    this.#isStopped = false;
    this.#isLeft = false;
    state.limitedId = undefined;
    state.isRunningTools = true;
    state.emitStreaming();
    try {
      let response = first;
      let rounds = 0;
      while (response.toolCalls.length > 0) {
        if (++rounds > maxRounds) {
          state.limitedId = response.id;
          break;
        }
        await this.#runCalls(response, port);
        if (this.#isStopped || this.#isLeft || endingOf(response.finishReason) === "length") break;
        response = await complete(this.#endOf(response), response.model);
        if (response.status !== "complete") break;
      }
    } catch (error) {
      reportError(error);
    }
    this.#caller = undefined;
    state.isRunningTools = false;
    if (!this.#isDisposed) state.emitStreaming();
  }

  /**
   * Called when the user stops: ends every call in progress, records that in the results, and doesn't request another
   * response. Resolves when they have ended.
   */
  stop(): Promise<void> {
    this.#isStopped = true;
    for (const run of this.#runs.keys()) run.stop();
    return this.#rounds;
  }

  /**
   * Handles messages that another window has written. If one of them belongs to a call in progress, the remaining calls
   * are left to that window.
   */
  takeIn(messages: readonly Message[]): void {
    const caller = this.#caller;
    if (caller === undefined) return;
    const results = new Set(this.#resultsOf(caller).map(({ id }) => id));
    const underWay = new Set([...this.#runs.values()].map(({ call }) => call.id));
    // An interrupted call isn't running anywhere; for a call whose start is being written here, the store decides.
    const isElsewhere = (message: Message): boolean =>
      results.has(message.id) &&
      underWay.has(message.toolCallId ?? "") &&
      !isInterrupted(message) &&
      !this.has(message.id) &&
      !this.#starting.has(message.id);
    if (messages.some(isElsewhere)) this.#leave();
  }

  /** VS Code exits: calls without a result stay without one and can be run later. */
  dispose(): void {
    this.#isDisposed = true;
    void this.stop();
  }

  /**
   * Runs the calls of one response in parallel. Calls beyond the limit aren't run; the model may make them again. Those
   * of a response that was cut off at its token limit aren't run, and would be cut off again if they were repeated.
   */
  async #runCalls(caller: Message, port: ToolPort): Promise<void> {
    this.#caller = caller;
    const open = openCalls(this.#context.state.tree.pathFrom(caller.id), 0);
    if (endingOf(caller.finishReason) === "length") {
      for (const call of open) await this.#addResult(call, toolReplies.cut, caller);
      return;
    }
    await Promise.all(open.slice(0, maxCalls).map((call) => this.#runCall(call, caller, port)));
    if (this.#isLeft) return;
    for (const call of open.slice(maxCalls))
      await this.#addResult(call, toolReplies.skipped(maxCalls), caller);
  }

  async #runCall(call: ToolCall, caller: Message, port: ToolPort): Promise<void> {
    const { state } = this.#context;
    const run = port.run(call, {
      conversationId: state.id,
      messageId: caller.id,
      path: state.tree.pathTo(caller.id),
      tools: state.settings.tools ?? [],
      mayHaveRun: isInterrupted(this.#messageOf(call, caller)),
      recordStart: (mayBeUnwritten = false) => this.#recordStart(call, caller, mayBeUnwritten),
    });
    this.#runs.set(run, { call, caller });
    const result = await run.result;
    this.#runs.delete(run);
    if (result.outcome === "taken") return this.#leave();
    if (this.#isLeft && !this.#hasStarted(call, caller)) return;
    await this.#addResult(call, result, caller);
  }

  /** Another window has started one of the calls: the calls that have not started here are left to it. */
  #leave(): void {
    this.#isLeft = true;
    for (const [run, { call, caller }] of this.#runs) if (!this.#hasStarted(call, caller)) run.stop();
  }

  /** Whether the call has started here, so that its result is written here. */
  #hasStarted(call: ToolCall, caller: Message): boolean {
    return this.has(this.#messageOf(call, caller)?.id ?? "");
  }

  /**
   * Resolves once the start of the call is on disk. Only then are listeners notified. If it can't be written, or
   * another window has started the call, nothing has changed.
   * @param mayBeUnwritten The user accepts that it isn't on disk for now.
   */
  async #recordStart(call: ToolCall, caller: Message, mayBeUnwritten: boolean): Promise<CallStart> {
    if (this.#isDisposed) return "unwritten";
    const { state } = this.#context;
    const known = this.#messageOf(call, caller);
    // The call got its result, or was started, in another window since the user was asked.
    if (known !== undefined && !isInterrupted(known)) return "taken";
    const message = newRunningTool(known ?? state.createOrigin(this.#endOf(caller)), call.id);
    if (mayBeUnwritten) state.putMessage(message);
    else {
      // Calls that start in parallel follow each other, so the position is taken immediately.
      state.placeMessage(message);
      this.#starting.add(message.id);
      const start = await state.store
        .startCall(state.id, message)
        .finally(() => this.#starting.delete(message.id));
      if (start !== "started") {
        if (known === undefined) state.tree.remove(message);
        else state.tree.replace(known);
        return start;
      }
    }
    this.#running.set(message.id, message);
    state.emit({ type: known === undefined ? "messageAdded" : "messageChanged", message });
    return "started";
  }

  /** Resolves once the result is on disk, as far as possible, and listeners have been notified. */
  async #addResult(call: ToolCall, result: ToolResult, caller: Message): Promise<void> {
    // A call that was cut off when VS Code exited stays on disk as started, because it may have done its work anyway.
    if (this.#isDisposed) return;
    const { state } = this.#context;
    const started = this.#messageOf(call, caller);
    const message = newToolMessage(started ?? state.createOrigin(this.#endOf(caller)), call.id, result);
    if (started === undefined) state.putMessage(message);
    else state.store.save({ type: "message", conversationId: state.id, message });
    await state.store.persist();
    state.tree.replace(message);
    state.emit({ type: started === undefined ? "messageAdded" : "messageChanged", message });
    this.#running.delete(message.id);
  }

  /** The existing message of the call, which is running or was interrupted. */
  #messageOf({ id }: ToolCall, caller: Message): Message | undefined {
    return this.#resultsOf(caller).find(({ toolCallId }) => toolCallId === id);
  }

  /** The last of the results that follow the response; the response itself if there is none yet. */
  #endOf(caller: Message): string {
    return this.#resultsOf(caller).at(-1)?.id ?? caller.id;
  }

  #resultsOf(caller: Message): readonly Message[] {
    const following = this.#context.state.tree.pathFrom(caller.id).slice(1);
    const end = following.findIndex(({ role }) => role !== "tool");
    return end === -1 ? following : following.slice(0, end);
  }
}

/**
 * The calls of the message at `index` of a path that can be run: no later message contains their result, or their
 * result was lost when VS Code exited. Calls that are running, here or in another window, are excluded.
 */
export function openCalls(path: readonly Message[], index: number): readonly ToolCall[] {
  const answered = new Set<string | undefined>();
  for (let at = index + 1; path[at]?.role === "tool"; at++)
    if (!isInterrupted(path[at])) answered.add(path[at]?.toolCallId);
  return path[index]?.toolCalls.filter(({ id }) => !answered.has(id)) ?? [];
}
