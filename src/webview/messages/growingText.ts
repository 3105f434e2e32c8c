import { create } from "../dom.ts";
import { createDomTarget } from "../markdown/domTarget.ts";
import { MarkdownStream } from "../markdown/markdownStream.ts";
import { RunJoiner } from "./runJoiner.ts";

/** Markdown that grows in an element. */
export class GrowingText {
  readonly #stream: MarkdownStream<Node>;
  readonly #root: Element;
  #joiner: RunJoiner | undefined;
  #text = "";
  #isWaiting = false;
  #isFinished = false;

  constructor(root: Element, onFinished: (block: Node) => void, onElement?: (node: Element) => void) {
    this.#root = root;
    const target = createDomTarget(document, (node) => {
      if (node.className === "run") (this.#joiner ??= new RunJoiner()).add(node);
      onElement?.(node);
    });
    this.#stream = new MarkdownStream<Node>(target, root, { onFinished });
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

  /** Shows what was appended. */
  render(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    if (this.#isFinished) this.#finish();
    else this.#stream.render();
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
