import { t } from "@vscode/l10n";
import type { TreeTarget } from "./treeTarget.ts";

/** Blocks per section. The browser skips whole sections while they are outside the viewport (markdown.css). */
const blocksPerSection = 32;

/**
 * Puts the blocks of a message into sections by number, so that there are few siblings to lay out. Footnotes come after
 * all of them, in sections of their own.
 */
export class Sections<Node> {
  readonly #target: TreeTarget<Node>;
  readonly #root: Node;
  readonly #sections: Node[] = [];
  readonly #noteSections: Node[] = [];
  #notes: Node | undefined;

  constructor(target: TreeTarget<Node>, root: Node) {
    this.#target = target;
    this.#root = root;
  }

  /** Appends the next block; `index` is the number of blocks before it. */
  append(index: number, block: Node): void {
    const section = this.#sectionFor(index, this.#sections, (created) => {
      // Moving the footnotes behind it instead would lay out all of them again.
      if (this.#notes === undefined) this.#target.append(this.#root, created);
      else this.#target.insertBefore(this.#notes, created);
    });
    this.#target.append(section, block);
  }

  /** Appends the next footnote; `index` is the number of footnotes before it. */
  appendNote(index: number, note: Node): void {
    if (this.#notes === undefined) {
      const attributes = { class: "footnotes", role: "group", "aria-label": t("Footnotes") };
      this.#notes = this.#target.element("div", attributes);
      this.#target.append(this.#root, this.#notes);
    }
    const notes = this.#notes;
    const section = this.#sectionFor(index, this.#noteSections, (created) =>
      this.#target.append(notes, created),
    );
    this.#target.append(section, note);
  }

  /** Removes what is empty once only this many blocks and footnotes are left. */
  truncate(blocks: number, notes: number): void {
    const surplus = [
      ...this.#sections.splice(Math.ceil(blocks / blocksPerSection)),
      ...this.#noteSections.splice(Math.ceil(notes / blocksPerSection)),
    ];
    for (const section of surplus) this.#target.remove(section);
    if (notes > 0 || this.#notes === undefined) return;
    this.#target.remove(this.#notes);
    this.#notes = undefined;
  }

  #sectionFor(index: number, sections: Node[], insert: (created: Node) => void): Node {
    const number = Math.floor(index / blocksPerSection);
    const existing = sections[number];
    if (existing !== undefined) return existing;
    const created = this.#target.element("div", { class: "section" });
    sections[number] = created;
    insert(created);
    return created;
  }
}
