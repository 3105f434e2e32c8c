import type { ConversationSettings, Message, MessageDelta } from "./conversation.ts";
import type { ErrorFacts } from "../kernel/errors.ts";

/** A wait before the next attempt. `dueAt` is in milliseconds since 1970. */
export interface RetryView {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly dueAt: number;
  /** Why the last attempt failed. */
  readonly error: ErrorFacts;
  /** The ID of the response. */
  readonly messageId: string;
  /** Whether several are shown side by side, each of which has its own wait. */
  readonly isCompared?: true;
}

/** A response in progress here. */
export interface LiveResponse {
  /** The current state. */
  readonly message: Message;
  /** Whether it looks finished, though more may follow. */
  readonly isSettling: boolean;
  /** The wait before its next attempt, if there is one. */
  readonly retry: RetryView | undefined;
}

/** An event of a session. Events are emitted in the order in which they happen. */
export type SessionEvent =
  | { readonly type: "messageAdded"; readonly message: Message }
  /** Other messages are shown, or they have other versions. */
  | { readonly type: "path" }
  | { readonly type: "delta"; readonly messageId: string; readonly delta: MessageDelta }
  /** The message has its final form or, while streaming, a known model. */
  | { readonly type: "messageChanged"; readonly message: Message }
  /**
   * The message was replaced, for example with other text, or it streams again in another window after it was settled.
   */
  | { readonly type: "messageReplaced"; readonly message: Message }
  | { readonly type: "streaming"; readonly isStreaming: boolean; readonly retry?: RetryView }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "settings"; readonly settings: ConversationSettings };
