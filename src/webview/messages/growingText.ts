import { create } from "../dom.ts";
import { createDomTarget } from "../markdown/domTarget.ts";
import { MarkdownStream } from "../markdown/markdownStream.ts";
import { Pace } from "../pace.ts";

/** Markdown that grows in an element, rendered no more often than its cost allows. */
export class GrowingText {
  readonly #stream: MarkdownStream<Node>;
  readonly #root: Element;
  readonly #pace = new Pace();
  #text = "";
  #isWaiting = false;
  #isFinished = false;

  constructor(root: Element, onFinished: (block: Node) => void) {
    this.#root = root;
    this.#stream = new MarkdownStream<Node>(createDomTarget(document), root, { onFinished });
  }

  get text(): string {
    return this.#text;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  append(text: string): void {
    if (text === "") return;
    this.#text += text;
    this.#stream.append(text);
    this.#isWaiting = true;
  }

  /** Shows what was appended, or says true when that has to wait. */
  render(now: number): boolean {
    if (!this.#isWaiting) return false;
    if (!this.#isFinished && !this.#pace.isDue(now)) return true;
    this.#isWaiting = false;
    if (this.#isFinished) this.#finish();
    else this.#stream.render();
    const end = performance.now();
    this.#pace.rendered(end, end - now);
    return false;
  }

  /** No more text comes; the next `render` finishes what is open. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#isWaiting = true;
  }

  /** Text of nothing but definitions would be invisible: it is shown as it came. */
  #finish(): void {
    this.#stream.finish();
    if (this.#root.firstChild === null) this.#root.append(create("p", { dir: "auto" }, this.#text));
  }
}
