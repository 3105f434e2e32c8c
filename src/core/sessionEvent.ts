import type { ConversationSettings, Message } from "./conversation.ts";
import type { MessageDelta } from "./conversationStore.ts";
import type { RetryView } from "./protocol.ts";

/** What a listener hears of a session, in the order in which it happened. */
export type SessionEvent =
  | { readonly type: "messageAdded"; readonly message: Message }
  /** Other messages are shown, or others beside them. */
  | { readonly type: "path" }
  | { readonly type: "delta"; readonly messageId: string; readonly delta: MessageDelta }
  /** The message has its final form, or, while it streams, the name of its model. */
  | { readonly type: "messageChanged"; readonly message: Message }
  | { readonly type: "streaming"; readonly isStreaming: boolean; readonly retry?: RetryView }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "settings"; readonly settings: ConversationSettings };
