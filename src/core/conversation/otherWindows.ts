import type { Message } from "./conversation.ts";
import type { ChangeMark, ConversationStore } from "./conversationStore.ts";
import { takeInStored } from "./grownMessages.ts";
import type { OpenConversation } from "./openConversation.ts";

/** Milliseconds between two looks at what other windows have written. */
const lookMs = 1_000;

export interface OtherWindowsContext {
  readonly store: Pick<ConversationStore, "changeMark" | "loadChanges">;
  /** What was known when the conversation was loaded; its present state unless given. */
  readonly mark?: ChangeMark;
  /** Whether the message grows here, so that nothing stored is newer. */
  isOurs(messageId: string): boolean;
  /** Messages that other windows have written are in the conversation now. */
  onTakenIn(messages: readonly Message[]): void;
  reportError(error: unknown): void;
  /** Runs a function once after so many milliseconds; returns its cancellation. */
  schedule(run: () => void, ms: number): () => void;
}

/**
 * Takes in what other windows do with the conversation for as long as it is open: their turns, the responses that come
 * in there, also by the extension host that VS Code is just replacing, and title, model and settings. Returns the
 * function that ends it.
 */
export function followOtherWindows(conversation: OpenConversation, context: OtherWindowsContext): () => void {
  const { store, schedule, reportError } = context;
  let hasFailed = false;
  let mark = context.mark;
  const attempt = (run: () => void): void => {
    try {
      run();
      hasFailed = false;
    } catch (error) {
      // Once is enough for the log: it is tried again every second.
      if (!hasFailed) reportError(error);
      hasFailed = true;
    }
  };
  const takeIn = (): void => {
    const changes = store.loadChanges(conversation.id, (mark ??= store.changeMark(conversation.id)));
    if (changes === undefined) return;
    mark = changes.mark;
    if (changes.isComplete) conversation.storeMissing(changes, (id) => context.isOurs(id));
    else conversation.takeInFields(changes.fields);
    const events = takeInStored(conversation.tree, changes.messages, (id) => context.isOurs(id));
    for (const event of events) conversation.emit(event);
    if (events.length > 0) context.onTakenIn(changes.messages.filter(({ id }) => !context.isOurs(id)));
  };
  const look = (): void => {
    cancel = schedule(look, lookMs);
    attempt(takeIn);
  };
  attempt(() => (mark ??= store.changeMark(conversation.id)));
  let cancel = schedule(look, lookMs);
  return () => cancel();
}
