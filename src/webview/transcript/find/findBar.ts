import { t } from "@vscode/l10n";
import { create, iconButton } from "../../kit/dom.ts";
import type { MessageSlot } from "../messageSlot.ts";
import { findRanges, sameLength } from "./matches.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";

/** Milliseconds per frame for searching. */
const budget = 8;
/** Maximum number of frames to wait for a message to be built: one of several megabytes takes hundreds. */
const patience = 2_000;
/** Number of frames to wait for a match in a message that shows all of its text, and in one that is streaming. */
const [shownPatience, streamingPatience] = [4, 60];
/** Maximum length of a selection that is used as the search text, in UTF-16 code units. */
const longestSelection = 200;
/** Maximum number of matches that are highlighted before and after the current one. */
const mostMarked = 1_000;

/** The conversation as needed for searching. */
export interface SearchedTranscript {
  readonly element: HTMLElement;
  readonly slots: readonly MessageSlot[];
  /** The message's element, which is built if it isn't on the page. */
  bringIn(slot: MessageSlot): HTMLElement | undefined;
}

/** What the find bar tells the transcript. */
export interface FindBarObserver {
  /** Called when the user looks at something other than the end. */
  onLeaveEnd(): void;
  /** Called when the bar is closed and the focus has to move elsewhere. */
  onClose(): void;
}

/**
 * Finds text in the whole conversation, including messages without elements, which the browser's own search can't find.
 */
export class FindBar {
  readonly element = create("div", { class: "find-bar", role: "search", hidden: "" });
  readonly #transcript: SearchedTranscript;
  readonly #observer: FindBarObserver;
  readonly #input = create("input", {
    type: "text",
    "aria-label": t("Find in Conversation"),
    placeholder: t("Find"),
  });
  readonly #count = create("span", { class: "find-count", role: "status" });
  /** The matching messages in order. */
  #found: readonly MessageSlot[] = [];
  /** The number of matches in each of them: in its source, until it is shown. */
  #counts = new Map<MessageSlot, number>();
  #current: MessageSlot | undefined;
  /** The matches in the current message. */
  #ranges: FoundRanges | undefined;
  /** The number of the current match among them. */
  #range = 0;
  /** Number of the latest search or step. Earlier ones that are still waiting are canceled. */
  #turn = 0;
  #searched: Promise<void> = Promise.resolve();

  constructor(transcript: SearchedTranscript, observer: FindBarObserver) {
    this.#transcript = transcript;
    this.#observer = observer;
    this.element.append(
      this.#input,
      this.#count,
      iconButton("arrow-up", t("Previous Match"), () => void this.#step(-1)),
      iconButton("arrow-down", t("Next Match"), () => void this.#step(1)),
      iconButton("close", t("Close"), () => this.close()),
    );
    this.#input.addEventListener("input", () => void this.#search(true));
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** @param typed What has been typed already; empty to search for the selection or for the same words again. */
  open(typed = ""): void {
    const selected = String(getSelection() ?? "").trim();
    this.element.hidden = false;
    if (selected !== "" && selected.length <= longestSelection && !selected.includes("\n"))
      this.#input.value = selected;
    this.#input.focus();
    if (typed === "") this.#input.select();
    else this.#input.value = typed;
    void this.#search(true);
  }

  /** False if it is closed already. */
  close(): boolean {
    if (this.element.hidden) return false;
    this.#turn += 1;
    this.element.hidden = true;
    this.#mark([]);
    const found = this.#ranges?.ranges[this.#range];
    const range = found !== undefined && isOnPage(found) ? found : undefined;
    if (range !== undefined)
      getSelection()?.setBaseAndExtent(
        range.startContainer,
        range.startOffset,
        range.endContainer,
        range.endOffset,
      );
    this.#current = undefined;
    this.#ranges = undefined;
    this.#observer.onClose();
    return true;
  }

  /** Called when the messages have changed. */
  refresh(): void {
    if (!this.element.hidden) void this.#search(false);
  }

  get #words(): string {
    return sameLength(this.#input.value);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const isBack = event.shiftKey;
    if (event.key === "Escape") this.close();
    else if (event.key === "F3" || (event.key === "Enter" && event.target === this.#input))
      void this.#step(isBack ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #search(isNew: boolean): Promise<void> {
    return (this.#searched = this.#searchAll(isNew));
  }

  /** Searches all messages, some in each frame. */
  async #searchAll(isNew: boolean): Promise<void> {
    const turn = ++this.#turn;
    const words = this.#words;
    const counts = new Map<MessageSlot, number>();
    let last: MessageSlot | undefined;
    const pauses = new Pauses(() => turn === this.#turn);
    for (const slot of words === "" ? [] : this.#transcript.slots) {
      if (!(await pauses.next())) return;
      // The results of tools are shown with the response that has called them.
      if (slot.role !== "tool") last = slot;
      const count = textsOf(slot).reduce((sum, text) => sum + countMatches(text, words), 0);
      if (last !== undefined && count > 0) counts.set(last, (counts.get(last) ?? 0) + count);
    }
    this.#counts = counts;
    const found = [...counts.keys()];
    this.#found = found;
    if (this.#current !== undefined && !counts.has(this.#current)) this.#current = undefined;
    if (isNew) {
      const inSight = this.#current ?? this.#firstInSight();
      this.#current = undefined;
      const all = this.#transcript.slots;
      const from = inSight === undefined ? 0 : all.indexOf(inSight);
      const next = found.find((slot) => all.indexOf(slot) >= from) ?? found[0];
      if (next !== undefined) return this.#show(turn, found.indexOf(next), 1);
    }
    this.#announce();
  }

  async #step(step: 1 | -1): Promise<void> {
    // Enter may follow the last letter at once.
    await this.#searched;
    const turn = ++this.#turn;
    const next = this.#range + step;
    const ranges = await this.#findIn(this.#current, turn);
    if (ranges === undefined) return;
    // By now, all of it is rendered, without its markup.
    if (this.#current?.isShown === true) this.#counts.set(this.#current, ranges.length);
    if (next >= 0 && next < ranges.length) return this.#go(ranges, next);
    const at = this.#current === undefined ? -step : this.#found.indexOf(this.#current);
    await this.#show(turn, at + step, step);
  }

  /** Shows the message with this number or, if the words occur only in its markup, the next one in this direction. */
  async #show(turn: number, number: number, step: 1 | -1): Promise<void> {
    const { length } = this.#found;
    for (let tries = 0; tries < length; tries += 1) {
      const slot = this.#found[(number + tries * step + 2 * length) % length];
      if (slot === undefined) return;
      this.#observer.onLeaveEnd();
      const element = this.#transcript.bringIn(slot);
      if (element !== undefined && (await unfold(element, slot, this.#words)) && turn !== this.#turn) return;
      let shownFor = 0;
      for (let frame = 0; frame < patience; frame += 1) {
        const ranges = await this.#findIn(slot, turn);
        if (ranges === undefined) return;
        // The last match may not be there yet.
        if (ranges.length > 0 && (step === 1 || slot.isShown || slot.isStreaming)) {
          this.#current = slot;
          return this.#go(ranges, step === 1 ? 0 : ranges.length - 1);
        }
        if (frame === 0) element?.scrollIntoView({ block: "start" });
        await nextFrame();
        if (turn !== this.#turn) return;
        if (slot.isShown || slot.element === undefined) shownFor += 1;
        if (shownFor >= (slot.isStreaming ? streamingPatience : shownPatience)) break;
      }
    }
    this.#announce();
  }

  #go(ranges: readonly StaticRange[], number: number): void {
    const range = ranges[number];
    this.#range = number;
    this.#observer.onLeaveEnd();
    range?.startContainer.parentElement?.scrollIntoView({ block: "center" });
    this.#mark(ranges.slice(Math.max(0, number - mostMarked), number + mostMarked), range);
    this.#announce();
  }

  /** The matches in a message; undefined if another search or step has begun in the meantime. */
  async #findIn(slot: MessageSlot | undefined, turn: number): Promise<readonly StaticRange[] | undefined> {
    const element = slot?.element;
    const words = this.#words;
    if (element === undefined || words === "") return [];
    // Grows with the text, and while the message is being built.
    const extent = `${slot?.textLength} ${countSections(element)} ${slot?.isShown}`;
    const known = this.#ranges;
    const isKnown = known?.element === element && known.words === words && known.extent === extent;
    if (isKnown && known.ranges.every(isOnPage)) return known.ranges;
    const pauses = new Pauses(() => turn === this.#turn);
    // The message may have changed during a pause.
    const ranges = (await findRanges(element, words, () => pauses.next()))?.filter(isOnPage);
    if (ranges !== undefined) this.#ranges = { element, words, extent, ranges };
    return ranges;
  }

  /** Highlights the matches in the message without changing its elements. */
  #mark(ranges: readonly StaticRange[], current?: StaticRange): void {
    CSS.highlights.set("found", new Highlight(...ranges));
    CSS.highlights.set(
      "found-current",
      new Highlight(...(current === undefined ? [] : [liveRange(current)])),
    );
  }

  #firstInSight(): MessageSlot | undefined {
    return this.#transcript.slots.find((slot) => (slot.element?.getBoundingClientRect().bottom ?? 0) > 0);
  }

  #announce(): void {
    if (this.#found.length === 0) this.#mark([]);
    const current = this.#current;
    const before = this.#found.slice(0, current === undefined ? 0 : this.#found.indexOf(current));
    const number = current === undefined ? 0 : this.#countIn(before) + this.#range + 1;
    this.#count.textContent =
      this.#words === ""
        ? ""
        : this.#found.length === 0
          ? t("No results")
          : t(
              "{0} of {1} results",
              formatNumber(number),
              formatNumber(Math.max(number, this.#countIn(this.#found))),
            );
  }

  #countIn(slots: readonly MessageSlot[]): number {
    return slots.reduce((sum, slot) => sum + (this.#counts.get(slot) ?? 0), 0);
  }
}

/** The matches in a message, and what they depend on. */
interface FoundRanges {
  readonly element: Element;
  readonly words: string;
  readonly extent: string;
  readonly ranges: readonly StaticRange[];
}

/** Divides work into steps that fit into a frame. */
class Pauses {
  readonly #isWanted: () => boolean;
  #start = performance.now();

  /** @param isWanted Whether the work continues after a pause. */
  constructor(isWanted: () => boolean) {
    this.#isWanted = isWanted;
  }

  /** Waits for the next frame if this one is used up. False if the work must end. */
  next(): Promise<boolean> | true {
    return performance.now() - this.#start <= budget || this.#wait();
  }

  async #wait(): Promise<boolean> {
    await nextFrame();
    this.#start = performance.now();
    return this.#isWanted();
  }
}

/** The number of sections that are built. A selector would visit every element of the message. */
function countSections(message: Element): number {
  const chapters = [...message.children].flatMap((part) => [...part.children]);
  return chapters.reduce((sum, { childElementCount }) => sum + childElementCount, 0);
}

/**
 * Highlighted code, for example, gets new nodes, and the end of a streaming response becomes shorter with its markup.
 */
function isOnPage({ startContainer, startOffset, endContainer, endOffset }: StaticRange): boolean {
  const isThere = startContainer.isConnected && endContainer.isConnected;
  return isThere && startOffset <= lengthOf(startContainer) && endOffset <= lengthOf(endContainer);
}

function lengthOf(node: Node): number {
  return node.nodeValue?.length ?? 0;
}

/** Follows the text while it changes. */
function liveRange({ startContainer, startOffset, endContainer, endOffset }: StaticRange): Range {
  const range = document.createRange();
  range.setStart(startContainer, startOffset);
  range.setEnd(endContainer, endOffset);
  return range;
}

/** The texts of a message that can be shown. */
function textsOf({ message }: MessageSlot): readonly string[] {
  if (message === undefined) return [];
  return [message.text, message.reasoning, ...message.toolCalls.map((call) => call.arguments)];
}

/** How often a text contains the words, with or without its markup characters. */
function countMatches(source: string, words: string): number {
  const text = sameLength(source);
  const plain = text.replace(/[*_~`]+/g, "");
  return Math.max(text.split(words).length, plain.split(words).length) - 1;
}

/**
 * Opens the collapsed parts of a message that contain the words, and waits until they are rendered. False if there are
 * none.
 */
async function unfold(element: Element, slot: MessageSlot, words: string): Promise<boolean> {
  const [, reasoning = "", ...calls] = textsOf(slot);
  const cards = [...element.querySelectorAll<HTMLDetailsElement>(".tool-call > details")];
  const parts = [
    ...[...element.querySelectorAll<HTMLDetailsElement>("details.reasoning")].map((part) => ({
      part,
      texts: [reasoning],
    })),
    ...cards.map((part, index) => ({
      part,
      texts: [calls[index] ?? "", part.querySelector(".tool-result")?.textContent ?? ""],
    })),
  ];
  const closed = parts.filter(
    ({ part, texts }) => !part.open && texts.some((text) => countMatches(text, words) > 0),
  );
  const opened = closed.map(({ part }) => {
    part.open = true;
    return new Promise((resolve) => part.addEventListener("toggle", resolve, { once: true }));
  });
  await Promise.all(opened);
  await nextFrame();
  await nextFrame();
  return closed.length > 0;
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
