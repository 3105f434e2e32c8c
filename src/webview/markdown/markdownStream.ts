import { countFinished, definitionsIn } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { FinishedParts } from "./finishedPart.ts";
import { InlineParts } from "./inlineParts.ts";
import { mount, patch } from "./mounted.ts";
import type { Mounted } from "./mounted.ts";
import { emptyCells } from "./openBlock.ts";
import { findOpenCut } from "./openCut.ts";
import type { OpenText } from "./openCut.ts";
import { blocksOf, loosen } from "./openLevels.ts";
import { partOf, regionOf, showOpenParts, takeFinished } from "./openParts.ts";
import type { GrowingBlock } from "./openParts.ts";
import { Pace } from "./pace.ts";
import { parseBlocks } from "./parser.ts";
import { References } from "./references.ts";
import { renderBlock } from "./renderBlock.ts";
import { isFootnote } from "./renderInline.ts";
import { Sections } from "./sections.ts";
import type { ElementTree, TreeTarget } from "./tree.ts";
/** Converts line ends to `\n` and makes NUL visible, as the parser would, for text that arrives in pieces. */
class Normalizer {
  #endedWithReturn = false;

  push(text: string): string {
    if (text === "") return "";
    const start = this.#endedWithReturn && text.startsWith("\n") ? 1 : 0;
    this.#endedWithReturn = text.endsWith("\r");
    return text.slice(start).replace(/\r\n?/g, "\n").replace(/\0/g, "\uFFFD");
  }
}

interface MarkdownStreamOptions<Node> {
  /** Called once for each outermost block, when it can't change anymore. */
  readonly onFinished?: (block: Node) => void;
  /** UTF-16 code units above which the finished parts of an open block are split off. */
  readonly cutAbove?: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** More than this many added cells end a table, wherever they are. */
const maxAddedCells = 65_000;
/** How much longer a block must be before its parts are split themselves, because that requires another parse. */
const innerCuts = 4;
/** Maximum depth of nested blocks that are split. */
const maxDepth = 12;

/**
 * Renders Markdown that arrives in pieces. Finished blocks are left alone and only the open tail is parsed again, so
 * that the work for a delta doesn't grow with the length of the message. After each `render` and `updateReferences`,
 * the nodes are the same as for the whole text, however it was split.
 */
export class MarkdownStream<Node> {
  readonly #target: TreeTarget<Node>;
  readonly #sections: Sections<Node>;
  readonly #onFinished: (block: Node) => void;
  readonly #cutAbove: number;
  readonly #normalizer = new Normalizer();
  readonly #references = new References();
  readonly #inlineParts = new InlineParts();
  readonly #finishedParts: FinishedParts<Node>;
  /** Unfinished text, starting at the first block that may still change. */
  #tail = "";
  /** The visible blocks of the tail. */
  #live: Mounted<Node>[] = [];
  /** The number of finished blocks in the text; footnotes are counted separately. */
  #finishedCount = 0;
  #finishedNotes = 0;
  #growing: GrowingBlock<Node> | undefined;
  #isCuttable = true;
  /** UTF-16 code units above which parts of parts are split off. */
  #innerCutAbove: number;
  #isDirty = false;
  readonly #pace: Pace;
  readonly #now: () => number;

  constructor(target: TreeTarget<Node>, root: Node, options: MarkdownStreamOptions<Node> = {}) {
    this.#target = target;
    this.#sections = new Sections(target, root);
    this.#finishedParts = new FinishedParts(target, this.#references);
    this.#onFinished = options.onFinished ?? (() => undefined);
    this.#cutAbove = options.cutAbove ?? 1000;
    this.#innerCutAbove = innerCuts * this.#cutAbove;
    this.#now = options.now ?? (() => performance.now());
    this.#pace = new Pace(this.#now);
  }

  append(text: string): void {
    if (text === "") return;
    this.#tail += this.#normalizer.push(text);
    this.#isDirty = true;
  }

  /**
   * Shows the appended text. Returns false if that is postponed to a later call, because the open part is too long to
   * be parsed again for so little.
   */
  render(): boolean {
    if (!this.#isDirty) return true;
    if (!this.#pace.isTime(this.#tail.length)) return false;
    this.renderNow();
    return true;
  }

  /** Shows the appended text regardless of the cost. */
  renderNow(): void {
    if (!this.#isDirty) return;
    this.#pace.measure(() => {
      this.#render(false);
      return this.#tail.length;
    });
  }

  /** The text is complete: shows everything and finishes every block. */
  finish(): void {
    this.#render(true);
  }

  /**
   * Updates the finished blocks whose references have been defined since, the latest ones first, until the time is up.
   * Returns false if some are left: one definition can change thousands of blocks.
   * @param end Monotonic milliseconds.
   */
  updateReferences(end = Infinity): boolean {
    return this.#finishedParts.renderAgain(() => this.#now() >= end);
  }

  #render(isLast: boolean): void {
    this.#isDirty = false;
    const oldDefinitions = this.#references.reopen();
    let blocks = this.#parse();
    if (this.#mustRenderPartsAgain(blocks[0])) {
      this.#restart();
      blocks = this.#parse();
    }
    const { levels = [] } = this.#growing ?? {};
    if (blocks[0] !== undefined) loosen(blocksOf(levels, blocks[0]), levels);
    const trees = blocks.map((block) => renderBlock(block.tokens));
    this.#show(trees.filter((tree) => tree !== undefined));
    this.#finishedParts.redefine(this.#references.changedSince(oldDefinitions));
    this.#finish(blocks, trees, isLast);
  }

  #parse(): readonly Block[] {
    return parseBlocks(this.#tail, {
      prefix: this.#prefix,
      references: this.#references,
      inlineParts: this.#inlineParts,
    });
  }

  get #prefix(): string {
    return this.#growing?.prefix ?? "";
  }

  /** A tight list became loose after its first items were finished, or a table is too irregular to be split. */
  #mustRenderPartsAgain(first: Block | undefined): boolean {
    const growing = this.#growing;
    if (growing === undefined || first === undefined) return false;
    if (growing.emptyCells + emptyCells(first) > maxAddedCells) this.#isCuttable = false;
    return !this.#isCuttable || blocksOf(growing.levels, first).length < growing.levels.length;
  }

  /** Returns to the start of the growing block. */
  #restart(): void {
    const growing = this.#growing;
    if (growing === undefined) return;
    for (const part of growing.parts) this.#finishedParts.remove(part);
    this.#tail = growing.sources.join("") + this.#tail;
    this.#growing = undefined;
    this.#innerCutAbove *= 4;
    const [old, ...rest] = this.#live;
    if (old === undefined) return;
    const empty = mount(this.#target, { name: "div", attributes: {}, children: [] });
    this.#target.replace(old.node, empty.node);
    this.#live = [empty, ...rest];
  }

  #show(trees: readonly ElementTree[]): void {
    const kept = this.#countInPlace(trees);
    for (const surplus of this.#live.splice(kept)) this.#target.remove(surplus.node);
    for (const [index, tree] of trees.entries()) {
      const mounted = this.#live[index];
      if (mounted === undefined) this.#append(tree);
      else if (index === 0 && this.#growing !== undefined)
        showOpenParts(this.#target, mounted, tree, this.#growing.levels);
      else this.#live[index] = patch(this.#target, mounted, tree);
    }
    this.#sections.truncate(this.#blockCount, this.#noteCount);
  }

  /** How many of the live blocks can stay where they are: footnotes and text blocks are in different places. */
  #countInPlace(trees: readonly ElementTree[]): number {
    const moved = this.#live.findIndex(
      ({ tree }, index) => isFootnote(tree) !== isFootnote(trees[index] ?? ""),
    );
    return moved === -1 ? trees.length : Math.min(moved, trees.length);
  }

  /** The number of blocks that are shown, without footnotes. */
  get #blockCount(): number {
    return this.#finishedCount + this.#live.filter(({ tree }) => !isFootnote(tree)).length;
  }

  get #noteCount(): number {
    return this.#finishedNotes + this.#live.filter(({ tree }) => isFootnote(tree)).length;
  }

  #append(tree: ElementTree): void {
    const mounted = mount(this.#target, tree);
    if (isFootnote(tree)) this.#sections.appendNote(this.#noteCount, mounted.node);
    else this.#sections.append(this.#blockCount, mounted.node);
    this.#live.push(mounted);
  }

  /** Releases everything that can't change anymore. */
  #finish(blocks: readonly Block[], trees: readonly (ElementTree | undefined)[], isLast: boolean): void {
    if (!isLast && blocks.length < 2 && this.#tail.length < this.#cutAbove) return;
    const text = this.#prefix + this.#tail;
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const completeLines = text.endsWith("\n") ? lines.length : lines.length - 1;
    const count = isLast ? blocks.length : countFinished(blocks, completeLines);
    for (const [index, block] of blocks.slice(0, count).entries()) {
      const nextLine = blocks[index + 1]?.startLine ?? lines.length;
      this.#finishBlock(block, trees[index] !== undefined, lines.slice(block.startLine, nextLine).join(""));
    }
    const open = blocks[count];
    if (isLast) this.#tail = "";
    else if (count > 0) this.#tail = lines.slice(open?.startLine ?? 0).join("");
    const tree = trees[count];
    if (isLast || open === undefined || tree === undefined || blocks.length > count + 1) return;
    this.#cut({ block: open, tree, lines, completeLines, growing: this.#growing?.levels ?? [] });
  }

  #finishBlock(block: Block, isShown: boolean, source: string): void {
    const growing = this.#growing;
    this.#growing = undefined;
    this.#isCuttable = true;
    this.#innerCutAbove = innerCuts * this.#cutAbove;
    for (const definition of definitionsIn(block)) this.#references.settle(definition.label);
    if (!isShown) return;
    const mounted = this.#live.shift();
    if (mounted === undefined) return;
    if (block.labels.size > 0) {
      const pieces =
        growing === undefined ? [{ mounted: [mounted] }] : takeFinished(mounted, regionOf(block, growing));
      this.#finishedParts.add(partOf(block, growing, source, pieces));
    }
    if (isFootnote(mounted.tree)) this.#finishedNotes += 1;
    else this.#finishedCount += 1;
    this.#onFinished(mounted.node);
  }

  /** Finishes the first parts of a long open block. */
  #cut(open: OpenText): void {
    const mounted = this.#live[0];
    const { length } = this.#tail;
    if (!this.#isCuttable || length < this.#cutAbove || mounted === undefined) return;
    const depth = length >= this.#innerCutAbove ? maxDepth : Math.max(open.growing.length, 1);
    const cut = findOpenCut(open, { depth, enough: this.#cutAbove });
    if (cut === undefined) return;
    const { block } = open;
    const growing = this.#growing;
    const pieces = takeFinished(mounted, { ...regionOf(block, growing), cut });
    const source = cut.finished;
    for (const definition of definitionsIn(block)) {
      if (definition.endLine <= cut.line) this.#references.settle(definition.label);
    }
    const parts = growing?.parts ?? [];
    if (block.labels.size > 0) {
      const part = partOf(block, growing, source, pieces, cut.levels);
      parts.push(part);
      this.#finishedParts.add(part);
    }
    this.#growing = {
      levels: cut.levels,
      prefix: cut.prefix,
      sources: [...(growing?.sources ?? []), source.slice(this.#prefix.length)],
      parts,
      emptyCells: (growing?.emptyCells ?? 0) + emptyCells(block),
    };
    this.#tail = cut.rest;
  }
}
