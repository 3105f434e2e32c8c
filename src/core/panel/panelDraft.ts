import type { ContentPart } from "../conversation/completion.ts";
import type { ChatSession } from "../conversation/chatSession.ts";
import type { Draft, DraftStore } from "../conversation/conversationStore.ts";

/** Milliseconds between two checks of another window's composer. */
const lookMs = 1_000;

/** The part of a session whose draft it is. */
interface DraftOwner extends Pick<ChatSession, "id"> {
  readonly state: Pick<ChatSession["state"], "isDisposed" | "noteQuotes" | "withQuotes">;
}

/**
 * The content of one composer, stored as it changes. The page sends attachments, which may be large, only when they
 * change.
 */
export class PanelDraft {
  readonly #session: DraftOwner;
  readonly #store: Pick<DraftStore, "loadDraft" | "save" | "loadNewDraft">;
  /** The content of the composer, if it differs from what is on disk. */
  #held: Draft | undefined;
  #text = "";
  #attachments: readonly ContentPart[] = [];

  constructor(session: DraftOwner, store: Pick<DraftStore, "loadDraft" | "save" | "loadNewDraft">) {
    this.#session = session;
    this.#store = store;
  }

  /** The text that the page last sent. */
  get text(): string {
    return this.#text;
  }

  /** The initial content for a new page. */
  load(): Draft {
    if (this.#held !== undefined) return this.#held;
    const draft = this.#store.loadDraft(this.#session.id);
    this.#session.state.noteQuotes(draft);
    this.#text = draft.text;
    this.#attachments = draft.attachments;
    return draft;
  }

  /**
   * Keeps the draft as long as the panel exists, and writes something else to disk: content that the user has not
   * decided to keep, such as a secret, must not be stored.
   */
  hold(draft: Draft, stored: Draft): void {
    this.keep(stored);
    this.#held = draft;
    this.#attachments = draft.attachments;
  }

  /**
   * Stores what the page has reported, which replaces any draft that is held back for it. Without attachments, the
   * previous ones apply.
   */
  keep({ text, attachments = this.#attachments }: Pick<Draft, "text"> & Partial<Draft>): void {
    this.#held = undefined;
    this.#text = text;
    this.#attachments = attachments;
    const { id, state } = this.#session;
    // The conversation was deleted while the page was still reporting, or a message was checked.
    if (state.isDisposed) return;
    const draft = state.withQuotes({ text, attachments });
    this.#store.save({ type: "draft", conversationId: id, draft });
  }

  /**
   * Calls `show` with what another window has typed into the same composer, and with the text that it replaces: a page
   * that has a different text by then keeps its own. Returns a function that stops this.
   * @param schedule Runs a function once after this many milliseconds and returns a function that cancels it.
   */
  follow(
    show: (draft: Draft, over: string) => void,
    schedule: (run: () => void, ms: number) => () => void,
  ): () => void {
    const look = (): void => {
      cancel = schedule(look, lookMs);
      const draft = this.#held === undefined ? this.#loadNew() : undefined;
      if (draft === undefined) return;
      this.#session.state.noteQuotes(draft);
      show(draft, this.#text);
    };
    let cancel = schedule(look, lookMs);
    return () => cancel();
  }

  /** What can't be read now is read later. A failure of the store is reported when messages are read. */
  #loadNew(): Draft | undefined {
    try {
      return this.#store.loadNewDraft(this.#session.id);
    } catch {
      return undefined;
    }
  }
}
