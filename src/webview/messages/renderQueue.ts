import { Frames } from "../frames.ts";
import { Pace } from "../pace.ts";
import type { MessageView } from "./messageView.ts";

/** Milliseconds of a frame that may go into messages that were there before. */
const backlogBudget = 8;

/** Decides what is rendered in a frame: what grows now at once, what was there before from the newest to the oldest. */
export class RenderQueue {
  readonly #frames = new Frames(() => this.#onFrame());
  readonly #pace = new Pace();
  readonly #afterRender: () => void;
  readonly #growing = new Set<MessageView>();
  readonly #backlog: MessageView[] = [];
  #isLaidOut = true;

  /** `afterRender` is called once in each frame in which something was rendered. */
  constructor(afterRender: () => void) {
    this.#afterRender = afterRender;
  }

  /** A view that grows. */
  add(view: MessageView): void {
    this.#growing.add(view);
    this.#frames.request();
  }

  /** A view of a message that was there before; the last one added is rendered first. */
  addLater(view: MessageView): void {
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
    if (this.#growing.size > 0 || this.#backlog.length > 0) this.#frames.request();
  }

  #render(start: number): void {
    this.#pace.start(start);
    for (const view of this.#growing) renderSafely(view);
    this.#growing.clear();
    this.#workOffBacklog(start);
    this.#pace.end(performance.now());
    this.#isLaidOut = false;
    this.#afterRender();
  }

  #workOffBacklog(start: number): void {
    while (this.#backlog.length > 0 && performance.now() - start <= backlogBudget) {
      const view = this.#backlog.pop();
      if (view?.element.isConnected) renderSafely(view);
    }
  }
}

/** A message that can't be rendered is told to the host and must not keep the others from being shown. */
function renderSafely(view: MessageView): void {
  try {
    view.render();
  } catch (error) {
    reportError(error);
  }
}
