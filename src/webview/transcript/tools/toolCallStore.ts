import type { Message } from "../../../core/conversation/conversation.ts";
import type { LiveCall, ToolsView } from "../../../core/responses/tools/liveCalls.ts";

/**
 * Everything known about the responses' tool calls, whatever the source: results from messages, the rest from the host.
 */
export class ToolCallStore {
  readonly #results = new Map<string, Message>();
  /** The response that a result belongs to, by the result's ID. */
  readonly #owners = new Map<string, string>();
  readonly #watchers = new Map<string, () => void>();
  #view: ToolsView = { calls: [] };
  #isBusy = false;

  /** Adds a message with a call's result. The first follows its response, the others follow each other. */
  put(message: Message): void {
    const { id, parentId = "", toolCallId = "" } = message;
    const owner = this.#owners.get(parentId) ?? parentId;
    this.#owners.set(id, owner);
    this.#results.set(key(owner, toolCallId), message);
    this.#watchers.get(owner)?.();
  }

  show(view: ToolsView): void {
    const old = this.#view;
    this.#view = view;
    const changed = [...old.calls, ...view.calls].map(({ messageId }) => messageId);
    const limits = [old.limit?.messageId, view.limit?.messageId];
    for (const id of new Set([...changed, ...limits])) if (id !== undefined) this.#watchers.get(id)?.();
  }

  /** Calls back when something about this response's calls has changed. */
  watch(messageId: string, listener: () => void): void {
    this.#watchers.set(messageId, listener);
  }

  /** Called when this response's calls are no longer shown. */
  unwatch(messageId: string): void {
    this.#watchers.delete(messageId);
  }

  result(messageId: string, callId: string): Message | undefined {
    return this.#results.get(key(messageId, callId));
  }

  live(messageId: string, callId: string): LiveCall | undefined {
    return this.#view.calls.find((call) => call.messageId === messageId && call.callId === callId);
  }

  /** Whether this window is working on the conversation. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  set isBusy(isBusy: boolean) {
    if (this.#isBusy === isBusy) return;
    this.#isBusy = isBusy;
    for (const show of this.#watchers.values()) show();
  }

  /** The number of rounds after which the response's calls were no longer run. */
  limit(messageId: string): number | undefined {
    return this.#view.limit?.messageId === messageId ? this.#view.limit.rounds : undefined;
  }
}

function key(messageId: string, callId: string): string {
  return `${messageId}\n${callId}`;
}
