import { patch } from "./mounted.ts";
import type { Mounted } from "./mounted.ts";
import { loosen, partsOf } from "./openBlock.ts";
import { parseBlocks, parseRuns } from "./parser.ts";
import type { References } from "./references.ts";
import { renderBlock } from "./renderBlock.ts";
import { renderRun } from "./renderInline.ts";
import type { Tree } from "./tree.ts";
import type { TreeTarget } from "./treeTarget.ts";

/** Finished blocks or parts of one that look up references: kept so that a later definition still reaches them. */
export interface FinishedPart<Node> {
  readonly labels: ReadonlySet<string>;
  readonly prefix: string;
  readonly source: string;
  readonly isLoose: boolean;
  /** Whether it is runs of a paragraph, with nothing but their text as the source. */
  readonly isRuns?: boolean;
  /** From the block to its parts, and how many of them are the prefix's; undefined where it is the block itself. */
  readonly within?: { readonly path: readonly number[]; readonly prefixParts: number };
  readonly mounted: Mounted<Node>[];
}

/** The finished parts of one message by the labels that they look up. */
export class FinishedParts<Node> {
  readonly #byLabel = new Map<string, Set<FinishedPart<Node>>>();

  add(part: FinishedPart<Node>): void {
    for (const label of part.labels) {
      const parts = this.#byLabel.get(label) ?? new Set();
      this.#byLabel.set(label, parts.add(part));
    }
  }

  remove(part: FinishedPart<Node>): void {
    for (const label of part.labels) this.#byLabel.get(label)?.delete(part);
  }

  lookingUp(labels: readonly string[]): ReadonlySet<FinishedPart<Node>> {
    return new Set(labels.flatMap((label) => [...(this.#byLabel.get(label) ?? [])]));
  }
}

/** Renders a finished part again, because a definition came or changed. */
export function renderAgain<Node>(
  target: TreeTarget<Node>,
  part: FinishedPart<Node>,
  references: References,
): void {
  const trees = treesOf(part, references);
  for (const [index, mounted] of part.mounted.entries()) {
    const tree = trees[index];
    if (tree !== undefined) part.mounted[index] = patch(target, mounted, tree);
  }
}

function treesOf<Node>(part: FinishedPart<Node>, references: References): readonly Tree[] {
  if (part.isRuns === true) return parseRuns(part.source, references).map(renderRun);
  const [block] = parseBlocks(part.source, { prefix: part.prefix, references });
  if (block === undefined) return [];
  if (part.isLoose) loosen(block);
  const tree = renderBlock(block.tokens);
  if (part.within === undefined) return tree === undefined ? [] : [tree];
  return partsOf(tree, part.within.path).slice(part.within.prefixParts);
}
