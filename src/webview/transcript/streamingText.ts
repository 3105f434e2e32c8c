import { create } from "../kit/dom.ts";
import { createDomTarget } from "../markdown/domTarget.ts";
import { MarkdownStream } from "../markdown/markdownStream.ts";
import { RunJoiner } from "./runJoiner.ts";

/** UTF-16 code units that are parsed in one step. */
const sliceLength = 2_000;
/** Milliseconds per frame for text. If more has arrived, the next frames show the rest. */
const frameBudget = 8;
/** UTF-16 code units per frame: laying them out takes several times as long as parsing them. */
const mostPerFrame = 10_000;
/** An element counts as this many of them. */
const unitsPerElement = 30;
/** This part of the waiting text is shown even if it takes longer. */
const leastOfWaiting = 1 / 4;

/** Markdown that grows in an element. */
export class StreamingText {
  readonly #stream: MarkdownStream<Node>;
  readonly #root: Element;
  #joiner: RunJoiner | undefined;
  readonly #isJson: boolean;
  #text = "";
  /**
   * Text that hasn't been passed to the stream yet. Kept in pieces, because joining them would copy all of it in each
   * frame.
   */
  #pieces: string[] = [];
  #waitingUnits = 0;
  #elementCount = 0;
  #isWaiting = false;
  #isFinished = false;
  /** Whether the stream has finished every block. */
  #isClosed = false;

  /**
   * @param isJson Whether text that starts like JSON is shown as code, because Markdown would interpret its characters.
   */
  constructor(
    root: Element,
    onFinished: (block: Node) => void,
    onElement?: (node: Element) => void,
    isJson = false,
  ) {
    this.#root = root;
    this.#isJson = isJson;
    const target = createDomTarget(document, (node) => {
      this.#elementCount += 1;
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
    for (const slice of slicesOf(text)) this.#pieces.push(slice);
    this.#waitingUnits += text.length;
    this.#isWaiting = true;
  }

  /** Shows as much of the appended text as a frame allows; false if the next frame has to show more. */
  render(): boolean {
    if (!this.#isWaiting) return true;
    const start = performance.now();
    let shown = 0;
    let isAllShown = this.#isFinished || this.#pieces.length > 0 || this.#stream.render();
    let units = 0;
    // The further it is behind, the more is shown at once, or the delay would grow without end on a busy machine.
    const least = this.#isFinished ? 0 : Math.min(mostPerFrame, this.#waitingUnits * leastOfWaiting);
    const elementsBefore = this.#elementCount;
    const isEnough = (): boolean =>
      units + (this.#elementCount - elementsBefore) * unitsPerElement >= mostPerFrame ||
      (units >= least && performance.now() - start > frameBudget);
    while (shown < this.#pieces.length && (units === 0 || !isEnough())) {
      for (let length = 0; shown < this.#pieces.length && length < sliceLength; shown += 1) {
        const piece = this.#pieces[shown] ?? "";
        this.#stream.append(piece);
        length += piece.length;
        units += piece.length;
      }
      isAllShown = this.#stream.render();
    }
    this.#pieces.splice(0, shown);
    this.#waitingUnits -= units;
    if (this.#pieces.length > 0) return false;
    if (this.#isFinished) this.#finish();
    const isUpToDate = this.#stream.updateReferences(start + frameBudget / 2);
    this.#isWaiting = !isUpToDate || !(isAllShown || this.#isFinished);
    return !this.#isWaiting;
  }

  /** Shows all of it at once. */
  renderAll(): void {
    while (!this.render()) if (this.#pieces.length === 0) this.#stream.renderNow();
  }

  /** The text is complete; the next `render` finishes everything that is open. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#isWaiting = true;
  }

  /** Text that consists only of definitions would be invisible, so it is shown as it arrived. */
  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.finish();
    if (this.#root.firstChild === null) this.#root.append(create("p", { dir: "auto" }, this.#text));
  }
}

/** The text in slices that are parsed one after the other. Surrogate pairs aren't split. */
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
