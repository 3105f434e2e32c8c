import { parsePageState } from "../kit/host.ts";
import type { Host, PagePlace, PageState } from "../kit/host.ts";
import type { SearchedTranscript } from "./find/findBar.ts";
import type { ScrollKeeper } from "./scrollKeeper.ts";

/** Milliseconds between two times that the state of the page is stored. */
const saveInterval = 300;
/** Frames for which the place is restored, because messages above it get their heights as they are laid out. */
const settlingFrames = 20;
/** Maximum length of the edited texts that are kept, in UTF-16 code units. */
const maxEdited = 100_000;

/** Sent by an element of a message when its text is edited; the detail is the text, or undefined at the end. */
export const editEvent = "message-edited";

/** Sent by an element of a message when text is pasted into its editor; the detail is the text. */
export const pasteEvent = "message-pasted";

/** The dialog as needed to keep what the user has typed. */
interface KeptDialog {
  readonly container: HTMLElement;
  /** The fields; undefined if it isn't open. */
  readonly typed: Readonly<Record<string, string>> | undefined;
  reopen(typed: Readonly<Record<string, string>>): Promise<void>;
}

interface PageStateKeeperContext {
  readonly host: Host;
  readonly transcript: SearchedTranscript;
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
  #conversationId: string | undefined;
  #edits = new Map<string, string>();
  /** What was pasted into the edited texts. The host doesn't know it after a restart, and would take it for typed. */
  #pasted = "";
  #unfolded = new Map<string, string>();
  /** Messages whose editor and folding aren't restored yet, because they may not be there yet. */
  #waiting = new Set<string>();
  #keptPlace: PagePlace | undefined;
  #keptDialog: Readonly<Record<string, string>> | undefined;
  #saved = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: PageStateKeeperContext) {
    const { host, transcript, scroller, dialog } = context;
    this.#context = context;
    this.#take(host.loadState());
    scroller.addEventListener("scroll", () => this.#saveSoon());
    for (const type of ["wheel", "pointerdown", "keydown"])
      scroller.addEventListener(type, () => (this.#keptPlace = undefined), { passive: true });
    for (const type of ["input", "click", "close"])
      dialog.container.addEventListener(type, () => this.#saveSoon(), true);
    // Neither this event nor that of closing a dialog bubbles.
    transcript.element.addEventListener("toggle", (event) => this.#noteFolding(event.target), true);
    transcript.element.addEventListener(pasteEvent, (event) => {
      if (event instanceof CustomEvent) this.#pasted = `${this.#pasted}\n${event.detail}`.slice(-maxEdited);
    });
    transcript.element.addEventListener(editEvent, (event) => {
      const id = event.target instanceof HTMLElement ? event.target.dataset["messageId"] : undefined;
      if (id === undefined || !(event instanceof CustomEvent)) return;
      const text: unknown = event.detail;
      if (typeof text === "string" && text.length <= maxEdited) this.#edits.set(id, text);
      else this.#edits.delete(id);
      this.#saveSoon();
    });
  }

  /**
   * Call this when the conversation, or earlier or other messages of it, are shown.
   *
   * @param pageState What a page has saved that showed the conversation elsewhere, as JSON.
   */
  shown(conversationId: string, pageState = "null"): void {
    if (this.#conversationId !== conversationId) {
      this.#take(parsePageState(JSON.parse(pageState)));
      this.#conversationId = conversationId;
      // Without it, the host couldn't find the conversation after a restart.
      this.#save();
    }
    // A message that is being edited loses its editor while another version of it, or of one before it, is shown.
    for (const id of new Set([...this.#waiting, ...this.#edits.keys()])) this.#restore(id);
    const dialog = this.#keptDialog;
    this.#keptDialog = undefined;
    if (dialog !== undefined) void this.#context.dialog.reopen(dialog).then(() => this.#saveSoon());
    if (this.#keptPlace !== undefined) this.#goTo(this.#keptPlace, settlingFrames);
  }

  #noteFolding(target: EventTarget | null): void {
    const article = target instanceof HTMLElement ? target.closest<HTMLElement>("[data-message-id]") : null;
    const id = article?.dataset["messageId"];
    if (article === null || id === undefined) return;
    const open = partsOf(article).flatMap((part, index) => (part.open ? [index] : []));
    this.#unfolded.set(id, open.join());
    this.#saveSoon();
  }

  #restore(id: string): void {
    const { transcript } = this.#context;
    const slot = transcript.slots.find((candidate) => candidate.id === id);
    const element = slot && transcript.bringIn(slot);
    if (slot === undefined || element === undefined) return;
    slot.isTouched = true;
    this.#waiting.delete(id);
    const text = this.#edits.get(id);
    if (text !== undefined && !element.classList.contains("editing")) {
      slot.view?.edit?.(text);
      if (this.#pasted !== "") this.#context.host.post({ type: "pasted", text: this.#pasted });
    }
    const open = this.#unfolded.get(id)?.split(",");
    if (open !== undefined)
      for (const [index, part] of partsOf(element).entries()) part.open = open.includes(String(index));
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
    else this.#keptPlace = undefined;
  }

  #take(kept: PageState | undefined): void {
    this.#conversationId = kept?.conversationId;
    this.#keptPlace = kept?.place;
    this.#edits = new Map(Object.entries(kept?.edits ?? {}));
    this.#pasted = kept?.pasted ?? "";
    this.#unfolded = new Map(Object.entries(kept?.unfolded ?? {}));
    this.#waiting = new Set([...this.#edits.keys(), ...this.#unfolded.keys()]);
    this.#keptDialog = kept?.dialog;
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
    const state = {
      conversationId: this.#conversationId,
      place,
      edits: Object.fromEntries(this.#edits),
      pasted: this.#edits.size === 0 ? "" : this.#pasted,
      unfolded: Object.fromEntries(this.#unfolded),
      dialog: this.#keptDialog ?? this.#context.dialog.typed,
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
