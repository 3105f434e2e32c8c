import { Frames } from "../kit/frames.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageSlot } from "./messageSlot.ts";
import type { MessageView } from "./messageView.ts";
import type { RenderQueue } from "./renderQueue.ts";
import { SlotGaps, SlotTops } from "./slotGaps.ts";

/** Conversations up to this size are shown as a whole: number of messages, and UTF-16 code units of text. */
const [fewMessages, littleText] = [40, 200_000];
/** Minimum distance outside the viewport, in CSS pixels, within which messages are shown. */
const leastMargin = 600;
/** Number of hidden messages whose elements are kept, so that scrolling back and forth costs nothing. */
const mostParked = 40;
/** Number of messages that were requested by a key or a search and stay wherever they are. */
const mostHeld = 4;

/** What the window needs to know about the scrolling part of the page. */
export interface ScrolledPart {
  readonly scroller: HTMLElement;
  /** Whether the end is kept visible. */
  isAtEnd(): boolean;
}

/**
 * Keeps elements only for messages near the viewport, so that the cost depends only on what is shown. The others are
 * gaps of the same height. Messages that are streaming, focused or selected stay.
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
  /** Hidden messages that still have elements, in the order in which they were hidden. */
  readonly #parked = new Set<MessageSlot>();
  #held: readonly MessageSlot[] = [];
  #isWhole = true;
  #isPrinted = false;
  /** Whether the heights of the gaps have changed. */
  #isScaled = false;
  #part: ScrolledPart | undefined;
  /** The visible range, in CSS pixels from the top of the transcript. */
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

  /** Call this once the transcript is on the page. */
  attach(part: ScrolledPart): void {
    this.#part = part;
    part.scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    this.#sizes.observe(part.scroller);
    this.#sizes.observe(this.#root);
  }

  get slots(): readonly MessageSlot[] {
    return this.#tops.slots;
  }

  /** Whether all messages have elements, because there is little text. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Shows these messages in this order. */
  show(slots: readonly MessageSlot[]): void {
    const gone = new Set(this.slots);
    this.#tops.show(slots);
    for (const slot of slots) gone.delete(slot);
    for (const slot of gone) this.#forget(slot);
    this.#measureAll(slots);
    this.update(true);
  }

  /** Appends a message. */
  add(slot: MessageSlot): void {
    this.#tops.add(slot);
    this.#measureAll(this.slots);
    this.update(true);
  }

  /**
   * The element of a message, which is shown immediately wherever it is; undefined until the host has sent the message.
   */
  bringIn(slot: MessageSlot): HTMLElement | undefined {
    this.#held = [slot, ...this.#held.filter((other) => other !== slot)].slice(0, mostHeld);
    this.update();
    if (slot.view === undefined) return undefined;
    if (!slot.isRendered) slot.render();
    const { element } = slot.view;
    if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
    return element;
  }

  /** The message that contains an element on the page. */
  slotAt(node: Node | null): MessageSlot | undefined {
    const element = node instanceof Element ? node : node?.parentElement;
    for (let at = element ?? null; at !== null && at !== this.#root; at = at.parentElement) {
      const slot = this.#byElement.get(at);
      if (slot !== undefined) return slot;
    }
    return undefined;
  }

  /** The messages that a child of the transcript represents: one, or all of a gap. */
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
    // What is added last is rendered first: the message nearest to the end if the end is visible, otherwise to the
    // middle.
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

  /** The selected messages on the page. Removing their elements would end the selection. */
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
    // Occupies the space that was reserved for it until it has a height of its own.
    if (!this.#isWhole) view.element.style.minHeight = `${Math.max(0, slot.height - (this.#margin ?? 0))}px`;
    this.#queue.addLater(slot);
  }

  #unmount(slot: MessageSlot): void {
    if (!this.#mounted.delete(slot) || slot.view === undefined) return;
    this.#sizes.unobserve(slot.view.element);
    slot.view.element.remove();
  }

  /** The message isn't shown here anymore, but may be shown elsewhere. */
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
    if (isPrinted) for (const slot of this.#mounted) if (!slot.isShown) slot.render(true);
  }

  #measureAll(slots: readonly MessageSlot[]): void {
    const length =
      slots.length > fewMessages ? Infinity : slots.reduce((sum, slot) => sum + slot.textLength, 0);
    this.#isWhole = length <= littleText;
  }

  /** After the browser has scrolled, the layout is up to date and reading it costs nothing. */
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

  /** Called when the browser has laid out an element at a different size. */
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
