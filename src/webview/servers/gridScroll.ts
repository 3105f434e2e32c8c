import { scrollTopFor } from "../../core/servers/table/gridCursor.ts";
import type { GridWindow } from "../../core/servers/table/gridCursor.ts";

/** Milliseconds without a scroll after which the user has come to rest. */
const restMs = 200;

/** What of the grid is in sight, in rows of one height that follows the size of letters. */
export class GridScroll {
  readonly #element: HTMLElement;
  /** As high as all rows together. */
  readonly #space: HTMLElement;
  #count = 0;
  #rowHeight = 26;
  #restTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param onRest Called with the row at the top when scrolling has ended. */
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

  /** The grid has changed its size, or its font may have. */
  measure(): void {
    const fontSize = Number.parseFloat(getComputedStyle(this.#element).fontSize);
    this.#rowHeight = Math.round(Math.max(10, fontSize) * 2);
    this.#element.style.setProperty("--row", `${this.#rowHeight}px`);
  }

  /** Makes room for so many rows. */
  stretch(count: number): void {
    this.#count = count;
    this.#space.style.height = `${count * this.#rowHeight}px`;
  }

  /** Puts the row at the top. */
  scrollTo(row: number): void {
    this.#element.scrollTop = row * this.#rowHeight;
  }

  /** Scrolls no further than is needed to see the row, or the very top for what stands above the rows. */
  reveal(row: number): void {
    this.#element.scrollTop = row < 0 ? 0 : scrollTopFor(row, this.window);
  }

  #waitForRest(onRest: (row: number) => void): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => onRest(Math.round(this.#element.scrollTop / this.#rowHeight)), restMs);
  }
}
