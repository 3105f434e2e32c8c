import type { ContentPart } from "./completion.ts";
import type { ConversationStore, Draft } from "./conversationStore.ts";

/** What stands in one composer, kept as it changes. The page tells attachments, which may be large, only with a change. */
export class PanelDraft {
  readonly #conversationId: string;
  readonly #store: Pick<ConversationStore, "loadDraft" | "saveDraft">;
  /** What stands in the composer where the disk has something else. */
  #held: Draft | undefined;
  #attachments: readonly ContentPart[] = [];

  constructor(conversationId: string, store: Pick<ConversationStore, "loadDraft" | "saveDraft">) {
    this.#conversationId = conversationId;
    this.#store = store;
  }

  /** What a page that is new begins with. */
  load(): Draft {
    if (this.#held !== undefined) return this.#held;
    const draft = this.#store.loadDraft(this.#conversationId);
    this.#attachments = draft.attachments;
    return draft;
  }

  /** What the page tells: without attachments they are those from before. */
  hear({
    text,
    attachments = this.#attachments,
  }: {
    text: string;
    attachments?: readonly ContentPart[];
  }): void {
    this.keep({ text, attachments });
  }

  /**
   * Keeps the draft for as long as the panel is there, and writes something else to disk: what the user has not decided
   * to keep as it is, such as a secret, must not be there.
   */
  hold(draft: Draft, stored: Draft): void {
    this.keep(stored);
    this.#held = draft;
    this.#attachments = draft.attachments;
  }

  keep(draft: Draft): void {
    this.#held = undefined;
    this.#attachments = draft.attachments;
    this.#store.saveDraft(this.#conversationId, draft);
  }
}
