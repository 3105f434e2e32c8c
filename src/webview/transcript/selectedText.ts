/** What isn't part of the text: labels and buttons of code blocks, decorations, and what is hidden or folded. */
const omitted =
  ".code-head, button, select, [aria-hidden=true], .visually-hidden, .image-viewer, [hidden], details:not([open]) > :not(summary)";
const paragraphs = "p, h1, h2, h3, h4, h5, h6, pre, table, blockquote, ul, ol, .math-block, hr, .footnote";
const lines = "li, tr, div";

/**
 * The selected part of an element as text that reads like what is shown: with the numbers and check marks of lists, the
 * source of formulas, and the cells of tables separated by tabs. The browser's own text has none of these.
 */
export function selectedText(range: Range, element: Node): string {
  const writer = new SelectedText(range);
  writer.add(element);
  return writer.text.trim();
}

/** The selection for programs that accept formatted text. */
export function selectedHtml(range: Range): string {
  const content = document.createElement("div");
  content.append(range.cloneContents());
  for (const formula of content.querySelectorAll<HTMLElement>(".math"))
    formula.replaceWith(sourceOf(formula));
  for (const part of content.querySelectorAll(omitted)) part.remove();
  return new XMLSerializer().serializeToString(content);
}

function sourceOf(formula: HTMLElement): string {
  const mark = formula.matches(".display") ? "$$" : "$";
  return `${mark}${formula.dataset["math"] ?? ""}${mark}`;
}

class SelectedText {
  readonly #range: Range;
  readonly #numbers = new Map<Element, number>();
  readonly #lines: string[] = [];
  #line = "";
  #indent = "";

  constructor(range: Range) {
    this.#range = range;
  }

  get text(): string {
    return [...this.#lines, this.#line].join("\n");
  }

  add(node: Node): void {
    if (!this.#range.intersectsNode(node)) return;
    if (node instanceof Text) this.#addText(node);
    else if (!(node instanceof HTMLElement) || node.matches(omitted)) return;
    else if (node.matches(".math")) this.#write(sourceOf(node));
    else if (node.matches("br")) this.#break(1);
    else if (node.matches("img")) this.#write(node.getAttribute("alt") ?? "");
    else if (node instanceof HTMLInputElement) this.#write(node.checked ? "[x] " : "[ ] ");
    else this.#addElement(node);
  }

  #addElement(element: HTMLElement): void {
    const isParagraph = element.matches(paragraphs) && element.closest("li") === null;
    const count = isParagraph ? 2 : element.matches(`${paragraphs}, ${lines}`) ? 1 : 0;
    this.#break(count);
    const outer = this.#indent;
    if (element.matches("li")) this.#addMarker(element);
    if (element.matches("td + td, th + th")) this.#line += "\t";
    for (const child of element.childNodes) this.add(child);
    this.#indent = outer;
    this.#break(count);
  }

  /** Not for an item whose start isn't selected. */
  #addMarker(item: HTMLElement): void {
    const isNumbered = item.closest("ul, ol") instanceof HTMLOListElement;
    const marker = isNumbered ? `${this.#numberOf(item)}. ` : item.matches(".task") ? "" : "- ";
    const start = document.createRange();
    start.selectNodeContents(item);
    if (this.#range.compareBoundaryPoints(Range.START_TO_START, start) <= 0) this.#write(marker);
    this.#indent += " ".repeat(marker.length);
  }

  #numberOf(item: HTMLElement): number {
    if (!this.#numbers.has(item)) {
      const list = item.closest("ol");
      const all = [...(list?.querySelectorAll("li") ?? [])];
      const items = all.filter((each) => each.closest("ul, ol") === list);
      for (const [index, each] of items.entries()) this.#numbers.set(each, (list?.start ?? 1) + index);
    }
    return this.#numbers.get(item) ?? 1;
  }

  #addText(node: Text): void {
    const { startContainer, startOffset, endContainer, endOffset } = this.#range;
    const text = node.data.slice(
      node === startContainer ? startOffset : 0,
      node === endContainer ? endOffset : node.data.length,
    );
    if (node.parentElement?.closest("pre, .plain-text") === null) {
      const [first = "", ...rest] = text.split("\n");
      const shown = [first, ...rest.map((line) => line.trimStart())].join(" ");
      return this.#write(this.#line.trim() === "" ? shown.trimStart() : shown);
    }
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) this.#endLine();
      this.#write(line);
    }
  }

  #write(text: string): void {
    if (text !== "") this.#line += this.#line === "" ? this.#indent + text : text;
  }

  #endLine(): void {
    this.#lines.push(this.#line.trimEnd());
    this.#line = "";
  }

  /** Ends the line, and with a count of 2 leaves a blank one after it. */
  #break(count: number): void {
    if (count > 0 && this.#line !== "") this.#endLine();
    if (count > 1 && this.#lines.at(-1) !== "") this.#endLine();
  }
}
