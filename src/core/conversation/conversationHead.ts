import type { Conversation, ConversationSettings } from "./conversation.ts";
import type { ConversationStore } from "./conversationStore.ts";

/** What is known of a conversation beside its messages, and its way to the store. */
export class ConversationHead {
  readonly id: string;
  readonly #createdAt: number;
  readonly #store: ConversationStore;
  readonly #now: () => number;
  title: string;
  model: string | undefined;
  settings: ConversationSettings;

  constructor(conversation: Conversation, store: ConversationStore, now: () => number) {
    this.id = conversation.id;
    this.#createdAt = conversation.createdAt;
    this.#store = store;
    this.#now = now;
    this.title = conversation.title;
    this.model = conversation.model;
    this.settings = conversation.settings ?? {};
  }

  /** @param leafId The end of the path, where that isn't simply the latest message. */
  save(leafId: string | undefined): void {
    this.#store.saveConversation({
      id: this.id,
      title: this.title,
      createdAt: this.#createdAt,
      updatedAt: this.#now(),
      ...(isEmpty(this.settings) ? {} : { settings: this.settings }),
      ...(this.model === undefined ? {} : { model: this.model }),
      ...(leafId === undefined ? {} : { leafId }),
    });
  }

  /** For an answer: what it is asked with. */
  get answerFields(): { readonly settings?: ConversationSettings } {
    return isEmpty(this.settings) ? {} : { settings: this.settings };
  }
}

function isEmpty(settings: ConversationSettings): boolean {
  return Object.values(settings).every((value) => value === undefined);
}
