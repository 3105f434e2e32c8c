/** Where a menu was asked for, in pixels of the page. */
interface MenuPosition {
  readonly clientX: number;
  readonly clientY: number;
}

/** Milliseconds in which the browser reports a key that was already handled. */
const sameKeyMs = 700;

/**
 * The menu of a row is VS Code's own (`webview/context`). What it may offer is known to the host alone: the page asks,
 * and opens it where it was asked for once the response has come.
 */
export class GridMenu {
  readonly #grid: HTMLElement;
  /** The handle of the row that the target lies in; the active one where it lies in none. */
  readonly #ask: (target: Element | null) => void;
  #position: MenuPosition = { clientX: 0, clientY: 0 };
  #askedByKeyAt = -sameKeyMs;
  #isOwn = false;

  constructor(grid: HTMLElement, ask: (target: Element | null) => void) {
    this.#grid = grid;
    this.#ask = ask;
    grid.addEventListener("contextmenu", (event) => this.#onContextMenu(event));
  }

  /** To be called with every key; true for one that asks for a menu. `place` is the cell on which the user stands. */
  takeKey({ key, shiftKey, timeStamp }: KeyboardEvent, position: HTMLElement | undefined): boolean {
    if (key !== "ContextMenu" && !(key === "F10" && shiftKey)) return false;
    this.#askedByKeyAt = timeStamp;
    this.#askAt(position);
    return true;
  }

  /** `context` is what `when` clauses of the menu may ask for, as JSON. */
  open(context: string): void {
    this.#grid.dataset["vscodeContext"] = context;
    this.#isOwn = true;
    this.#grid.dispatchEvent(
      new MouseEvent("contextmenu", { bubbles: true, cancelable: true, view: window, ...this.#position }),
    );
    this.#isOwn = false;
  }

  #onContextMenu(event: MouseEvent): void {
    if (this.#isOwn) return;
    event.preventDefault();
    event.stopPropagation();
    const target = event.target instanceof Element ? event.target : null;
    // By a pointer or a long touch; a key's event comes from what has the focus, which is the grid.
    if (target?.closest("[role=row]")) {
      this.#position = { clientX: event.clientX, clientY: event.clientY };
      this.#ask(target);
    } else if (event.timeStamp - this.#askedByKeyAt > sameKeyMs) this.#askAt(undefined);
  }

  #askAt(cell: HTMLElement | undefined): void {
    const { left, bottom } = (cell ?? this.#grid).getBoundingClientRect();
    this.#position = { clientX: Math.max(0, left) + 8, clientY: bottom };
    this.#ask(null);
  }
}
