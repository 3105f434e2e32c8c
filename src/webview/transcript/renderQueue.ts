import { Frames } from "../kit/frames.ts";
import { FrameBudget } from "../kit/frameBudget.ts";

/** Something that renders its pending content when it is called. */
export interface Rendered {
  /** Absent while it isn't on the page. */
  readonly element: Element | undefined;
  render(): void;
}

/** Milliseconds of a frame that may go into messages that were there before. */
const backlogBudget = 8;

/** Decides what is rendered in a frame: what grows now at once, what was there before from the newest to the oldest. */
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

  /** A view that grows. */
  add(view: Rendered): void {
    this.#growing.add(view);
    this.#frames.request();
  }

  /** A view of a message that was there before; the last one added is rendered first. */
  addLater(view: Rendered): void {
    this.#backlog.push(view);
    this.#frames.request();
  }

  /** To be called when the browser has laid out what was rendered: that is a part of its cost. */
  laidOut(): void {
    if (this.#isLaidOut) return;
    this.#isLaidOut = true;
    this.#pace.end(performance.now());
  }

  #onFrame(): void {
    const start = performance.now();
    if (this.#pace.isDue(start)) this.#render(start);
    // What is scrolled to doesn't wait: it is some messages and then no more.
    else if (this.#workOffBacklog(start)) this.#afterRender();
    if (this.#growing.size > 0 || this.#backlog.length > 0) this.#frames.request();
  }

  #render(start: number): void {
    this.#pace.start(start);
    const growing = this.#growing;
    // What has more to show than fits asks for the next frame meanwhile.
    this.#growing = new Set();
    for (const view of growing) renderSafely(view);
    this.#workOffBacklog(start);
    this.#pace.end(performance.now());
    this.#isLaidOut = false;
    this.#afterRender();
  }

  /** True where something was rendered. */
  #workOffBacklog(start: number): boolean {
    const count = this.#backlog.length;
    while (this.#backlog.length > 0 && performance.now() - start <= backlogBudget) {
      const view = this.#backlog.pop();
      if (view?.element?.isConnected) renderSafely(view);
    }
    return this.#backlog.length < count;
  }
}

/** A message that can't be rendered is reported to the host and must not keep the others from being shown. */
function renderSafely(view: Rendered): void {
  try {
    view.render();
  } catch (error) {
    reportError(error);
  }
}
