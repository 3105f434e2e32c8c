import { t } from "@vscode/l10n";
import type { TreeTarget } from "./treeTarget.ts";

/** Blocks in one section. Whole sections are skipped by the browser while they are out of sight (chat.css). */
const blocksPerSection = 32;

/**
 * Places the blocks of a message, by their number, into sections: few siblings are few things to lay out. Footnotes stand
 * behind all of them.
 */
export class Sections<Node> {
  readonly #target: TreeTarget<Node>;
  readonly #root: Node;
  readonly #sections: Node[] = [];
  #notes: Node | undefined;

  constructor(target: TreeTarget<Node>, root: Node) {
    this.#target = target;
    this.#root = root;
  }

  /** Appends the block that comes next; `index` is how many there are before it. */
  append(index: number, block: Node): void {
    const number = Math.floor(index / blocksPerSection);
    let section = this.#sections[number];
    if (section === undefined) {
      section = this.#target.element("div", { class: "section" });
      this.#sections[number] = section;
      this.#target.append(this.#root, section);
      this.#moveNotes();
    }
    this.#target.append(section, block);
  }

  /** Appends a footnote. */
  appendNote(note: Node): void {
    if (this.#notes === undefined) {
      const attributes = { class: "footnotes", role: "group", "aria-label": t("Footnotes") };
      this.#notes = this.#target.element("div", attributes);
      this.#target.append(this.#root, this.#notes);
    }
    this.#target.append(this.#notes, note);
  }

  /** Call this when there are no footnotes any more. */
  removeNotes(): void {
    if (this.#notes !== undefined) this.#target.remove(this.#notes);
    this.#notes = undefined;
  }

  /** Removes the sections that are empty now that only `count` blocks are left. */
  truncate(count: number): void {
    for (const section of this.#sections.splice(Math.ceil(count / blocksPerSection)))
      this.#target.remove(section);
  }

  #moveNotes(): void {
    if (this.#notes === undefined) return;
    this.#target.remove(this.#notes);
    this.#target.append(this.#root, this.#notes);
  }
}
