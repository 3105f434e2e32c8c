import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Message } from "../../core/conversation/conversation.ts";
import { cutResponse, interruptedTool } from "../../core/conversation/forkConversation.ts";
import { hasProcess, processStart } from "../files/hasProcess.ts";
import type { Change, Tables } from "./tables.ts";

/** How often a window that writes a message says that it is alive, in milliseconds. */
const renewalMs = 5_000;
/** Milliseconds for which it then counts as alive: longer than any healthy process is silent. */
const aliveForMs = renewalMs + 8_000;

/**
 * The messages that this window is writing. Only the window that has requested a response writes it, for as long as it
 * takes; whether that window is still alive only decides how others show the message.
 */
export class WindowWriter {
  /** Identifies this window in the rows of its messages: the host, the process, its start, and something unique. */
  readonly id = `${hostname()} ${process.pid} ${processStart(process.pid)} ${randomUUID()}`;
  readonly #now: () => number;
  readonly #renew: () => void;
  /** Returns the current state of each message that grows here, if the caller has said how, by `keyOf`. */
  readonly #growing = new Map<string, (() => Message) | undefined>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param now Milliseconds since 1970.
   * @param renew Calls `renew` in a transaction of its own; a failure doesn't matter.
   */
  constructor(now: () => number, renew: () => void) {
    this.#now = now;
    this.#renew = renew;
  }

  has(conversationId: string, messageId: string): boolean {
    return this.#growing.has(keyOf(conversationId, messageId));
  }

  /** The message is written here from now on, until it has its final form. */
  follow(conversationId: string, message: Message, current?: () => Message): void {
    const key = keyOf(conversationId, message.id);
    if (message.status !== "streaming") this.#growing.delete(key);
    else this.#growing.set(key, current ?? this.#growing.get(key));
    if (this.#growing.size > 0) this.#timer ??= setInterval(this.#renew, renewalMs).unref();
    else this.#rest();
  }

  deleteConversation(id: string): void {
    for (const key of this.#growing.keys()) if (key.startsWith(keyOf(id, ""))) this.#growing.delete(key);
    if (this.#growing.size === 0) this.#rest();
  }

  /** Says that this window is alive. Call it in a transaction. */
  renew(tables: Tables): void {
    tables.claims.renew("window", this.id, this.#now() + aliveForMs);
  }

  /**
   * Makes a change of this window in the caller's transaction. A growing message that another window has removed,
   * because it seemed to be interrupted and empty, is written again as a whole.
   * @param rewritten The messages that were written as a whole in this transaction, with everything pending.
   */
  apply(tables: Tables, change: Change, rewritten: Set<string>): void {
    if (change.type === "message" && change.message.status === "streaming") this.renew(tables);
    if (change.type !== "growth") return void tables.apply(change, this.id);
    const key = keyOf(change.conversationId, change.messageId);
    if (rewritten.has(key) || tables.apply(change, this.id)) return;
    const current = this.#growing.get(key)?.();
    if (current === undefined) return;
    tables.writer.putMessage(change.conversationId, { ...current, status: "streaming" }, this.id);
    rewritten.add(key);
  }

  /**
   * Whether this window or another one is known to be alive. On the same machine, its process tells, also while it is
   * suspended. Otherwise, it has to say so, which takes a few seconds after a clock was set.
   */
  isAlive(tables: Tables, windowId: string): boolean {
    const until = tables.claims.until("window", windowId);
    if (until === undefined) return false;
    const [host, processId, start] = windowId.split(" ");
    if (host === hostname() && start !== "") return processStart(Number(processId)) === start;
    if (host === hostname() && !hasProcess(Number(processId))) return false;
    // The clocks of two machines may differ by as much.
    return Math.abs(until - aliveForMs - this.#now()) <= aliveForMs;
  }

  /** Nothing is written here any more. Call it in a transaction. */
  release(tables: Tables): void {
    tables.claims.release("window", this.id);
  }

  dispose(): void {
    this.#growing.clear();
    this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** How a message is shown whose window is no longer alive. */
export function settleMessage(message: Message): Message {
  return message.role === "tool" ? interruptedTool(message) : cutResponse(message);
}

function keyOf(conversationId: string, messageId: string): string {
  return `${conversationId}\n${messageId}`;
}
