import type { Token } from "markdown-it";

/** A block with everything inside it. Lines are counted from the start of the parsed text; `endLine` is exclusive. */
export interface Block {
  /** From the opening token to the closing one. */
  readonly tokens: readonly Token[];
  readonly startLine: number;
  readonly endLine: number;
  /** Reference labels that the block looks up. A later definition of one of them changes the block. */
  readonly labels: ReadonlySet<string>;
}

/** A definition inside a block. */
interface Definition {
  readonly label: string;
  readonly endLine: number;
}

const noLabels: ReadonlySet<string> = new Set();

/** Splits a token stream into its outermost blocks. `labels` has one set per block. */
export function splitBlocks(
  tokens: readonly Token[],
  labels: readonly ReadonlySet<string>[] = [],
): readonly Block[] {
  const blocks: Block[] = [];
  const level = tokens[0]?.level ?? 0;
  let start = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.level !== level || token.nesting > 0) continue;
    const [startLine, endLine] = tokens[start]?.map ?? [0, 0];
    const block = tokens.slice(start, index + 1);
    blocks.push({ tokens: block, startLine, endLine, labels: labels[blocks.length] ?? noLabels });
    start = index + 1;
  }
  return blocks;
}

/** The blocks directly inside a list, a quote or an item. */
export function childBlocks(block: Block): readonly Block[] {
  return splitBlocks(block.tokens.slice(1, -1));
}

/** The type of the block's first token, such as `paragraph_open`; empty if it has none. */
export function blockType(block: Block): string {
  return block.tokens[0]?.type ?? "";
}

/** Definitions at any depth of the block. */
export function definitionsIn(block: Block): readonly Definition[] {
  const definitions: Definition[] = [];
  for (const token of block.tokens) {
    const label = token.type === "reference_definition" ? token.meta?.["label"] : undefined;
    if (typeof label === "string") definitions.push({ label, endLine: token.map?.[1] ?? block.endLine });
  }
  return definitions;
}

/**
 * How many of the blocks can't change anymore, whatever text follows. A block is closed by the start of the next one.
 * Whether a line starts a block can depend on the line after it (a table's delimiter row), so both lines must be
 * complete. A paragraph whose first line is long has started, whatever follows. A definition at the end of a block may
 * still get its title on later lines, up to a blank one.
 */
export function countFinished(blocks: readonly Block[], completeLines: number): number {
  let finished = 0;
  let isTitlePossible = false;
  for (const [index, block] of blocks.entries()) {
    const previous = blocks[index - 1];
    if (previous !== undefined && block.startLine > previous.endLine) isTitlePossible = false;
    const isSettled = block.startLine + 2 <= completeLines || isLongParagraph(block);
    if (index > 0 && !isTitlePossible && isSettled) finished = index;
    if (endsWithDefinition(block)) isTitlePossible = true;
  }
  return finished;
}

/** UTF-16 code units after which a line can only be text, and not the start of a list, a rule or an underline. */
const longLine = 1000;

function isLongParagraph(block: Block): boolean {
  const [open, text] = block.tokens;
  if (open?.type !== "paragraph_open" || text === undefined) return false;
  const end = text.content.indexOf("\n");
  return (end === -1 ? text.content.length : end) > longLine;
}

function endsWithDefinition(block: Block): boolean {
  const leaf = block.tokens.findLast((token) => token.nesting === 0);
  return leaf?.type === "reference_definition";
}
