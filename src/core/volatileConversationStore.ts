import type { Conversation, ConversationSummary, Message } from "./conversation.ts";
import { emptyDraft } from "./conversationStore.ts";
import type { ConversationFields, ConversationStore, Draft, MessageDelta } from "./conversationStore.ts";

interface Entry {
  conversation: ConversationFields;
  isPinned: boolean;
  /** In the order of their saving. */
  readonly messages: Map<string, Message>;
}

/** Conversations in memory only: for a host without SQLite, and for a file that must not be touched. */
export class VolatileConversationStore implements ConversationStore {
  readonly #entries = new Map<string, Entry>();
  readonly #drafts = new Map<string, Draft>();

  list(): readonly ConversationSummary[] {
    return [...this.#entries.values()]
      .map(({ conversation: { id, title, createdAt, updatedAt }, isPinned }) => ({
        id,
        title,
        createdAt,
        updatedAt,
        ...pinField(isPinned),
      }))
      .toSorted((left, right) => right.updatedAt - left.updatedAt);
  }

  load(id: string): Conversation | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    return { ...entry.conversation, ...pinField(entry.isPinned), messages: [...entry.messages.values()] };
  }

  saveConversation(conversation: ConversationFields): void {
    const entry = this.#entries.get(conversation.id);
    if (entry !== undefined) entry.conversation = conversation;
    else this.#entries.set(conversation.id, { conversation, isPinned: false, messages: new Map() });
  }

  pinConversation(id: string, isPinned: boolean): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.isPinned = isPinned;
  }

  saveMessage(conversationId: string, message: Message): void {
    this.#entries.get(conversationId)?.messages.set(message.id, message);
  }

  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void {
    const messages = this.#entries.get(conversationId)?.messages;
    const message = messages?.get(messageId);
    if (message === undefined) return;
    const text = message.text + delta.text;
    messages?.set(messageId, { ...message, text, reasoning: message.reasoning + delta.reasoning });
  }

  deleteMessage(conversationId: string, messageId: string): void {
    const messages = this.#entries.get(conversationId)?.messages;
    const removed = messages?.get(messageId);
    if (messages === undefined || removed === undefined) return;
    messages.delete(messageId);
    for (const message of messages.values())
      if (message.parentId === messageId) messages.set(message.id, withParent(message, removed.parentId));
  }

  deleteConversation(id: string): void {
    this.#entries.delete(id);
    this.#drafts.delete(id);
  }

  loadDraft(conversationId: string): Draft {
    return this.#drafts.get(conversationId) ?? emptyDraft;
  }

  saveDraft(conversationId: string, draft: Draft): void {
    if (draft.text === "" && draft.attachments.length === 0) this.#drafts.delete(conversationId);
    else this.#drafts.set(conversationId, draft);
  }

  /** Nothing is pending: there is no disk. */
  flush(): void {}

  close(): void {}
}

function pinField(isPinned: boolean): { readonly isPinned?: true } {
  return isPinned ? { isPinned } : {};
}

function withParent(message: Message, parentId: string | undefined): Message {
  const copy: { -readonly [name in keyof Message]: Message[name] } = { ...message };
  if (parentId === undefined) delete copy.parentId;
  else copy.parentId = parentId;
  return copy;
}
