import type { Message } from "./conversation.ts";
import type { ConversationState } from "./conversationState.ts";
import type { ChangeMark, ConversationChanges, ConversationStore } from "./conversationStore.ts";
import type { MessageTree } from "./messageTree.ts";
import type { SessionEvent } from "./sessionEvent.ts";

/** Milliseconds between two checks for changes written by other windows. */
const lookMs = 1_000;

interface OtherWindowsContext {
  readonly store: Pick<ConversationStore, "changeMark" | "loadChanges">;
  /** What was known when the conversation was loaded; defaults to its current state. */
  readonly mark?: ChangeMark;
  /** Whether the message is growing here, so that nothing stored is newer. */
  isOurs(messageId: string): boolean;
  /** Messages that other windows have written are now in the conversation. */
  onTakenIn(messages: readonly Message[]): void;
  reportError(error: unknown): void;
  /** Runs a function once after this many milliseconds and returns a function that cancels it. */
  schedule(run: () => void, ms: number): () => void;
}

/**
 * Merges what other windows do with the conversation while it is open: their turns, their incoming responses (including
 * those of an extension host that VS Code is just replacing), and the title, model and settings. Returns a function
 * that stops this.
 */
export function followOtherWindows(
  conversation: ConversationState,
  context: OtherWindowsContext,
): () => void {
  const { store, schedule, reportError } = context;
  let hasFailed = false;
  let mark = context.mark;
  const attempt = (run: () => void): void => {
    try {
      run();
      hasFailed = false;
    } catch (error) {
      // Logging it once is enough, because it is retried every second.
      if (!hasFailed) reportError(error);
      hasFailed = true;
    }
  };
  const takeIn = (): void => {
    const changes = store.loadChanges(conversation.id, (mark ??= store.changeMark(conversation.id)));
    if (changes === undefined) return;
    mark = changes.mark;
    if (changes.isComplete) storeMissing(conversation, changes, (id) => context.isOurs(id));
    else conversation.takeInFields(changes.fields);
    const isOurs = (id: string): boolean => context.isOurs(id);
    const { tree } = conversation;
    // Removed first, so that whatever replaces a removed message then follows on the path.
    const removed = takeOutRemoved(tree, changes.removedIds, isOurs);
    for (const event of removed) conversation.emit(event);
    const stored = takeInStored(tree, changes.messages, isOurs);
    for (const event of stored) conversation.emit(event);
    if (stored.length > 0) context.onTakenIn(changes.messages.filter(({ id }) => !context.isOurs(id)));
  };
  const look = (): void => {
    cancel = schedule(look, lookMs);
    attempt(takeIn);
  };
  attempt(() => (mark ??= store.changeMark(conversation.id)));
  let cancel = schedule(look, lookMs);
  return () => cancel();
}

/** The file was lost or damaged: stores whatever is open here and not in the new file again. */
function storeMissing(
  conversation: ConversationState,
  { fields, messages }: ConversationChanges,
  isOurs: (messageId: string) => boolean,
): void {
  const stored = new Set(messages.map(({ id }) => id));
  const missing = conversation.tree.all.filter(({ id }) => !stored.has(id));
  if (missing.length === 0) return;
  if (fields === undefined) conversation.saveFields();
  // Messages that grow here are written again with their next growth.
  for (const message of missing)
    if (!isOurs(message.id))
      conversation.store.save({ type: "message", conversationId: conversation.id, message });
}

/** Whether the message is still being written. */
function isGrowing({ status }: Message): boolean {
  return status === "streaming";
}

/**
 * Merges what another window has stored into the tree, and returns the events for listeners. New turns are followed if
 * the path ends with what they respond to. Elsewhere they are versions that the user can switch to.
 * @param isOurs Whether a message is being written here, so that nothing stored is newer.
 */
function takeInStored(
  tree: MessageTree,
  stored: readonly Message[],
  isOurs: (messageId: string) => boolean,
): readonly SessionEvent[] {
  return stored.flatMap((message): readonly SessionEvent[] => {
    if (isOurs(message.id)) return [];
    const known = tree.find(message.id);
    if (known === undefined) return takeInNew(tree, message);
    if (isSame(known, message)) return [];
    tree.replace(message);
    return changeOf(known, message);
  });
}

/** Removes messages that another window has removed; what follows such a message then follows the one before it. */
function takeOutRemoved(
  tree: MessageTree,
  removedIds: readonly string[],
  isOurs: (messageId: string) => boolean,
): readonly SessionEvent[] {
  const removed = removedIds.flatMap((id) => (isOurs(id) ? [] : (tree.find(id) ?? [])));
  for (const message of removed) tree.remove(message);
  return removed.length === 0 ? [] : [{ type: "path" }];
}

function takeInNew(tree: MessageTree, message: Message): readonly SessionEvent[] {
  return [tree.addNext(message) ? { type: "messageAdded", message } : { type: "path" }];
}

function changeOf(known: Message, message: Message): readonly SessionEvent[] {
  const isLonger = message.text.startsWith(known.text) && message.reasoning.startsWith(known.reasoning);
  // A message that was settled and continues anyway, or whose text has changed.
  if (!isGrowing(known) || !isLonger) return [{ type: "messageReplaced", message }];
  return [
    ...(["reasoning", "text"] as const).flatMap((kind): readonly SessionEvent[] => {
      const text = message[kind].slice(known[kind].length);
      return text === "" ? [] : [{ type: "delta", messageId: message.id, delta: { kind, text } }];
    }),
    ...(isGrowing(message) && message.model === known.model
      ? []
      : [{ type: "messageChanged", message } as const]),
  ];
}

function isSame(left: Message, right: Message): boolean {
  return (
    left.text === right.text &&
    left.reasoning === right.reasoning &&
    left.status === right.status &&
    left.model === right.model &&
    left.finishReason === right.finishReason &&
    left.error?.message === right.error?.message &&
    left.toolCalls.length === right.toolCalls.length &&
    left.toolCalls.every(({ id, arguments: written }, index) => {
      const other = right.toolCalls[index];
      return other?.id === id && other.arguments === written;
    })
  );
}
