import type { MessageSlot } from "./messageSlot.ts";

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
