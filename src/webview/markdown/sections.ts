import { t } from "@vscode/l10n";
import type { TreeTarget } from "./treeTarget.ts";

/** Blocks per section. The browser skips whole sections while they are outside the viewport (chat.css). */
const blocksPerSection = 32;

/**
 * Puts the blocks of a message into sections by number, so that there are few siblings to lay out. Footnotes come after
 * all of them.
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

  /** Appends the next block; `index` is the number of blocks before it. */
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

  /** Removes the sections that are empty once only `count` blocks are left. */
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
