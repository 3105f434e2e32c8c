import { t } from "@vscode/l10n";
import type { TreeTarget } from "./tree.ts";

/**
 * The browser skips whole sections and chapters while they are outside the viewport (markdown.css). In each frame, it
 * checks every part that it may skip, so smaller parts would cost more than they save.
 */
const [blocksPerSection, sectionsPerChapter] = [64, 32];

/**
 * Puts the blocks of a message into sections by number, and those into chapters, so that there are few siblings to lay
 * out. Footnotes come after all of them, in chapters of their own.
 */
export class Sections<Node> {
  readonly #target: TreeTarget<Node>;
  readonly #root: Node;
  readonly #blocks: Chapters<Node>;
  /** The element with the footnotes and the chapters in it; undefined while there are no footnotes. */
  #notes: { readonly element: Node; readonly chapters: Chapters<Node> } | undefined;

  constructor(target: TreeTarget<Node>, root: Node) {
    this.#target = target;
    this.#root = root;
    this.#blocks = new Chapters(target, (chapter) => {
      // Moving the footnotes after the new chapter instead would lay out all of them again.
      if (this.#notes === undefined) target.append(root, chapter);
      else target.insertBefore(this.#notes.element, chapter);
    });
  }

  /** Appends the next block; `index` is the number of blocks before it. */
  append(index: number, block: Node): void {
    this.#blocks.append(index, block);
  }

  /** Appends the next footnote; `index` is the number of footnotes before it. */
  appendNote(index: number, note: Node): void {
    this.#notes ??= this.#createNotes();
    this.#notes.chapters.append(index, note);
  }

  /** Removes what is empty once only this many blocks and footnotes are left. */
  truncate(blocks: number, notes: number): void {
    this.#blocks.truncate(blocks);
    if (notes > 0 || this.#notes === undefined) return this.#notes?.chapters.truncate(notes);
    this.#target.remove(this.#notes.element);
    this.#notes = undefined;
  }

  #createNotes(): { readonly element: Node; readonly chapters: Chapters<Node> } {
    const target = this.#target;
    const attributes = { class: "footnotes", role: "group", "aria-label": t("Footnotes") };
    const element = target.element("div", attributes);
    target.append(this.#root, element);
    return { element, chapters: new Chapters(target, (chapter) => target.append(element, chapter)) };
  }
}

/** Numbered nodes in sections, and the sections in chapters. */
class Chapters<Node> {
  readonly #target: TreeTarget<Node>;
  readonly #insert: (chapter: Node) => void;
  readonly #chapters: Node[] = [];
  readonly #sections: Node[] = [];

  /** @param insert Adds a chapter after the others. */
  constructor(target: TreeTarget<Node>, insert: (chapter: Node) => void) {
    this.#target = target;
    this.#insert = insert;
  }

  append(index: number, node: Node): void {
    this.#target.append(this.#sectionAt(Math.floor(index / blocksPerSection)), node);
  }

  /** Removes what is empty once only this many nodes are left. */
  truncate(count: number): void {
    const sections = Math.ceil(count / blocksPerSection);
    const chapters = Math.ceil(sections / sectionsPerChapter);
    for (const surplus of [...this.#sections.splice(sections), ...this.#chapters.splice(chapters)])
      this.#target.remove(surplus);
  }

  #sectionAt(number: number): Node {
    const existing = this.#sections[number];
    if (existing !== undefined) return existing;
    const section = (this.#sections[number] = this.#target.element("div", { class: "section" }));
    this.#target.append(this.#chapterAt(Math.floor(number / sectionsPerChapter)), section);
    return section;
  }

  #chapterAt(number: number): Node {
    const existing = this.#chapters[number];
    if (existing !== undefined) return existing;
    const chapter = (this.#chapters[number] = this.#target.element("div", { class: "chapter" }));
    this.#insert(chapter);
    return chapter;
  }
}
