import type { Token } from "markdown-it";
import { blockType, childBlocks, countFinished } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { inlineContentOf } from "./inlineParts.ts";
import { itemMargin, noteMargin, quoteMargin } from "./margin.ts";
import type { Margin } from "./margin.ts";
import { paragraphPrefix } from "./parser.ts";
import { linesPerChunk } from "./highlight/codeHighlighter.ts";
import { chunkLines, codePath } from "./renderCode.ts";
import { renderInline } from "./renderInline.ts";
import { longTableBodies, rowsPerBody, tablePath } from "./renderBlock.ts";
import type { Tree } from "./tree.ts";

/**
 * How a block that may become very long is split while it is still open. Its finished parts (items, rows, lines, blocks
 * inside it) are left alone. Only the rest is parsed again, after a prefix that makes it the same kind of block.
 */
export interface OpenBlockKind {
  /** The block's part of the prefix; undefined if its first lines can't be read. */
  begin(block: Block, lineAt: LineInside): Beginning | undefined;
  /** How many parts of the parsed tree come from the prefix. For a block with inner blocks, also how many of those. */
  readonly prefixParts: number;
  /** The path from the block's tree to the element whose children are the parts. */
  readonly path: readonly number[];
  /** Whether its parts are among those of the surrounding block, because it has no element of its own. */
  readonly isFlat?: boolean;
  /** The parts that can't change anymore, and the position at which the rest starts. */
  findCut(position: OpenPosition): Cut | undefined;
  /** The inner blocks and how many of them can't change anymore. Only for blocks that contain others. */
  readInner?(block: Block, completeLines: number): InnerBlocks;
}

/**
 * The nth line of a block without the margins of the surrounding blocks; undefined if the line doesn't have those
 * margins.
 */
type LineInside = (index: number) => string | undefined;

/** The lines that start a block, as seen inside the surrounding blocks. The only line of a paragraph is continued. */
export interface Beginning {
  readonly lines: readonly string[];
  /** The margin before the lines of its inner blocks. */
  readonly margin?: Margin;
}

interface OpenPosition {
  readonly block: Block;
  /** The lines of everything that was parsed. */
  readonly lines: readonly string[];
  readonly completeLines: number;
  /** Whether it was split before. */
  readonly isGrowing: boolean;
  /** The number of parts in its tree. For a flat block, those of the surrounding block. */
  readonly partCount: number;
}

/** Where an open block can be split: everything before this position is finished. */
export interface Cut {
  /** The number of finished parts, including those of the prefix. */
  readonly parts: number;
  readonly line: number;
  /** In UTF-16 units. */
  readonly column: number;
}

/** The blocks inside a quote or an item. The first `finished` of them can no longer change. */
export interface InnerBlocks {
  readonly blocks: readonly Block[];
  readonly finished: number;
}

const noBlocks: InnerBlocks = { blocks: [], finished: 0 };

/**
 * A paragraph in a separate item, to determine whether the whole list is tight. It is indented further than any item
 * can start.
 */
const listKind: OpenBlockKind = {
  begin: (block) => ({ lines: [`   ${listMarker(block)} x`] }),
  prefixParts: 1,
  path: [],
  readInner(block, completeLines) {
    const blocks = childBlocks(block);
    const finished = blocks.findLastIndex((item) => item.startLine + 2 <= completeLines);
    return { blocks, finished: Math.max(finished, 0) };
  },
  findCut({ block, completeLines }) {
    const { blocks, finished } = this.readInner?.(block, completeLines) ?? noBlocks;
    const first = blocks[finished];
    return first === undefined ? undefined : { parts: finished, line: first.startLine, column: 0 };
  },
};

/**
 * An item of a list. An empty heading represents its finished blocks, because nothing that follows can belong to it.
 */
const itemKind: OpenBlockKind = {
  begin(block, lineAt) {
    const margin = itemMargin(lineAt(0));
    // A definition could still turn this task into a link, which would be a different element.
    const isTask = /^\[x\]/i.test(block.tokens[2]?.content ?? "");
    return isTask || margin === undefined ? undefined : { lines: ["#"], margin };
  },
  prefixParts: 1,
  path: [],
  readInner: readBlocks,
  findCut: cutBetweenBlocks,
};

/** Like an item, except that its first block makes its label known. */
const noteKind: OpenBlockKind = {
  begin(_block, lineAt) {
    const margin = noteMargin(lineAt(0));
    return margin === undefined ? undefined : { lines: ["#"], margin };
  },
  prefixParts: 1,
  path: [1],
  readInner(block, completeLines) {
    const [, ...blocks] = childBlocks(block);
    return { blocks, finished: countFinished(blocks, completeLines) };
  },
  findCut: cutBetweenBlocks,
};

const quoteKind: OpenBlockKind = {
  begin: () => ({ lines: [], margin: quoteMargin }),
  prefixParts: 0,
  path: [],
  readInner: readBlocks,
  findCut: cutBetweenBlocks,
};

const tableKind: OpenBlockKind = {
  begin: (_block, lineAt) => allLines([lineAt(0), lineAt(1)]),
  // The table head.
  prefixParts: 1,
  path: tablePath,
  findCut({ block, completeLines, isGrowing }) {
    const rows = bodyRows(block);
    const finished = rows.findLastIndex((row) => rowLine(row) < completeLines);
    const bodies = Math.floor(finished / rowsPerBody);
    // Until then, it isn't shown as a long table.
    if (!isGrowing && bodies < longTableBodies) return undefined;
    const first = bodies > 0 ? rows[bodies * rowsPerBody] : undefined;
    return first === undefined ? undefined : { parts: 1 + bodies, line: rowLine(first), column: 0 };
  },
};

/** A very long paragraph is split into runs, the last of which may still change. */
const paragraphKind: OpenBlockKind = {
  begin: () => ({ lines: [paragraphPrefix] }),
  prefixParts: 0,
  path: [],
  findCut({ block, lines, isGrowing, partCount }) {
    const content = block.tokens[1]?.content ?? "";
    // It may still become a definition.
    if (!isGrowing && content.startsWith("[")) return undefined;
    const runs = runsOf(block);
    const before = isGrowing ? paragraphPrefix.length : 0;
    const length = runs.slice(0, -1).reduce((sum, run) => sum + run.length, before);
    const position = runs.length < 2 ? undefined : placeOf(length, content, lines.slice(block.startLine));
    if (position === undefined) return undefined;
    return { parts: partCount - 1, line: block.startLine + position.line, column: position.column };
  },
};

/** A paragraph in an item of a tight list. */
const flatParagraphKind: OpenBlockKind = { ...paragraphKind, isFlat: true };

const fenceKind: OpenBlockKind = {
  begin: (_block, lineAt) => allLines([lineAt(0)]),
  prefixParts: 0,
  path: codePath,
  findCut({ block }) {
    const lines = block.tokens[0]?.content.split("\n") ?? [];
    const finished = lines.length - 1 - ((lines.length - 1) % linesPerChunk);
    const parts = chunkLines(
      lines
        .slice(0, finished)
        .map((line) => `${line}\n`)
        .join(""),
    ).length;
    return { parts, line: block.startLine + 1 + finished, column: 0 };
  },
};

const kinds: ReadonlyMap<string, OpenBlockKind> = new Map([
  ["paragraph_open", paragraphKind],
  ["bullet_list_open", listKind],
  ["ordered_list_open", listKind],
  ["table_open", tableKind],
  ["fence", fenceKind],
  ["blockquote_open", quoteKind],
  ["list_item_open", itemKind],
  ["footnote_open", noteKind],
]);

/** How to split this block; undefined for blocks that are parsed again as a whole. */
export function openBlockKind(block: Block): OpenBlockKind | undefined {
  const isFlat = block.tokens[0]?.hidden === true;
  return isFlat ? flatParagraphKind : kinds.get(blockType(block));
}

/** The parts of a block's tree. */
export function partsOf(tree: Tree | undefined, path: readonly number[]): readonly Tree[] {
  let element = tree;
  for (const index of path) element = typeof element === "object" ? element.children[index] : undefined;
  return typeof element === "object" ? element.children : [];
}

/** Whether an open block of this kind is a paragraph. */
export function isParagraph(kind: OpenBlockKind | undefined): boolean {
  return kind === paragraphKind || kind === flatParagraphKind;
}

/** The texts of a paragraph that are laid out separately. Only one for all other blocks. */
export function runsOf(paragraph: Block): readonly string[] {
  const text = paragraph.tokens[1];
  return text === undefined ? [] : inlineContentOf(text).parts.map((part) => part.text);
}

/** The text that starts an item of this list. */
export function listMarker({ tokens: [open] }: Block): string {
  return open?.type === "ordered_list_open" ? `1${open.markup}` : (open?.markup ?? "-");
}

/** Upper bound of the number of cells that the parser had to add. More than 65,536 of them end a table. */
export function emptyCells(block: Block): number {
  return block.tokens.filter((token) => token.type === "inline" && token.content === "").length;
}

function readBlocks(block: Block, completeLines: number): InnerBlocks {
  const blocks = childBlocks(block);
  return { blocks, finished: countFinished(blocks, completeLines) };
}

function cutBetweenBlocks(this: OpenBlockKind, position: OpenPosition): Cut | undefined {
  const { block, completeLines, partCount } = position;
  const { blocks, finished } = this.readInner?.(block, completeLines) ?? noBlocks;
  const line = blocks[finished]?.startLine;
  if (line === undefined || finished === 0) return undefined;
  const open = blocks.slice(finished).reduce((sum, inner) => sum + countTrees(inner), 0);
  return { parts: partCount - open, line, column: 0 };
}

/** The number of nodes of a block inside another one. */
function countTrees(block: Block): number {
  const text = block.tokens[1];
  if (block.tokens[0]?.hidden === true && text !== undefined)
    return renderInline(inlineContentOf(text)).length;
  return blockType(block) === "reference_definition" ? 0 : 1;
}

function allLines(lines: readonly (string | undefined)[]): Beginning | undefined {
  const known = lines.filter((line) => line !== undefined);
  return known.length < lines.length ? undefined : { lines: known };
}

/** Converts a position in a paragraph's text to a position in its lines. */
function placeOf(
  length: number,
  content: string,
  lines: readonly string[],
): Pick<Cut, "line" | "column"> | undefined {
  const before = content.slice(0, length).split("\n");
  const line = before.length - 1;
  const shown = content.split("\n", line + 1)[line] ?? "";
  // Spaces were trimmed from the end of the text, and margins from its lines.
  const source = (lines[line] ?? "").replace(/\n$/, "");
  const end = source.endsWith(shown) ? source.length : source.trimEnd().length;
  const start = end - shown.length;
  if (source.slice(start, end) !== shown) return undefined;
  return { line, column: start + (before[line]?.length ?? 0) };
}

function bodyRows(block: Block): readonly Token[] {
  return block.tokens.filter((token) => token.type === "tr_open" && rowLine(token) > block.startLine);
}

function rowLine(row: Token): number {
  return row.map?.[0] ?? 0;
}
