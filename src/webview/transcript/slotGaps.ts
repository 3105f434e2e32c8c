import { t } from "@vscode/l10n";
import { create } from "../kit/dom.ts";
import type { MessageSlot } from "./messageSlot.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/**
 * The position at which each message starts, based on the heights of those before it. The cost of a change depends on
 * the messages after it.
 */
export class SlotTops {
  #slots: MessageSlot[] = [];
  readonly #numbers = new Map<MessageSlot, number>();
  /** In CSS pixels, with one more entry than there are messages. Valid up to `#valid`. */
  #tops: number[] = [0];
  #valid = 0;

  get slots(): readonly MessageSlot[] {
    return this.#slots;
  }

  get total(): number {
    return this.#topAt(this.#slots.length);
  }

  show(slots: readonly MessageSlot[]): void {
    this.#slots = [...slots];
    this.#numbers.clear();
    for (const [number, slot] of slots.entries()) this.#numbers.set(slot, number);
    this.#tops = [0];
    this.#valid = 0;
  }

  add(slot: MessageSlot): void {
    this.#numbers.set(slot, this.#slots.length);
    this.#slots.push(slot);
  }

  has(slot: MessageSlot): boolean {
    return this.#numbers.has(slot);
  }

  topOf(slot: MessageSlot): number {
    return this.#topAt(this.#numbers.get(slot) ?? 0);
  }

  setHeight(slot: MessageSlot, height: number): void {
    if (slot.height === height) return;
    slot.height = height;
    this.#valid = Math.min(this.#valid, this.#numbers.get(slot) ?? 0);
  }

  /**
   * Called when the page has a different width: lines break elsewhere, and the height of hidden messages is estimated.
   */
  scale(factor: number, shown: ReadonlySet<MessageSlot>): void {
    for (const slot of this.#slots) if (!shown.has(slot)) slot.height *= factor;
    this.#valid = 0;
  }

  /** The messages that overlap this range, except those without visible content. */
  between(top: number, bottom: number): readonly MessageSlot[] {
    this.#topAt(this.#slots.length);
    let [low, high] = [0, this.#slots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#tops[middle + 1] ?? 0) <= top) low = middle + 1;
      else high = middle;
    }
    const found: MessageSlot[] = [];
    for (let number = low; (this.#tops[number] ?? Infinity) < bottom; number += 1) {
      const slot = this.#slots[number];
      if (slot === undefined) break;
      if (slot.role !== "tool") found.push(slot);
    }
    return found;
  }

  #topAt(number: number): number {
    for (; this.#valid < number; this.#valid += 1)
      this.#tops[this.#valid + 1] = (this.#tops[this.#valid] ?? 0) + (this.#slots[this.#valid]?.height ?? 0);
    return this.#tops[number] ?? 0;
  }
}

/** The space of messages that have no elements: one element for each consecutive group, as tall as the group. */
export class SlotGaps {
  readonly #root: HTMLElement;
  readonly #onShow: (slot: MessageSlot) => void;
  #gaps: HTMLElement[] = [];
  readonly #slots = new WeakMap<Element, readonly MessageSlot[]>();

  /** @param onShow Shows a message that is in a gap. Screen readers reach a gap's button like text. */
  constructor(root: HTMLElement, onShow: (slot: MessageSlot) => void) {
    this.#root = root;
    this.#onShow = onShow;
  }

  slotsOf(gap: Element): readonly MessageSlot[] {
    return this.#slots.get(gap) ?? [];
  }

  /** Puts the elements into message order, with gaps in between. Only moves those that are in the wrong position. */
  order(slots: readonly MessageSlot[], mounted: ReadonlySet<MessageSlot>): void {
    const wanted = this.#arrange(slots, mounted);
    const used = new Set(wanted);
    for (const gap of this.#gaps) if (!used.has(gap)) gap.remove();
    this.#gaps = this.#gaps.filter((gap) => used.has(gap));
    let expected = this.#root.firstElementChild;
    for (const element of wanted) {
      if (element === expected) expected = expected.nextElementSibling;
      else this.#root.insertBefore(element, expected);
    }
  }

  #arrange(slots: readonly MessageSlot[], mounted: ReadonlySet<MessageSlot>): readonly HTMLElement[] {
    const wanted: HTMLElement[] = [];
    const size = slots.filter(({ role }) => role !== "tool").length;
    let [position, gaps] = [0, 0];
    let run: MessageSlot[] = [];
    const endRun = (): void => {
      if (run.length > 0) wanted.push(this.#fill(gaps++, run, position === size));
      run = [];
    };
    let followsTool = false;
    for (const slot of slots) {
      const followed = followsTool;
      followsTool = slot.role === "tool";
      if (followsTool) continue;
      const element = mounted.has(slot) ? slot.view?.element : undefined;
      if (element !== undefined) endRun();
      position += 1;
      if (element === undefined) {
        run.push(slot);
        continue;
      }
      // Lets a screen reader announce a message's position although the others aren't on the page.
      element.setAttribute("aria-posinset", String(position));
      element.setAttribute("aria-setsize", String(size));
      element.classList.toggle("follows-tool", followed && slot.role === "assistant");
      wanted.push(element);
    }
    endRun();
    return wanted;
  }

  #fill(number: number, slots: readonly MessageSlot[], isAtEnd: boolean): HTMLElement {
    const gap = (this.#gaps[number] ??= this.#create());
    const height = slots.reduce((sum, slot) => sum + slot.height, 0);
    gap.style.height = `${height}px`;
    const label =
      slots.length === 1 ? t("1 more message") : t("{0} more messages", formatNumber(slots.length));
    const button = gap.firstElementChild;
    if (button !== null && button.textContent !== label) button.textContent = label;
    gap.classList.toggle("at-end", isAtEnd);
    this.#slots.set(gap, slots);
    return gap;
  }

  #create(): HTMLElement {
    const button = create("button", { type: "button", class: "visually-hidden", tabindex: "-1" });
    const gap = create("div", { class: "message-gap" }, button);
    button.addEventListener("click", () => {
      const slots = this.slotsOf(gap);
      const next = gap.classList.contains("at-end") ? slots[0] : slots.at(-1);
      if (next !== undefined) this.#onShow(next);
    });
    return gap;
  }
}
