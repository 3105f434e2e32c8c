import type { ContentPart } from "../conversation/completion.ts";
import type { Draft, DraftStore } from "../conversation/conversationStore.ts";

/** Milliseconds between two looks at what another window has in its composer. */
const lookMs = 1_000;

/**
 * The content of one composer, stored as it changes. The page sends attachments, which may be large, only when they
 * change.
 */
export class PanelDraft {
  readonly #conversationId: string;
  readonly #store: Pick<DraftStore, "loadDraft" | "saveDraft" | "loadNewDraft">;
  /** What stands in the composer where the disk has something else. */
  #held: Draft | undefined;
  #text = "";
  #attachments: readonly ContentPart[] = [];

  constructor(conversationId: string, store: Pick<DraftStore, "loadDraft" | "saveDraft" | "loadNewDraft">) {
    this.#conversationId = conversationId;
    this.#store = store;
  }

  /** The text that the page sent last. */
  get text(): string {
    return this.#text;
  }

  /** What a page that is new begins with. */
  load(): Draft {
    if (this.#held !== undefined) return this.#held;
    const draft = this.#store.loadDraft(this.#conversationId);
    this.#text = draft.text;
    this.#attachments = draft.attachments;
    return draft;
  }

  /** What the page sends. Without attachments, the previous ones apply. */
  receive({
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
    this.#text = draft.text;
    this.#attachments = draft.attachments;
    this.#store.saveDraft(this.#conversationId, draft);
  }

  /**
   * Calls `show` with what another window has typed into the same composer, and with the text that it is to replace: a
   * page that has another one by then keeps its own. Returns the function that ends it.
   * @param schedule Runs a function once after so many milliseconds; returns its cancellation.
   */
  follow(
    show: (draft: Draft, over: string) => void,
    schedule: (run: () => void, ms: number) => () => void,
  ): () => void {
    const look = (): void => {
      cancel = schedule(look, lookMs);
      const draft = this.#held === undefined ? this.#loadNew() : undefined;
      if (draft !== undefined) show(draft, this.#text);
    };
    let cancel = schedule(look, lookMs);
    return () => cancel();
  }

  /** What can't be read now is read later. A failure of the store is reported where messages are read. */
  #loadNew(): Draft | undefined {
    try {
      return this.#store.loadNewDraft(this.#conversationId);
    } catch {
      return undefined;
    }
  }
}
