import { countFinished, definitionsIn } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { FinishedParts, renderAgain } from "./finishedPart.ts";
import { containerOf } from "./growingBlock.ts";
import type { GrowingBlock } from "./growingBlock.ts";
import { InlineParts } from "./inlineParts.ts";
import { mount, patch, patchChildren } from "./mounted.ts";
import type { Mounted } from "./mounted.ts";
import { Normalizer } from "./normalize.ts";
import { emptyCells, isList, isLooseList, isParagraph, loosen, openBlockKind, partsOf } from "./openBlock.ts";
import type { Cut } from "./openBlock.ts";
import { parseBlocks } from "./parser.ts";
import { References } from "./references.ts";
import { renderBlock } from "./renderBlock.ts";
import { isFootnote } from "./renderFootnote.ts";
import { Sections } from "./sections.ts";
import type { ElementTree } from "./tree.ts";
import type { TreeTarget } from "./treeTarget.ts";

export interface MarkdownStreamOptions<Node> {
  /** Told once for each outermost block, when it is never touched again. */
  readonly onFinished?: (block: Node) => void;
  /** UTF-16 units above which the finished parts of an open block are cut off. */
  readonly cutAbove?: number;
}

/** More than this many added cells end a table, wherever they stand in it. */
const maxAddedCells = 65_000;

/**
 * Renders Markdown that comes in pieces. Finished blocks are left alone, only the open tail is parsed again: the work
 * for a delta doesn't grow with the length of the message. After each `render` the nodes are those that the
 * whole text would give, however it was cut.
 */
export class MarkdownStream<Node> {
  readonly #target: TreeTarget<Node>;
  readonly #sections: Sections<Node>;
  readonly #onFinished: (block: Node) => void;
  readonly #cutAbove: number;
  readonly #normalizer = new Normalizer();
  readonly #references = new References();
  readonly #inlineParts = new InlineParts();
  readonly #finishedParts = new FinishedParts<Node>();
  /** Text that isn't finished: from the first block that may still change. */
  #tail = "";
  /** The blocks of the tail that show something. */
  #live: Mounted<Node>[] = [];
  /** Finished blocks of the text, and footnotes. */
  #finishedCount = 0;
  #finishedNotes = 0;
  #growing: GrowingBlock<Node> | undefined;
  #isCuttable = true;
  #isDirty = false;

  constructor(target: TreeTarget<Node>, root: Node, options: MarkdownStreamOptions<Node> = {}) {
    this.#target = target;
    this.#sections = new Sections(target, root);
    this.#onFinished = options.onFinished ?? (() => undefined);
    this.#cutAbove = options.cutAbove ?? 1000;
  }

  /** How much is parsed at the next `render`, in UTF-16 units: what a frame costs. */
  get openLength(): number {
    return this.#tail.length;
  }

  append(text: string): void {
    if (text === "") return;
    this.#tail += this.#normalizer.push(text);
    this.#isDirty = true;
  }

  /** Shows what was appended. */
  render(): void {
    if (this.#isDirty) this.#render(false);
  }

  /** No more text comes: shows everything and finishes every block. */
  finish(): void {
    this.#render(true);
  }

  #render(isLast: boolean): void {
    this.#isDirty = false;
    const oldDefinitions = this.#references.reopen();
    let blocks = this.#parse();
    if (this.#mustRenderPartsAgain(blocks[0])) {
      this.#restart();
      blocks = this.#parse();
    }
    if (this.#growing?.isLoose && blocks[0] !== undefined) loosen(blocks[0]);
    const trees = blocks.map((block) => renderBlock(block.tokens));
    this.#show(trees.filter((tree) => tree !== undefined));
    const changed = this.#references.changedSince(oldDefinitions);
    for (const part of this.#finishedParts.lookingUp(changed))
      renderAgain(this.#target, part, this.#references);
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

  /** A tight list became loose after its first items were finished, or a table too irregular to be cut. */
  #mustRenderPartsAgain(first: Block | undefined): boolean {
    const growing = this.#growing;
    if (growing === undefined || first === undefined) return false;
    if (growing.emptyCells + emptyCells(first) > maxAddedCells) {
      this.#isCuttable = false;
      return true;
    }
    if (openBlockKind(first) !== growing.kind) return true;
    return isList(first) && !growing.isLoose && first.tokens[2]?.hidden === false;
  }

  /** Goes back to the beginning of the growing block. */
  #restart(): void {
    const growing = this.#growing;
    if (growing === undefined) return;
    for (const part of growing.parts) this.#finishedParts.remove(part);
    this.#tail = growing.sources.join("") + this.#tail;
    this.#growing = undefined;
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
      else if (index === 0 && this.#growing !== undefined) this.#showParts(this.#growing, tree);
      else this.#live[index] = patch(this.#target, mounted, tree);
    }
    this.#sections.truncate(this.#finishedCount + this.#countLive());
    if (this.#finishedNotes === 0 && this.#countLive() === this.#live.length) this.#sections.removeNotes();
  }

  /** How many of the live blocks may stay where they are: a footnote and a block of the text are in different places. */
  #countInPlace(trees: readonly ElementTree[]): number {
    const moved = this.#live.findIndex(
      ({ tree }, index) => isFootnote(tree) !== isFootnote(trees[index] ?? ""),
    );
    return moved === -1 ? trees.length : Math.min(moved, trees.length);
  }

  /** The live blocks that are no footnotes. */
  #countLive(): number {
    return this.#live.filter(({ tree }) => !isFootnote(tree)).length;
  }

  #append(tree: ElementTree): void {
    const mounted = mount(this.#target, tree);
    if (isFootnote(tree)) this.#sections.appendNote(mounted.node);
    else this.#sections.append(this.#finishedCount + this.#countLive(), mounted.node);
    this.#live.push(mounted);
  }

  #showParts(growing: GrowingBlock<Node>, tree: ElementTree): void {
    const { container, kind } = growing;
    const parts = partsOf(tree, kind.path).slice(kind.prefixParts);
    patchChildren(this.#target, container.node, container.children, parts);
  }

  /** Lets go of everything that can't change any more. */
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
    if (!isLast && open !== undefined && blocks.length === count + 1) this.#cut(open, lines, completeLines);
  }

  #finishBlock(block: Block, isShown: boolean, source: string): void {
    const growing = this.#growing;
    this.#growing = undefined;
    this.#isCuttable = true;
    for (const definition of definitionsIn(block)) this.#references.settle(definition.label);
    if (!isShown) return;
    const mounted = this.#live.shift();
    if (mounted === undefined) return;
    if (block.labels.size > 0) this.#keepForDefinitions(block, mounted, source, growing);
    if (isFootnote(mounted.tree)) this.#finishedNotes += 1;
    else this.#finishedCount += 1;
    this.#onFinished(mounted.node);
  }

  #keepForDefinitions(
    block: Block,
    mounted: Mounted<Node>,
    source: string,
    growing: GrowingBlock<Node> | undefined,
  ): void {
    const { labels } = block;
    if (growing === undefined) {
      this.#finishedParts.add({ labels, prefix: "", source, isLoose: false, mounted: [mounted] });
      return;
    }
    const { kind, prefix, isLoose, container } = growing;
    // The prefix is a part of what was parsed, the text of the part begins behind it.
    const rest = source.slice(prefix.length);
    const isRuns = isParagraph(kind);
    this.#finishedParts.add({
      labels,
      prefix,
      source: isRuns ? rest.trimEnd() : rest,
      isLoose,
      isRuns,
      within: kind,
      mounted: container.children,
    });
  }

  /** Finishes the first parts of a long open block. */
  #cut(block: Block, lines: readonly string[], completeLines: number): void {
    const kind = this.#isCuttable ? openBlockKind(block) : undefined;
    if (kind === undefined || this.#tail.length < this.#cutAbove) return;
    const cut = kind.findCut(block, lines, completeLines, this.#growing !== undefined);
    const skipped = this.#growing === undefined ? 0 : kind.prefixParts;
    if (cut === undefined || cut.parts <= skipped) return;
    const isLoose = isList(block) ? this.#looseness(block, lines, cut) : false;
    const container = this.#growing?.container ?? this.#container(kind.path);
    if (isLoose === undefined || container === undefined) return;
    this.#cutParts(block, lines, { cut, skipped, container, isLoose, kind });
  }

  #container(path: readonly number[]): Mounted<Node> | undefined {
    const block = this.#live[0];
    return block === undefined ? undefined : containerOf(block, path);
  }

  /** Whether the list is loose, undefined as long as only the part that may change says so. */
  #looseness(block: Block, lines: readonly string[], cut: Cut): boolean | undefined {
    if (this.#growing?.isLoose === true) return true;
    const prefix = this.#growing === undefined ? (openBlockKind(block)?.prefix(block, lines) ?? "") : "";
    const first = block.startLine;
    const isLoose = isLooseList(prefix, lines.slice(first, cut.line + 1).join(""));
    return isLoose === isLooseList(prefix, lines.slice(first).join("")) ? isLoose : undefined;
  }

  #cutParts(block: Block, lines: readonly string[], found: FoundCut<Node>): void {
    const { cut, skipped, container, isLoose, kind } = found;
    const prefix = this.#growing?.prefix ?? kind.prefix(block, lines);
    const head = lines[cut.line]?.slice(0, cut.column) ?? "";
    const whole = lines.slice(block.startLine, cut.line).join("") + head;
    const isRuns = isParagraph(kind);
    const source =
      isRuns && this.#growing === undefined ? whole.trimStart() : whole.slice(this.#prefix.length);
    const growing: GrowingBlock<Node> = {
      kind,
      prefix,
      isLoose,
      container,
      sources: this.#growing?.sources ?? [],
      parts: this.#growing?.parts ?? [],
      emptyCells: (this.#growing?.emptyCells ?? 0) + emptyCells(block),
    };
    growing.sources.push(source);
    const mounted = container.children.splice(0, cut.parts - skipped);
    for (const definition of definitionsIn(block)) {
      if (definition.endLine <= cut.line) this.#references.settle(definition.label);
    }
    if (block.labels.size > 0) {
      const within = { path: kind.path, prefixParts: skipped };
      const part = { labels: block.labels, prefix: this.#prefix, source, isLoose, isRuns, within, mounted };
      growing.parts.push(part);
      this.#finishedParts.add(part);
    }
    this.#growing = growing;
    this.#tail = lines.slice(cut.line).join("").slice(cut.column);
  }
}

interface FoundCut<Node> {
  readonly cut: Cut;
  readonly skipped: number;
  readonly container: Mounted<Node>;
  readonly isLoose: boolean;
  readonly kind: NonNullable<ReturnType<typeof openBlockKind>>;
}
