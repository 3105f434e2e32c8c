/** Milliseconds per frame for joining runs. */
const budget = 6;
/** As a multiple of the font size: less space than this at the end of a line is left empty. */
const leastRoom = 1.5;

/**
 * Makes the runs of a very long paragraph (markdown/runs.ts) look like one. They are laid out separately, so that a
 * growing text costs the same at its end as at its start. Each starts on the last line of the previous one, after its
 * last word.
 */
export class RunJoiner {
  readonly #waiting = new Set<HTMLElement>();
  readonly #sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) this.#enqueue(target.nextElementSibling);
  });
  #isScheduled = false;

  /** Adds a run that has just been created. */
  add(run: Element): void {
    this.#sizes.observe(run);
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
      if (joinNext(run)) this.#enqueue(run.nextElementSibling);
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
  const before = run.previousElementSibling;
  const end = before instanceof HTMLElement && before.matches(".run") ? endOf(before) : undefined;
  const indent = end === undefined ? "" : `${Math.round(end.indent * 4) / 4}px`;
  if (run.style.textIndent === indent) return false;
  run.style.textIndent = indent;
  run.classList.toggle("joined", end !== undefined);
  run.classList.toggle("spaced", end?.isSpaced === true);
  return true;
}

/** The end of the last line. Undefined if nothing fits after it, or if it isn't a line like the others. */
function endOf(run: HTMLElement): LineEnd | undefined {
  const node = lastWords(run);
  if (node === undefined) return undefined;
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
