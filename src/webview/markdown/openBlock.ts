import type { Token } from "markdown-it";
import { blockType, childBlocks, countFinished } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { inlineContentOf } from "./inlineParts.ts";
import { itemMargin, noteMargin, quoteMargin } from "./margin.ts";
import type { Margin } from "./margin.ts";
import { paragraphPrefix } from "./parser.ts";
import { linesPerChunk } from "./highlight/codeHighlighter.ts";
import { codePath } from "./renderCode.ts";
import { renderInline } from "./renderInline.ts";
import { longTableBodies, rowsPerBody, tablePath } from "./renderTable.ts";
import type { Tree } from "./tree.ts";

/**
 * How a block that may become very long is cut while it is still open: its finished parts (items, rows, lines, blocks
 * inside it) are left alone, and what is parsed again is only the rest, behind a prefix that makes it the same block.
 */
export interface OpenBlockKind {
  /** What the prefix has for this block; undefined if its first lines can't be read. */
  begin(block: Block, lineAt: LineInside): Beginning | undefined;
  /** How many parts of the parsed tree come from the prefix; of a block that holds others, also how many of those. */
  readonly prefixParts: number;
  /** From the block's tree to the element whose children are the parts. */
  readonly path: readonly number[];
  /** Whether its parts stand among those of the block around it: it has no element of its own. */
  readonly isFlat?: boolean;
  /** The parts that can't change any more and the place where the rest begins. */
  findCut(position: OpenPosition): Cut | undefined;
  /** The blocks inside it, and how many of them can't change any more. Only for those that hold blocks. */
  readInner?(block: Block, completeLines: number): InnerBlocks;
}

/** The nth line of a block, without the margins of the blocks around it; undefined if it doesn't have them. */
export type LineInside = (index: number) => string | undefined;

/** What makes a block begin, seen from inside the blocks around it. The only line of a paragraph goes on. */
export interface Beginning {
  readonly lines: readonly string[];
  /** What the blocks inside it have before their lines. */
  readonly margin?: Margin;
}

export interface OpenPosition {
  readonly block: Block;
  /** Of everything that was parsed. */
  readonly lines: readonly string[];
  readonly completeLines: number;
  /** Whether it was cut before. */
  readonly isGrowing: boolean;
  /** The parts of its tree; of a flat one, those of the block around it. */
  readonly partCount: number;
}

export interface Cut {
  /** Finished parts, those of the prefix included. */
  readonly parts: number;
  readonly line: number;
  /** In UTF-16 units. */
  readonly column: number;
}

export interface InnerBlocks {
  readonly blocks: readonly Block[];
  readonly finished: number;
}

const noBlocks: InnerBlocks = { blocks: [], finished: 0 };

/** A paragraph in an item of its own, to see whether the whole list is tight. Deeper than any item can begin. */
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

/** An item of a list. An empty heading stands for its finished blocks: nothing that follows can be a part of it. */
const itemKind: OpenBlockKind = {
  begin(block, lineAt) {
    const margin = itemMargin(lineAt(0));
    // A definition may still make a link of what is a task now: another element.
    const isTask = /^\[x\]/i.test(block.tokens[2]?.content ?? "");
    return isTask || margin === undefined ? undefined : { lines: ["#"], margin };
  },
  prefixParts: 1,
  path: [],
  readInner: readBlocks,
  findCut: cutBetweenBlocks,
};

/** Like an item; the first of its blocks is what makes its label known. */
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
  // The head.
  prefixParts: 1,
  path: tablePath,
  findCut({ block, completeLines, isGrowing }) {
    const rows = bodyRows(block);
    const finished = rows.findLastIndex((row) => rowLine(row) < completeLines);
    const bodies = Math.floor(finished / rowsPerBody);
    // Before that it isn't shown as a long one.
    if (!isGrowing && bodies < longTableBodies) return undefined;
    const first = bodies > 0 ? rows[bodies * rowsPerBody] : undefined;
    return first === undefined ? undefined : { parts: 1 + bodies, line: rowLine(first), column: 0 };
  },
};

/** A very long paragraph ends in runs, the last of which may still change. */
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

/** In an item of a tight list. */
const flatParagraphKind: OpenBlockKind = { ...paragraphKind, isFlat: true };

const fenceKind: OpenBlockKind = {
  begin: (_block, lineAt) => allLines([lineAt(0)]),
  prefixParts: 0,
  path: codePath,
  findCut({ block }) {
    const completeLines = (block.tokens[0]?.content.split("\n").length ?? 1) - 1;
    const parts = Math.floor(completeLines / linesPerChunk);
    return { parts, line: block.startLine + 1 + parts * linesPerChunk, column: 0 };
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

/** How to cut this block; undefined for those that are parsed again as a whole. */
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

export function isParagraph(kind: OpenBlockKind | undefined): boolean {
  return kind === paragraphKind || kind === flatParagraphKind;
}

/** The texts of a paragraph that are laid out each by itself; one for all others. */
export function runsOf(paragraph: Block): readonly string[] {
  const text = paragraph.tokens[1];
  return text === undefined ? [] : inlineContentOf(text).parts.map((part) => part.text);
}

/** What begins an item of this list. */
export function listMarker({ tokens: [open] }: Block): string {
  return open?.type === "ordered_list_open" ? `1${open.markup}` : (open?.markup ?? "-");
}

/** A bound of the cells that the parser had to add: it ends a table that has more than 65,536 of them. */
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

/** How many nodes a block inside another one has. */
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

/** Where this place of a paragraph's text is in its lines. */
function placeOf(
  length: number,
  content: string,
  lines: readonly string[],
): Pick<Cut, "line" | "column"> | undefined {
  const before = content.slice(0, length).split("\n");
  const line = before.length - 1;
  const shown = content.split("\n", line + 1)[line] ?? "";
  // The end of the text has lost its spaces, and its lines their margins.
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
