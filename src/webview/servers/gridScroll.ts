import { scrollTopFor } from "../../core/servers/table/gridCursor.ts";
import type { GridWindow } from "../../core/servers/table/gridCursor.ts";

/** Milliseconds without scrolling after which scrolling has ended. */
const restMs = 200;

/** The visible part of the grid, in rows of equal height, which depends on the font size. */
export class GridScroll {
  readonly #element: HTMLElement;
  /** As tall as all rows together. */
  readonly #space: HTMLElement;
  #count = 0;
  #rowHeight = 26;
  #restTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param onRest Called with the top row when scrolling has ended. */
  constructor(element: HTMLElement, space: HTMLElement, onRest: (row: number) => void) {
    this.#element = element;
    this.#space = space;
    element.addEventListener("scroll", () => this.#waitForRest(onRest), { passive: true });
  }

  /** In pixels. */
  get rowHeight(): number {
    return this.#rowHeight;
  }

  get window(): GridWindow {
    const { scrollTop, clientHeight } = this.#element;
    const rowHeight = this.#rowHeight;
    return { scrollTop, height: clientHeight - rowHeight, rowHeight, count: this.#count };
  }

  /** Call this when the grid's size has changed, or its font may have. */
  measure(): void {
    const fontSize = Number.parseFloat(getComputedStyle(this.#element).fontSize);
    this.#rowHeight = Math.round(Math.max(10, fontSize) * 2);
    this.#element.style.setProperty("--row", `${this.#rowHeight}px`);
  }

  /** Makes room for this many rows. */
  stretch(count: number): void {
    this.#count = count;
    this.#space.style.height = `${count * this.#rowHeight}px`;
  }

  /** Scrolls the row to the top. */
  scrollTo(row: number): void {
    this.#element.scrollTop = row * this.#rowHeight;
  }

  /** Scrolls only as far as needed to show the row, or to the very top for anything above the rows. */
  reveal(row: number): void {
    this.#element.scrollTop = row < 0 ? 0 : scrollTopFor(row, this.window);
  }

  #waitForRest(onRest: (row: number) => void): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => onRest(Math.round(this.#element.scrollTop / this.#rowHeight)), restMs);
  }
}
