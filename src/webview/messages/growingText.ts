import { create } from "../dom.ts";
import { createDomTarget } from "../markdown/domTarget.ts";
import { MarkdownStream } from "../markdown/markdownStream.ts";
import { RunJoiner } from "./runJoiner.ts";

/** Markdown that grows in an element. */
export class GrowingText {
  readonly #stream: MarkdownStream<Node>;
  readonly #root: Element;
  #joiner: RunJoiner | undefined;
  readonly #isJson: boolean;
  #text = "";
  #isWaiting = false;
  #isFinished = false;

  /** @param isJson Whether text that begins as JSON is shown as code: Markdown would take its signs for its own. */
  constructor(
    root: Element,
    onFinished: (block: Node) => void,
    onElement?: (node: Element) => void,
    isJson = false,
  ) {
    this.#root = root;
    this.#isJson = isJson;
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
    const isFirst = this.#isJson && this.#text.trim() === "";
    this.#text += text;
    if (isFirst && /^\s*[[{]/.test(text)) this.#stream.append("```json\n");
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
