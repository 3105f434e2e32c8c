import { create } from "../kit/dom.ts";
import { adjacentPart, createDomTarget, groupStartingWith } from "../markdown/domTarget.ts";
import { typesetEvent, waitingFormula } from "../markdown/math/mathTypesetter.ts";
import { MarkdownStream } from "../markdown/markdownStream.ts";
/** Milliseconds per frame for joining runs. */
const budget = 6;
/** As a multiple of the font size: less space than this at the end of a line is left empty. */
const leastRoom = 1.5;
/** The run after one with more formulas than this that will be typeset starts on a line of its own until then. */
const fewFormulas = 4;

/**
 * Makes the runs of a very long paragraph (markdown/runs.ts) look like one. They are laid out separately, so that a
 * growing text costs the same at its end as at its start. Each starts on the last line of the previous one, after its
 * last word.
 */
class RunJoiner {
  readonly #waiting = new Set<HTMLElement>();
  readonly #sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) this.#enqueue(adjacentPart(target, "next"));
  });
  #isScheduled = false;

  /** Adds a run that has just been created. */
  add(run: Element): void {
    this.#sizes.observe(run);
    // Its last line may end elsewhere although its size is the same.
    run.addEventListener(typesetEvent, () => this.#enqueue(adjacentPart(run, "next")));
    this.#enqueue(run);
  }

  #enqueue(run: Element | null): void {
    if (!(run instanceof HTMLElement)) return;
    this.#waiting.add(run);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame((start) => this.#work(start));
  }

  #work(start: number): void {
    this.#isScheduled = false;
    for (const run of this.#waiting) {
      this.#waiting.delete(run);
      // If a run starts elsewhere, it also ends elsewhere.
      if (joinNext(run)) this.#enqueue(adjacentPart(run, "next"));
      if (performance.now() - start > budget) break;
    }
    const [next] = this.#waiting;
    if (next !== undefined) this.#enqueue(next);
  }
}

/** Where the next run can start, in CSS pixels from the start of the line. */
interface LineEnd {
  readonly indent: number;
  readonly isSpaced: boolean;
}

/** Moves the start of a run to the end of the previous one; true if it has moved. */
function joinNext(run: HTMLElement): boolean {
  const before = adjacentPart(run, "previous");
  const end = before instanceof HTMLElement ? endOf(before) : undefined;
  const indent = end === undefined ? "" : `${Math.round(end.indent * 4) / 4}px`;
  // Even if the run starts where it did: it may have replaced one that started elsewhere.
  groupStartingWith(run)?.classList.toggle("joined", end !== undefined);
  if (run.style.textIndent === indent) return false;
  run.style.textIndent = indent;
  run.classList.toggle("joined", end !== undefined);
  run.classList.toggle("spaced", end?.isSpaced === true);
  return true;
}

/**
 * The end of the last line. Undefined if nothing fits after it, if it isn't a line like the others, or if it is going
 * to move: otherwise, every formula that is typeset would move all the following runs.
 */
function endOf(run: HTMLElement): LineEnd | undefined {
  const node = lastWords(run);
  if (node === undefined || run.querySelectorAll(waitingFormula).length > fewFormulas) return undefined;
  const length = node.data.trimEnd().length;
  const range = document.createRange();
  range.setStart(node, length - 1);
  range.setEnd(node, length);
  const last = range.getBoundingClientRect();
  const box = run.getBoundingClientRect();
  const style = getComputedStyle(run);
  const indent = style.direction === "rtl" ? box.right - last.left : last.right - box.left;
  const fontSize = parseFloat(style.fontSize);
  const isUsual = box.bottom - last.bottom < parseFloat(style.lineHeight) / 2;
  const fits = box.width - indent > leastRoom * fontSize;
  return isUsual && fits ? { indent, isSpaced: /\s$/.test(run.textContent) } : undefined;
}

/** The last text node with visible text. */
function lastWords(run: HTMLElement): Text | undefined {
  const texts = document.createTreeWalker(run, NodeFilter.SHOW_TEXT);
  let node = texts.lastChild();
  while (node?.lastChild) node = texts.lastChild();
  while (node instanceof Text && node.data.trim() === "") node = texts.previousNode();
  return node instanceof Text ? node : undefined;
}

/** UTF-16 code units that are parsed in one step. */
const sliceLength = 2_000;
/** Milliseconds per frame for text. If more has arrived, the next frames show the rest. */
const frameBudget = 8;
/** UTF-16 code units per frame: laying them out takes several times as long as parsing them. */
const mostPerFrame = 10_000;
/** UTF-16 code units that an element counts as. */
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

  /** Whether all of the appended text is shown. */
  get isShown(): boolean {
    return !this.#isWaiting;
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
    // The further it is behind, the more is shown at once, because otherwise, the delay would keep growing on a busy
    // machine.
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
