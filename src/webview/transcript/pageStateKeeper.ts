import type { Host, PagePlace } from "../kit/host.ts";
import type { MessageSlot } from "./messageSlot.ts";
import type { ScrollKeeper } from "./scrollKeeper.ts";

/** Milliseconds between two times that the state of the page is stored. */
const saveInterval = 300;
/** Frames for which the place is restored, because messages above it get their heights as they are laid out. */
const settlingFrames = 20;
/** Maximum length of the edited texts that are kept, in UTF-16 code units. */
const maxEdited = 100_000;

/** Sent by an element of a message when its text is edited; the detail is the text, or undefined at the end. */
export const editEvent = "message-edited";

/** The transcript as needed to keep what exists only on the page. */
interface KeptTranscript {
  readonly element: HTMLElement;
  readonly slots: readonly MessageSlot[];
  bringIn(slot: MessageSlot): HTMLElement | undefined;
}

/** The dialog as needed to keep what the user has typed. */
interface KeptDialog {
  readonly container: HTMLElement;
  /** The fields; undefined if it isn't open. */
  readonly typed: Readonly<Record<string, string>> | undefined;
  reopen(typed: Readonly<Record<string, string>>): Promise<void>;
}

interface PageStateKeeperContext {
  readonly host: Host;
  readonly transcript: KeptTranscript;
  readonly dialog: KeptDialog;
  readonly scroller: HTMLElement;
  readonly scroll: Pick<ScrollKeeper, "isAtEnd" | "leaveEnd">;
}

/**
 * Keeps the place in the conversation, messages that are being edited, what is unfolded and the open dialog, which would
 * disappear with the page.
 */
export class PageStateKeeper {
  readonly #context: PageStateKeeperContext;
  readonly #edits = new Map<string, string>();
  #conversationId: string | undefined;
  /** What was kept for this conversation and isn't shown again yet, because its messages may not be there yet. */
  #keptFor: string | undefined;
  #keptPlace: PagePlace | undefined;
  readonly #keptEdits: Map<string, string>;
  readonly #unfolded = new Map<string, readonly number[]>();
  readonly #keptUnfolded: Map<string, readonly number[]>;
  #keptDialog: Readonly<Record<string, string>> | undefined;
  #saved = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: PageStateKeeperContext) {
    const { host, transcript, scroller, dialog } = context;
    this.#context = context;
    const state = host.loadState();
    this.#keptFor = state?.conversationId;
    this.#keptPlace = state?.place;
    this.#keptEdits = new Map(Object.entries(state?.edits ?? {}));
    this.#keptUnfolded = new Map(Object.entries(state?.unfolded ?? {}));
    this.#keptDialog = state?.dialog;
    scroller.addEventListener("scroll", () => this.#saveSoon(), { passive: true });
    for (const type of ["wheel", "pointerdown", "keydown"])
      scroller.addEventListener(type, () => this.#forgetPlace(), { passive: true });
    for (const type of ["input", "change", "click", "close"])
      dialog.container.addEventListener(type, () => this.#saveSoon(), { capture: true, passive: true });
    // Neither this event nor that of closing a dialog bubbles.
    transcript.element.addEventListener("toggle", (event) => this.#noteFolding(event.target), true);
    transcript.element.addEventListener(editEvent, (event) => {
      const id = event.target instanceof HTMLElement ? event.target.dataset["messageId"] : undefined;
      if (id === undefined || !(event instanceof CustomEvent)) return;
      const text: unknown = event.detail;
      if (typeof text === "string" && text.length <= maxEdited) this.#edits.set(id, text);
      else this.#edits.delete(id);
      this.#saveSoon();
    });
  }

  /** Call this when the conversation, or earlier messages of it, are shown. */
  shown(conversationId: string): void {
    if (this.#conversationId !== conversationId) {
      this.#conversationId = conversationId;
      this.#edits.clear();
      this.#unfolded.clear();
      if (this.#keptFor !== conversationId) this.#forget();
      // Without it, the host couldn't find the conversation after a restart.
      this.#save();
    }
    for (const [id, text] of this.#keptEdits) this.#edit(id, text);
    for (const [id, indices] of this.#keptUnfolded) this.#unfold(id, indices);
    if (this.#keptDialog !== undefined) void this.#context.dialog.reopen(this.#keptDialog);
    this.#keptDialog = undefined;
    if (this.#keptPlace !== undefined) this.#goTo(this.#keptPlace, settlingFrames);
  }

  #noteFolding(target: EventTarget | null): void {
    const article = target instanceof HTMLElement ? target.closest<HTMLElement>("[data-message-id]") : null;
    const id = article?.dataset["messageId"];
    if (article === null || id === undefined) return;
    const open = partsOf(article).flatMap((part, index) => (part.open ? [index] : []));
    if (open.length === 0) this.#unfolded.delete(id);
    else this.#unfolded.set(id, open);
    this.#saveSoon();
  }

  #unfold(id: string, indices: readonly number[]): void {
    const { transcript } = this.#context;
    const slot = transcript.slots.find((candidate) => candidate.id === id);
    const element = slot === undefined ? undefined : transcript.bringIn(slot);
    if (slot === undefined || element === undefined) return;
    slot.isTouched = true;
    this.#keptUnfolded.delete(id);
    this.#unfolded.set(id, indices);
    for (const [index, part] of partsOf(element).entries()) part.open = indices.includes(index);
  }

  #edit(id: string, text: string): void {
    const { transcript } = this.#context;
    const slot = transcript.slots.find((candidate) => candidate.id === id);
    if (slot === undefined || transcript.bringIn(slot) === undefined) return;
    slot.view?.edit?.(text);
    slot.isTouched = true;
    this.#keptEdits.delete(id);
    this.#edits.set(id, text);
  }

  #goTo(place: PagePlace, frames: number): void {
    const { transcript, scroller, scroll } = this.#context;
    const slot = transcript.slots.find(({ id }) => id === place.messageId);
    const element = slot === undefined ? undefined : transcript.bringIn(slot);
    // It may be among the earlier messages, which follow.
    if (element === undefined || this.#keptPlace !== place) return;
    scroll.leaveEnd();
    scroller.scrollTop += topOf(element, scroller) - place.offset;
    if (frames > 0) requestAnimationFrame(() => this.#goTo(place, frames - 1));
    else this.#forgetPlace();
  }

  #forgetPlace(): void {
    this.#keptPlace = undefined;
  }

  #forget(): void {
    this.#forgetPlace();
    this.#keptEdits.clear();
    this.#keptUnfolded.clear();
    this.#keptDialog = undefined;
    this.#keptFor = undefined;
  }

  #saveSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#save();
    }, saveInterval);
  }

  #save(): void {
    if (this.#conversationId === undefined) return;
    const place = this.#keptPlace ?? this.#findPlace();
    const dialog = this.#context.dialog.typed;
    const unfolded = new Map([...this.#keptUnfolded, ...this.#unfolded]);
    const state = {
      conversationId: this.#conversationId,
      ...(place === undefined ? {} : { place }),
      edits: Object.fromEntries([...this.#keptEdits, ...this.#edits]),
      ...(unfolded.size === 0 ? {} : { unfolded: Object.fromEntries(unfolded) }),
      ...(dialog === undefined ? {} : { dialog }),
    };
    // A response that is followed scrolls all the time without changing anything.
    const saved = JSON.stringify(state);
    if (saved !== this.#saved) this.#context.host.saveState(state);
    this.#saved = saved;
  }

  #findPlace(): PagePlace | undefined {
    const { transcript, scroller, scroll } = this.#context;
    if (scroll.isAtEnd) return undefined;
    const { top } = scroller.getBoundingClientRect();
    const first = [...transcript.element.querySelectorAll<HTMLElement>("article[data-message-id]")].find(
      (article) => article.getBoundingClientRect().bottom > top + 1,
    );
    const messageId = first?.dataset["messageId"];
    return first === undefined || messageId === undefined
      ? undefined
      : { messageId, offset: topOf(first, scroller) };
  }
}

function partsOf(article: HTMLElement): readonly HTMLDetailsElement[] {
  return [...article.querySelectorAll("details")];
}

function topOf(element: HTMLElement, scroller: HTMLElement): number {
  return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
}
