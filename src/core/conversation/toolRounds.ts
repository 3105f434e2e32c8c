import type { ToolCall } from "./completion.ts";
import type { Message } from "./conversation.ts";
import { isInterrupted } from "./newMessage.ts";
import type { ToolResult, ToolRun } from "./toolPort.ts";

/** `left`: another window goes on with the calls. `limit`: the model still asks for tools after so many rounds; its last calls have not been run. */
export type RoundsEnd = "done" | "stopped" | "left" | "limit";

/** The conversation as the rounds see it. */
export interface RoundsHost {
  run(call: ToolCall, answer: Message): ToolRun;
  /** Adds the message that answers the call; resolves once it is kept, so that the model may be told. */
  addResult(call: ToolCall, result: ToolResult, answer: Message): Promise<void>;
  /** The calls of the answer whose results are not there yet, or were lost. */
  openCalls(answer: Message): readonly ToolCall[];
  /** Whether the call has started here, so that its result is written here. */
  hasStarted(call: ToolCall, answer: Message): boolean;
  /** Asks the model again, after this answer and its results; undefined where the next one failed or was stopped. */
  ask(answer: Message): Promise<Message | undefined>;
}

export interface RoundsLimits {
  /** Rounds in a row. */
  readonly maxRounds: number;
  /** Calls of one response that are run. */
  readonly maxCalls: number;
}

function skippedCall(maxCalls: number): ToolResult {
  const text = `This call was not run: at most ${maxCalls} calls of one response are. Call the tool again if its result is still needed.`;
  return { outcome: "skipped", text };
}

/**
 * Runs what an answer asks for and asks the model again, until it asks for nothing more. The calls of one answer run
 * side by side; a result is added as soon as it is there.
 */
export class ToolRounds {
  readonly #host: RoundsHost;
  readonly #limits: RoundsLimits;
  readonly #runs = new Map<ToolRun, { readonly call: ToolCall; readonly answer: Message }>();
  #isStopped = false;
  #isLeft = false;

  constructor(host: RoundsHost, limits: RoundsLimits) {
    this.#host = host;
    this.#limits = limits;
  }

  /** `last` is the last answer that there was. */
  async follow(answer: Message): Promise<{ readonly end: RoundsEnd; readonly last: Message }> {
    let last = answer;
    for (let round = 0; last.toolCalls.length > 0; round++) {
      if (round >= this.#limits.maxRounds) return { end: "limit", last };
      await this.#runCalls(last);
      const next = this.#isStopped || this.#isLeft ? undefined : await this.#host.ask(last);
      if (next === undefined) break;
      last = next;
    }
    return { end: this.#isLeft ? "left" : this.#isStopped ? "stopped" : "done", last };
  }

  /**
   * Another window has started one of the calls: it goes on with the conversation, and is left those that have not
   * started here.
   */
  leave(): void {
    this.#isLeft = true;
    for (const [run, { call, answer }] of this.#runs) if (!this.#host.hasStarted(call, answer)) run.stop();
  }

  /** The user's stop: ends every call under way; the model is not asked again. */
  stop(): void {
    this.#isStopped = true;
    for (const run of this.#runs.keys()) run.stop();
  }

  /** Calls beyond the limit aren't run; the model learns it and may ask again in the next round. */
  async #runCalls(answer: Message): Promise<void> {
    const { maxCalls } = this.#limits;
    const open = this.#host.openCalls(answer);
    await Promise.all(open.slice(0, maxCalls).map((call) => this.#runCall(call, answer)));
    if (this.#isLeft) return;
    for (const call of open.slice(maxCalls)) await this.#host.addResult(call, skippedCall(maxCalls), answer);
  }

  async #runCall(call: ToolCall, answer: Message): Promise<void> {
    const run = this.#host.run(call, answer);
    this.#runs.set(run, { call, answer });
    const result = await run.result;
    this.#runs.delete(run);
    if (result.outcome === "taken") return this.leave();
    if (this.#isLeft && !this.#host.hasStarted(call, answer)) return;
    await this.#host.addResult(call, result, answer);
  }
}

/**
 * The calls with ids that tell them apart: some servers send none, or the same for all. Deterministic, so that a
 * message frozen twice is the same.
 */
export function withCallIds(messageId: string, calls: readonly ToolCall[]): readonly ToolCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const id = call.id === "" || taken.has(call.id) ? `${messageId}-${index}` : call.id;
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

/**
 * The calls of the message at `index` of a path that can be run: no message behind it answers them, or the answer was
 * lost when VS Code ended. One that is running, here or in another window, is none of them.
 */
export function openCalls(path: readonly Message[], index: number): readonly ToolCall[] {
  const answered = new Set<string | undefined>();
  for (let at = index + 1; path[at]?.role === "tool"; at++)
    if (!isInterrupted(path[at])) answered.add(path[at]?.toolCallId);
  return path[index]?.toolCalls.filter(({ id }) => !answered.has(id)) ?? [];
}
