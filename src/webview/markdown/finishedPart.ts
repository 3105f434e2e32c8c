import { patch, patchChildren } from "./mounted.ts";
import type { Mounted } from "./mounted.ts";
import { partsOf } from "./openBlock.ts";
import { blocksOf, lastBlocksOf, loosen } from "./openLevels.ts";
import type { OpenLevel } from "./openLevels.ts";
import { parseBlocks, parseRuns } from "./parser.ts";
import type { References } from "./references.ts";
import { renderBlock } from "./renderBlock.ts";
import { renderRun } from "./renderInline.ts";
import type { ElementTree, Tree, TreeTarget } from "./tree.ts";

/**
 * Finished blocks, or parts of a block, that look up references. They are kept so that a later definition can still
 * update them.
 */
export interface FinishedPart<Node> {
  readonly labels: ReadonlySet<string>;
  readonly prefix: string;
  readonly source: string;
  /** How the block continues after the prefix. */
  readonly growing: readonly OpenLevel[];
  /** How the block continues after the source. */
  readonly levels: readonly OpenLevel[];
  readonly pieces: readonly FinishedPiece<Node>[];
}

/**
 * Adjacent nodes of a part and their position in its tree: the block itself, children of one of its elements, or runs.
 */
export type FinishedPiece<Node> = { readonly mounted: Mounted<Node>[] } & (
  | { readonly path?: undefined; readonly runs?: undefined }
  | {
      readonly path: readonly number[];
      readonly from: number;
      /** The element if the nodes are its last children, so that their number can change. */
      readonly parent: Node | undefined;
      readonly runs?: undefined;
    }
  | { readonly path?: undefined; readonly runs: string }
);

/** The finished parts of one message by the labels that they look up. */
export class FinishedParts<Node> {
  readonly #target: TreeTarget<Node>;
  readonly #references: References;
  readonly #byLabel = new Map<string, Set<FinishedPart<Node>>>();
  /** Parts that show outdated references. A part that isn't in the set anymore may still be in the list. */
  readonly #outdated = new Set<FinishedPart<Node>>();
  readonly #outdatedInOrder: FinishedPart<Node>[] = [];

  constructor(target: TreeTarget<Node>, references: References) {
    this.#target = target;
    this.#references = references;
  }

  add(part: FinishedPart<Node>): void {
    for (const label of part.labels) {
      const parts = this.#byLabel.get(label) ?? new Set();
      this.#byLabel.set(label, parts.add(part));
    }
  }

  remove(part: FinishedPart<Node>): void {
    for (const label of part.labels) this.#byLabel.get(label)?.delete(part);
    this.#outdated.delete(part);
  }

  /** Call this when these labels have been defined or their definitions have changed. */
  redefine(labels: readonly string[]): void {
    for (const label of labels) {
      for (const part of this.#byLabel.get(label) ?? []) {
        if (this.#outdated.has(part)) continue;
        this.#outdated.add(part);
        this.#outdatedInOrder.push(part);
      }
    }
  }

  /** Renders outdated parts again, the latest first, until the time is up. Returns false if some are left. */
  renderAgain(isTimeUp: () => boolean): boolean {
    while (this.#outdated.size > 0) {
      const part = this.#outdatedInOrder.pop();
      if (part === undefined || !this.#outdated.delete(part)) continue;
      renderAgain(this.#target, part, this.#references);
      if (isTimeUp()) break;
    }
    if (this.#outdated.size === 0) this.#outdatedInOrder.length = 0;
    return this.#outdated.size === 0;
  }
}

/** Renders a finished part again because a definition was added or changed. */
function renderAgain<Node>(target: TreeTarget<Node>, part: FinishedPart<Node>, references: References): void {
  const tree = treeOf(part, references);
  for (const piece of part.pieces) {
    const trees = treesOf(piece, tree, references);
    if (piece.path !== undefined && piece.parent !== undefined) {
      patchChildren(target, piece.parent, piece.mounted, trees);
      continue;
    }
    for (const [index, mounted] of piece.mounted.entries()) {
      const fresh = trees[index];
      if (fresh !== undefined) piece.mounted[index] = patch(target, mounted, fresh);
    }
  }
}

function treeOf<Node>(part: FinishedPart<Node>, references: References): ElementTree | undefined {
  const { source, prefix, growing, levels } = part;
  const [block] = parseBlocks(source, { prefix, references });
  if (block === undefined) return undefined;
  loosen(blocksOf(growing, block), growing);
  loosen(lastBlocksOf(levels, block), levels);
  return renderBlock(block.tokens);
}

function treesOf<Node>(
  piece: FinishedPiece<Node>,
  tree: ElementTree | undefined,
  references: References,
): readonly Tree[] {
  if (piece.runs !== undefined) return parseRuns(piece.runs, references).map(renderRun);
  if (piece.path !== undefined) return partsOf(tree, piece.path).slice(piece.from);
  return tree === undefined ? [] : [tree];
}
