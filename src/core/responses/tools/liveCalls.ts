import type { CallConcern } from "./callConcern.ts";
import { Listeners } from "../../kernel/listeners.ts";

/** What a page shows about the tools besides the messages. */
export interface ToolsView {
  /** The calls that are waiting for the user or running. */
  readonly calls: readonly LiveCall[];
  /** The response whose calls were not run because there were too many rounds, and the maximum number of rounds. */
  readonly limit?: { readonly messageId: string; readonly rounds: number };
}

/** A call that the model has made and that has no result yet. */
export interface LiveCall {
  /** The response that contains the call. */
  readonly messageId: string;
  readonly callId: string;
  /** `starting`: the call is being checked and recorded; the tool itself hasn't been invoked yet. */
  readonly state: "starting" | "confirming" | "running";
  /** Why a call waits for the user, unless it simply needs permission. */
  readonly concern?: ConfirmReason;
  /** Whether the user decides in a dialog, which the page opens. */
  readonly needsDialog?: true;
}

/**
 * `again`: the call may already have run. `unwritten`: the conversation can't be saved now, so the call would be lost if
 * VS Code exited.
 */
type ConfirmReason = CallConcern | { readonly reason: "again" | "unwritten"; readonly place?: never };

/** The user's decision on one call. */
export type ToolDecision = "once" | "conversation" | "always" | "decline";

/** What a page can request for a call: `review` opens the dialog with all decisions. */
export const toolAnswers = ["once", "review", "decline"] as const;

/** What a page can request for a call. */
export type ToolAnswer = (typeof toolAnswers)[number];

interface OpenCall {
  readonly conversationId: string;
  readonly messageId: string;
  readonly callId: string;
  isRunning: boolean;
  concern: ConfirmReason | undefined;
  answer: ((answer: ToolDecision | "stop") => void) | undefined;
}

/** The calls in progress of all conversations: what a page shows and responds to, however often it is rebuilt. */
export class LiveCalls {
  readonly #calls = new Set<OpenCall>();
  readonly #listeners = new Listeners<string>();

  /** The calls of the conversation that haven't ended. */
  of(conversationId: string): readonly LiveCall[] {
    return [...this.#calls]
      .filter((call) => call.conversationId === conversationId)
      .map(({ messageId, callId, answer, isRunning, concern }) => ({
        ...{ messageId, callId },
        ...(answer === undefined || concern === undefined ? {} : { concern }),
        state: answer !== undefined ? "confirming" : isRunning ? "running" : "starting",
      }));
  }

  /**
   * The listener receives the ID of the conversation whose calls have changed. Returns a function that unsubscribes.
   */
  onDidChange(listener: (conversationId: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Applies the user's decision from a page; does nothing if the call was already decided. */
  answer(conversationId: string, messageId: string, callId: string, answer: ToolDecision): void {
    for (const call of this.#calls) {
      if (call.conversationId !== conversationId || call.messageId !== messageId) continue;
      if (call.callId === callId) call.answer?.(answer);
    }
  }

  /** Starts a call, which is shown until `end`. */
  begin(conversationId: string, messageId: string, callId: string): LiveCallHandle {
    const call: OpenCall = {
      conversationId,
      messageId,
      callId,
      isRunning: false,
      concern: undefined,
      answer: undefined,
    };
    this.#calls.add(call);
    this.#notify(call);
    return {
      confirm: (concern) =>
        new Promise((resolve) => {
          call.concern = concern;
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

/** One tool call in progress. Every change to it is reported to the listeners of its conversation. */
export interface LiveCallHandle {
  /**
   * Waits for the user's decision.
   * @param concern Why the user is asked, unless the tool simply needs permission.
   */
  confirm(concern?: ConfirmReason): Promise<ToolDecision | "stop">;
  /** Ends the wait. */
  stop(): void;
  /** The start of the call is on disk: from now on, the tool is running. */
  run(): void;
  end(): void;
}
