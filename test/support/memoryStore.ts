import type { Conversation, ConversationSummary, Message } from "../../src/core/conversation.ts";
import type { ConversationStore, MessageDelta } from "../../src/core/conversationStore.ts";

/** Conversations in memory: the port of the store without a disk. */
export class MemoryStore implements ConversationStore {
  readonly #conversations = new Map<string, Conversation>();
  readonly #drafts = new Map<string, string>();

  list(): readonly ConversationSummary[] {
    return [...this.#conversations.values()];
  }

  load(id: string): Conversation | undefined {
    return this.#conversations.get(id);
  }

  saveConversation(conversation: Omit<Conversation, "messages">): void {
    const messages = this.#conversations.get(conversation.id)?.messages ?? [];
    this.#conversations.set(conversation.id, { ...conversation, messages });
  }

  saveMessage(conversationId: string, message: Message): void {
    this.#change(conversationId, (messages) => {
      const index = messages.findIndex(({ id }) => id === message.id);
      return index < 0 ? [...messages, message] : messages.with(index, message);
    });
  }

  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void {
    this.#change(conversationId, (messages) =>
      messages.map((message) =>
        message.id === messageId
          ? { ...message, text: message.text + delta.text, reasoning: message.reasoning + delta.reasoning }
          : message,
      ),
    );
  }

  deleteMessage(conversationId: string, messageId: string): void {
    this.#change(conversationId, (messages) => messages.filter(({ id }) => id !== messageId));
  }

  deleteConversation(id: string): void {
    this.#conversations.delete(id);
  }

  loadDraft(conversationId: string): string {
    return this.#drafts.get(conversationId) ?? "";
  }

  saveDraft(conversationId: string, text: string): void {
    this.#drafts.set(conversationId, text);
  }

  flush(): void {}

  close(): void {}

  #change(id: string, change: (messages: readonly Message[]) => readonly Message[]): void {
    const conversation = this.#conversations.get(id);
    if (conversation === undefined) throw new Error(`No conversation ${id}`);
    this.#conversations.set(id, { ...conversation, messages: change(conversation.messages) });
  }
}
