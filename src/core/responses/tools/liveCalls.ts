import { Listeners } from "../../kernel/listeners.ts";

/** A call between the model's wish and its result. */
export interface LiveCall {
  /** The response that the call stands in. */
  readonly messageId: string;
  readonly callId: string;
  /** `starting`: being checked and recorded; the tool itself has not been asked yet. */
  readonly state: "starting" | "confirming" | "running";
  /** Of a call that waits for the user: why, where that isn't simply its permission. */
  readonly reason?: ConfirmReason;
}

/** `unwritten`: the conversation can't be saved now, so nothing would be left of the call if VS Code ended. */
export type ConfirmReason = "unwritten";

/** The user's word on one call. */
export type ToolDecision = "once" | "conversation" | "always" | "decline";

interface OpenCall {
  readonly conversationId: string;
  readonly messageId: string;
  readonly callId: string;
  isRunning: boolean;
  reason: ConfirmReason | undefined;
  answer: ((answer: ToolDecision | "stop") => void) | undefined;
}

/** The calls under way of all conversations: what a page shows and responses, however often it is rebuilt. */
export class LiveCalls {
  readonly #calls = new Set<OpenCall>();
  readonly #listeners = new Listeners<string>();

  of(conversationId: string): readonly LiveCall[] {
    return [...this.#calls]
      .filter((call) => call.conversationId === conversationId)
      .map(({ messageId, callId, answer, isRunning, reason }) => ({
        ...{ messageId, callId },
        ...(answer === undefined || reason === undefined ? {} : { reason }),
        state: answer !== undefined ? "confirming" : isRunning ? "running" : "starting",
      }));
  }

  /** Notifies of the ID of the conversation whose calls have changed. Returns a function that unsubscribes. */
  onDidChange(listener: (conversationId: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** What the user said on a page; nothing if the call has been answered already. */
  answer(conversationId: string, messageId: string, callId: string, answer: ToolDecision): void {
    for (const call of this.#calls) {
      if (call.conversationId !== conversationId || call.messageId !== messageId) continue;
      if (call.callId === callId) call.answer?.(answer);
    }
  }

  /** A call begins; it is shown until `end`. */
  begin(conversationId: string, messageId: string, callId: string): LiveCallHandle {
    const call: OpenCall = {
      conversationId,
      messageId,
      callId,
      isRunning: false,
      reason: undefined,
      answer: undefined,
    };
    this.#calls.add(call);
    this.#notify(call);
    return {
      confirm: (reason) =>
        new Promise((resolve) => {
          call.reason = reason;
          call.answer = (answer) => {
            call.answer = undefined;
            this.#notify(call);
            resolve(answer);
          };
          this.#notify(call);
        }),
      stop: () => call.answer?.("stop"),
      run: () => {
        call.isRunning = true;
        this.#notify(call);
      },
      end: () => {
        this.#calls.delete(call);
        this.#notify(call);
      },
    };
  }

  #notify(call: OpenCall): void {
    this.#listeners.emit(call.conversationId);
  }
}

export interface LiveCallHandle {
  /** Waits for the user's word. @param reason Why, where that isn't simply the tool's permission. */
  confirm(reason?: ConfirmReason): Promise<ToolDecision | "stop">;
  /** Ends the wait. */
  stop(): void;
  /** The start of the tool is on disk: from now on it runs. */
  run(): void;
  end(): void;
}
