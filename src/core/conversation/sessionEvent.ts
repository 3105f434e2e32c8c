import type { ConversationSettings, Message, MessageDelta } from "./conversation.ts";
import type { ErrorFacts } from "../kernel/errors.ts";

/** A wait before the next attempt. `dueAt` is in milliseconds since 1970. */
export interface RetryView {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly dueAt: number;
  /** Why the last attempt failed. */
  readonly error: ErrorFacts;
  /** The response, unless it is one of several side by side: those are each model's own. */
  readonly messageId?: string;
}

/** A response that is coming in here. */
export interface LiveResponse {
  /** As it is now. */
  readonly message: Message;
  /** Whether it looks finished, though more may follow. */
  readonly isSettling: boolean;
  /** The wait before its next attempt, if there is one. */
  readonly retry: RetryView | undefined;
}

/** An event of a session. Events are emitted in the order in which they happen. */
export type SessionEvent =
  | { readonly type: "messageAdded"; readonly message: Message }
  /** Other messages are shown, or others beside them. */
  | { readonly type: "path" }
  | { readonly type: "delta"; readonly messageId: string; readonly delta: MessageDelta }
  /** The message has its final form, or, while it streams, the name of its model. */
  | { readonly type: "messageChanged"; readonly message: Message }
  /** The message has another form, such as other text, or one of another window that streams again after it was settled. */
  | { readonly type: "messageReplaced"; readonly message: Message }
  | { readonly type: "streaming"; readonly isStreaming: boolean; readonly retry?: RetryView }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "settings"; readonly settings: ConversationSettings };
