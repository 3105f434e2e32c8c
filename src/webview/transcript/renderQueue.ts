import { Frames, FrameBudget } from "../kit/frames.ts";

/** Something that renders its pending content on demand. */
interface Rendered {
  /** Absent while it isn't on the page. */
  readonly element: Element | undefined;
  render(): void;
}

/** Milliseconds per frame for rendering messages that existed before. */
const backlogBudget = 8;

/** Decides what is rendered in a frame: growing messages immediately, existing ones from the newest to the oldest. */
export class RenderQueue {
  readonly #frames = new Frames(() => this.#onFrame());
  readonly #pace = new FrameBudget();
  readonly #afterRender: () => void;
  #growing = new Set<Rendered>();
  readonly #backlog: Rendered[] = [];
  #isLaidOut = true;

  /** `afterRender` is called once in each frame in which something was rendered. */
  constructor(afterRender: () => void) {
    this.#afterRender = afterRender;
  }

  /** Adds a view that is growing. */
  add(view: Rendered): void {
    this.#growing.add(view);
    this.#frames.request();
  }

  /** Adds the view of an existing message. The last one added is rendered first. */
  addLater(view: Rendered): void {
    this.#backlog.push(view);
    this.#frames.request();
  }

  /** Call this when the browser has laid out what was rendered, which is part of its cost. */
  laidOut(): void {
    if (this.#isLaidOut) return;
    this.#isLaidOut = true;
    this.#pace.end(performance.now(), this.#growing.size > 0);
  }

  #onFrame(): void {
    const start = performance.now();
    if (this.#pace.isDue(start)) this.#render(start);
    // Messages that are scrolled into view don't wait: there are only a few.
    else if (this.#workOffBacklog(start)) this.#afterRender();
    if (this.#growing.size > 0 || this.#backlog.length > 0) this.#frames.request();
  }

  #render(start: number): void {
    this.#pace.start(start);
    const growing = this.#growing;
    // Views with more to show than fits request the next frame in the meantime.
    this.#growing = new Set();
    for (const view of growing) renderSafely(view);
    this.#workOffBacklog(start);
    this.#pace.end(performance.now(), this.#growing.size > 0);
    this.#isLaidOut = false;
    this.#afterRender();
  }

  /** True if something was rendered. */
  #workOffBacklog(start: number): boolean {
    const count = this.#backlog.length;
    while (this.#backlog.length > 0 && performance.now() - start <= backlogBudget) {
      const view = this.#backlog.pop();
      if (view?.element?.isConnected) renderSafely(view);
    }
    return this.#backlog.length < count;
  }
}

/** If a message can't be rendered, that is reported to the host, and the others are still shown. */
function renderSafely(view: Rendered): void {
  try {
    view.render();
  } catch (error) {
    reportError(error);
  }
}
