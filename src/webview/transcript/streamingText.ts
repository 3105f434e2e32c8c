import { create } from "../kit/dom.ts";
import { createDomTarget } from "../markdown/domTarget.ts";
import type * as markdownStream from "../markdown/markdownStream.ts";
import { RunJoiner } from "./runJoiner.ts";

let markdown: typeof markdownStream | undefined;

/** Loads what parses Markdown, which is half of the page's code: a new chat can be written in before it is there. */
export async function loadMarkdown(): Promise<void> {
  markdown ??= await import("../markdown/markdownStream.ts");
  performance.mark("markdown-loaded");
}

/** Whether Markdown can be shown. */
export function isMarkdownLoaded(): boolean {
  return markdown !== undefined;
}

/** UTF-16 units that are parsed in one go. */
const sliceLength = 8_000;
/** Milliseconds of a frame that go into text: where more has come than fits, the next frames show the rest. */
const frameBudget = 8;

/** Markdown that grows in an element. To be created after `loadMarkdown` only. */
export class StreamingText {
  readonly #stream: markdownStream.MarkdownStream<Node>;
  readonly #root: Element;
  #joiner: RunJoiner | undefined;
  readonly #isJson: boolean;
  #text = "";
  /** What the stream has not been given yet. Kept in pieces: joined, each frame would copy all of it. */
  #pieces: string[] = [];
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
    if (markdown === undefined) throw new Error("Markdown was to be shown before its parser was loaded.");
    this.#stream = new markdown.MarkdownStream<Node>(target, root, { onFinished });
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
    for (const slice of slicesOf(text)) this.#pieces.push(slice);
    this.#isWaiting = true;
  }

  /** Shows what was appended, as far as a frame allows; false if the next frame must show more. */
  render(): boolean {
    if (!this.#isWaiting) return true;
    const start = performance.now();
    let shown = 0;
    let isAllShown = this.#isFinished || this.#pieces.length > 0 || this.#stream.render();
    while (shown < this.#pieces.length && performance.now() - start <= frameBudget) {
      for (let length = 0; shown < this.#pieces.length && length < sliceLength; shown += 1) {
        const piece = this.#pieces[shown] ?? "";
        this.#stream.append(piece);
        length += piece.length;
      }
      isAllShown = this.#stream.render();
    }
    this.#pieces.splice(0, shown);
    if (this.#pieces.length > 0 || (!isAllShown && !this.#isFinished)) return false;
    this.#isWaiting = false;
    if (this.#isFinished) this.#finish();
    return true;
  }

  /** Shows all of it at once. */
  renderAll(): void {
    while (!this.render()) if (this.#pieces.length === 0) this.#stream.renderNow();
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

/** The text in slices that are parsed one after the other; a character of two units stays whole. */
function slicesOf(text: string): readonly string[] {
  if (text.length <= sliceLength) return [text];
  const slices: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + sliceLength);
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
    slices.push(text.slice(start, end));
    start = end;
  }
  return slices;
}
