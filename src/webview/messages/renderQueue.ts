import { Frames } from "../frames.ts";
import type { MessageView } from "./messageView.ts";

/** Milliseconds of a frame that may go into messages that were there before. */
const backlogBudget = 8;

/** Decides what is rendered in a frame: what grows now at once, what was there before from the newest to the oldest. */
export class RenderQueue {
  readonly #frames = new Frames(() => this.#onFrame());
  readonly #afterRender: () => void;
  readonly #growing = new Set<MessageView>();
  readonly #backlog: MessageView[] = [];

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

  #onFrame(): void {
    const start = performance.now();
    for (const view of this.#growing) {
      if (!renderSafely(view, start)) this.#growing.delete(view);
    }
    this.#workOffBacklog(start);
    this.#afterRender();
    if (this.#growing.size > 0 || this.#backlog.length > 0) this.#frames.request();
  }

  #workOffBacklog(start: number): void {
    while (this.#backlog.length > 0) {
      const now = performance.now();
      if (now - start > backlogBudget) return;
      const view = this.#backlog.pop();
      if (view?.element.isConnected && renderSafely(view, now)) this.#growing.add(view);
    }
  }
}

/** A message that can't be rendered is told to the host and must not keep the others from being shown. */
function renderSafely(view: MessageView, now: number): boolean {
  try {
    return view.render(now);
  } catch (error) {
    reportError(error);
    return false;
  }
}
