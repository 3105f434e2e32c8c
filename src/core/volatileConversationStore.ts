import type { Conversation, ConversationSummary, Message } from "./conversation.ts";
import { emptyDraft } from "./conversationStore.ts";
import type { ConversationStore, Draft, MessageDelta } from "./conversationStore.ts";

interface Entry {
  conversation: Omit<Conversation, "messages">;
  /** In the order of their saving. */
  readonly messages: Map<string, Message>;
}

/** Conversations in memory only: for a host without SQLite, and for a file that must not be touched. */
export class VolatileConversationStore implements ConversationStore {
  readonly #entries = new Map<string, Entry>();
  readonly #drafts = new Map<string, Draft>();

  list(): readonly ConversationSummary[] {
    return [...this.#entries.values()]
      .map(({ conversation: { id, title, createdAt, updatedAt, isPinned } }) => ({
        id,
        title,
        createdAt,
        updatedAt,
        ...(isPinned === undefined ? {} : { isPinned }),
      }))
      .toSorted((left, right) => right.updatedAt - left.updatedAt);
  }

  load(id: string): Conversation | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined
      ? undefined
      : { ...entry.conversation, messages: [...entry.messages.values()] };
  }

  saveConversation(conversation: Omit<Conversation, "messages">): void {
    const entry = this.#entries.get(conversation.id);
    if (entry === undefined) this.#entries.set(conversation.id, { conversation, messages: new Map() });
    else entry.conversation = conversation;
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
    this.#entries.get(conversationId)?.messages.delete(messageId);
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
