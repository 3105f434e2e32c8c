/**
 * Why a conversation wants the user's attention: its response is complete, has failed, or waits for the user to approve
 * a tool call.
 */
export type ReadyState = "complete" | "failed" | "waiting";

/** Something that has happened in a conversation. */
export interface ReadyEvent {
  readonly conversationId: string;
  readonly state: ReadyState;
  /** Whether the user sees the chat if they look at the window. */
  readonly isVisible: boolean;
  readonly isWindowFocused: boolean;
  /** Milliseconds since the response was requested. */
  readonly tookMs: number;
}

/** The conversations in which something has happened that the user hasn't seen. */
export class ReadyMarks {
  readonly #marks = new Map<string, ReadyState>();

  /** Undefined if the user has seen everything. */
  of(conversationId: string): ReadyState | undefined {
    return this.#marks.get(conversationId);
  }

  /**
   * Marks a hidden conversation. Returns whether the user, who is elsewhere, should get a notification.
   * @param notifyAfterMs Milliseconds that a response must have taken for that; undefined if there are none.
   */
  add(event: ReadyEvent, notifyAfterMs: number | undefined): boolean {
    const { conversationId, state, isVisible, isWindowFocused, tookMs } = event;
    if (!isVisible) this.#marks.set(conversationId, state);
    return !isWindowFocused && notifyAfterMs !== undefined && tookMs >= notifyAfterMs;
  }

  /** Returns whether the conversation was marked. A mark with another state than the given one stays. */
  remove(conversationId: string, state?: ReadyState): boolean {
    if (state !== undefined && this.#marks.get(conversationId) !== state) return false;
    return this.#marks.delete(conversationId);
  }

  /** The number of marked conversations in each state. */
  get counts(): Readonly<Record<ReadyState, number>> {
    const counts = { complete: 0, failed: 0, waiting: 0 };
    for (const state of this.#marks.values()) counts[state] += 1;
    return counts;
  }
}
