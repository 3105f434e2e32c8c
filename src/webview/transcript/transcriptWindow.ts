import { Frames } from "../kit/frames.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageSlot } from "./messageSlot.ts";
import type { MessageView } from "./messageView.ts";
import type { RenderQueue } from "./renderQueue.ts";
import { SlotGaps } from "./slotGaps.ts";
import { SlotTops } from "./slotTops.ts";

/** Conversations up to these sizes are shown as a whole: messages, and UTF-16 units of text. */
const [fewMessages, littleText] = [40, 200_000];
/** CSS pixels above and below what is in sight that are shown, at least. */
const leastMargin = 600;
/** Messages out of sight whose elements are kept, so that going back and forth costs nothing. */
const mostParked = 40;
/** Messages that were asked for, by a key or by a search, and stay wherever they are. */
const mostHeld = 4;

/** What the window must know of the part of the page that scrolls. */
export interface ScrolledPart {
  readonly scroller: HTMLElement;
  /** Whether the end is kept in sight. */
  isAtEnd(): boolean;
}

/**
 * Keeps elements only for the messages that are near what is in sight, so that a conversation costs what is shown of it.
 * The others are gaps of their height. What streams, has the focus or is selected stays.
 */
export class TranscriptWindow {
  readonly #root: HTMLElement;
  readonly #create: (message: Message) => MessageView;
  readonly #queue: RenderQueue;
  readonly #gaps: SlotGaps;
  readonly #tops = new SlotTops();
  readonly #frames = new Frames(() => this.update());
  readonly #mounted = new Set<MessageSlot>();
  readonly #byElement = new WeakMap<Element, MessageSlot>();
  /** Out of sight, with their elements; the first one was parked first. */
  readonly #parked = new Set<MessageSlot>();
  #held: readonly MessageSlot[] = [];
  #isWhole = true;
  #isPrinted = false;
  /** The gaps have other heights. */
  #isScaled = false;
  #part: ScrolledPart | undefined;
  /** What is in sight, in CSS pixels from the top of the transcript. */
  #sight = { top: 0, height: 800 };
  #width = 0;
  #margin: number | undefined;
  readonly #sizes = new ResizeObserver((entries) => {
    for (const { target, borderBoxSize } of entries) this.#measured(target, borderBoxSize[0]);
  });

  constructor(root: HTMLElement, create: (message: Message) => MessageView, queue: RenderQueue) {
    this.#root = root;
    this.#create = create;
    this.#queue = queue;
    this.#gaps = new SlotGaps(root, (slot) => this.bringIn(slot)?.focus());
    for (const type of ["click", "input", "toggle"])
      root.addEventListener(type, ({ target }) => this.#touched(target), { capture: true });
    window.addEventListener("beforeprint", () => this.#print(true));
    window.addEventListener("afterprint", () => this.#print(false));
  }

  /** To be called once the transcript is on the page. */
  attach(part: ScrolledPart): void {
    this.#part = part;
    part.scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    this.#sizes.observe(part.scroller);
    this.#sizes.observe(this.#root);
  }

  get slots(): readonly MessageSlot[] {
    return this.#tops.slots;
  }

  /** Shows these, in this order. */
  show(slots: readonly MessageSlot[]): void {
    const gone = new Set(this.slots);
    this.#tops.show(slots);
    for (const slot of slots) gone.delete(slot);
    for (const slot of gone) this.#forget(slot);
    this.#measureAll(slots);
    this.update(true);
  }

  /** Appends one. */
  add(slot: MessageSlot): void {
    this.#tops.add(slot);
    this.#measureAll(this.slots);
    this.update(true);
  }

  /** The element of a message, shown at once wherever it is; undefined while the host hasn't sent the message. */
  bringIn(slot: MessageSlot): HTMLElement | undefined {
    this.#held = [slot, ...this.#held.filter((other) => other !== slot)].slice(0, mostHeld);
    this.update();
    if (slot.view === undefined) return undefined;
    if (!slot.isRendered) slot.render();
    const { element } = slot.view;
    if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
    return element;
  }

  /** The message that an element on the page belongs to. */
  slotAt(node: Node | null): MessageSlot | undefined {
    const element = node instanceof Element ? node : node?.parentElement;
    for (let at = element ?? null; at !== null && at !== this.#root; at = at.parentElement) {
      const slot = this.#byElement.get(at);
      if (slot !== undefined) return slot;
    }
    return undefined;
  }

  /** The messages that a child of the transcript stands for: one, or all of a gap. */
  slotsOf(child: Element): readonly MessageSlot[] {
    const slot = this.#byElement.get(child);
    return slot === undefined ? this.#gaps.slotsOf(child) : [slot];
  }

  /** Recalculates what is shown. `isOther` is true if messages have been added, removed or changed. */
  update(isOther = false): void {
    const wanted = this.#findWanted();
    const gone = [...this.#mounted].filter((slot) => !wanted.has(slot) || slot.view === undefined);
    for (const slot of gone) this.#park(slot);
    const fresh = [...wanted].filter((slot) => !this.#mounted.has(slot) && slot.message !== undefined);
    if (!isOther && !this.#isScaled && fresh.length === 0 && gone.length === 0) return;
    this.#isScaled = false;
    // What is rendered first is added last: the nearest to the end where that is in sight, else to the middle.
    const { top, height } = this.#sightNow();
    const middle = top + (this.#part?.isAtEnd() === false ? height / 2 : height);
    const distance = (slot: MessageSlot): number => Math.abs(this.#tops.topOf(slot) - middle);
    for (const slot of fresh.toSorted((a, b) => distance(b) - distance(a))) this.#mount(slot);
    this.#gaps.order(this.slots, this.#mounted);
    this.#dropParked();
  }

  #findWanted(): Set<MessageSlot> {
    const { slots } = this;
    if (this.#isWhole || this.#isPrinted) return new Set(slots.filter(({ role }) => role !== "tool"));
    const { top, height } = this.#sightNow();
    const margin = Math.max(height, leastMargin);
    const wanted = new Set(this.#tops.between(top - margin, top + height + margin));
    for (const slot of this.#tops.between(top - 2 * margin, top + height + 2 * margin))
      if (this.#mounted.has(slot)) wanted.add(slot);
    for (const slot of this.#mounted) if (slot.isStreaming) wanted.add(slot);
    for (const slot of [...this.#held, this.slotAt(document.activeElement), slots.at(-1)])
      if (slot !== undefined && slot.role !== "tool" && this.#tops.has(slot)) wanted.add(slot);
    for (const slot of this.#selected()) wanted.add(slot);
    return wanted;
  }

  /** What is selected and on the page: a selection would end with the elements that it is in. */
  #selected(): readonly MessageSlot[] {
    const selection = getSelection();
    if (selection === null || selection.isCollapsed || !selection.containsNode(this.#root, true)) return [];
    return [...this.#mounted].filter(
      ({ view }) => view !== undefined && selection.containsNode(view.element, true),
    );
  }

  #mount(slot: MessageSlot): void {
    const view = slot.show(this.#create);
    if (view === undefined) return;
    this.#mounted.add(slot);
    this.#parked.delete(slot);
    this.#byElement.set(view.element, slot);
    this.#sizes.observe(view.element);
    if (slot.isRendered) return;
    // It takes the place that was kept for it until it has one of its own.
    if (!this.#isWhole) view.element.style.minHeight = `${Math.max(0, slot.height - (this.#margin ?? 0))}px`;
    this.#queue.addLater(slot);
  }

  #unmount(slot: MessageSlot): void {
    if (!this.#mounted.delete(slot) || slot.view === undefined) return;
    this.#sizes.unobserve(slot.view.element);
    slot.view.element.remove();
  }

  /** It isn't shown here any more, but perhaps elsewhere. */
  #forget(slot: MessageSlot): void {
    this.#unmount(slot);
    this.#parked.delete(slot);
    this.#held = this.#held.filter((other) => other !== slot);
  }

  #park(slot: MessageSlot): void {
    this.#unmount(slot);
    if (slot.view !== undefined) this.#parked.add(slot);
  }

  #dropParked(): void {
    for (const slot of this.#parked) {
      if (this.#parked.size <= mostParked) return;
      if (slot.isTouched) continue;
      this.#parked.delete(slot);
      slot.drop();
    }
  }

  #touched(target: EventTarget | null): void {
    const slot = target instanceof Node ? this.slotAt(target) : undefined;
    if (slot !== undefined) slot.isTouched = true;
  }

  #print(isPrinted: boolean): void {
    this.#isPrinted = isPrinted;
    this.update();
    if (isPrinted) for (const slot of this.#mounted) if (!slot.isRendered) slot.render();
  }

  #measureAll(slots: readonly MessageSlot[]): void {
    const length =
      slots.length > fewMessages ? Infinity : slots.reduce((sum, slot) => sum + slot.textLength, 0);
    this.#isWhole = length <= littleText;
  }

  /** The browser has scrolled: the layout is as it is shown, and asking for it costs nothing. */
  #look(): void {
    const scroller = this.#part?.scroller;
    if (scroller === undefined) return;
    const top = scroller.getBoundingClientRect().top - this.#root.getBoundingClientRect().top;
    this.#sight = { top, height: scroller.clientHeight };
    if (!this.#isWhole) this.#frames.request();
  }

  #sightNow(): { readonly top: number; readonly height: number } {
    const { top, height } = this.#sight;
    return this.#part?.isAtEnd() === false ? { top, height } : { top: this.#tops.total - height, height };
  }

  /** The browser has laid out something of another size. */
  #measured(target: Element, size: ResizeObserverSize | undefined): void {
    if (size === undefined) return;
    if (target === this.#part?.scroller) {
      this.#sight = { ...this.#sight, height: size.blockSize };
    } else if (target === this.#root) {
      if (this.#width > 0 && size.inlineSize > 0 && Math.abs(size.inlineSize - this.#width) > 1) {
        this.#tops.scale(this.#width / size.inlineSize, this.#mounted);
        this.#isScaled = true;
      }
      this.#width = size.inlineSize;
    } else {
      const slot = this.#byElement.get(target);
      if (slot?.isRendered !== true || !this.#mounted.has(slot) || size.blockSize === 0) return;
      this.#margin ??= parseFloat(getComputedStyle(target).marginBottom) || 0;
      this.#tops.setHeight(slot, size.blockSize + this.#margin);
    }
    if (!this.#isWhole) this.#frames.request();
  }
}
