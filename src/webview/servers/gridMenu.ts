/** Where a menu was requested, in page pixels. */
interface MenuPosition {
  readonly clientX: number;
  readonly clientY: number;
}

/** Milliseconds within which the browser may report a key that was already handled. */
const sameKeyMs = 700;

/**
 * The menu of a row is VS Code's own (`webview/context`). Only the host knows which items apply, so the page requests
 * them, and opens the menu at the original position once the response has arrived.
 */
export class GridMenu {
  readonly #grid: HTMLElement;
  /** Requests the menu for the row that contains the target, otherwise for the active row. */
  readonly #ask: (target: Element | null) => void;
  #position: MenuPosition = { clientX: 0, clientY: 0 };
  #askedByKeyAt = -sameKeyMs;
  #isOwn = false;

  constructor(grid: HTMLElement, ask: (target: Element | null) => void) {
    this.#grid = grid;
    this.#ask = ask;
    grid.addEventListener("contextmenu", (event) => this.#onContextMenu(event));
  }

  /** Call this for every key. Returns true if the key opens a menu. `position` is the active cell. */
  takeKey({ key, shiftKey, timeStamp }: KeyboardEvent, position: HTMLElement | undefined): boolean {
    if (key !== "ContextMenu" && !(key === "F10" && shiftKey)) return false;
    this.#askedByKeyAt = timeStamp;
    this.#askAt(position);
    return true;
  }

  /** `context` contains the values for the menu's `when` clauses, as JSON. */
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
    // Opened by a pointer or a long touch. A key's event comes from the focused element, which is the grid.
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
