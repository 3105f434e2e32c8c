import type { Token } from "markdown-it";
import { blockType, childBlocks, countFinished } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { parseStructure } from "./parser.ts";
import { codePath, linesPerChunk } from "./renderCode.ts";
import { renderBlock } from "./renderBlock.ts";
import type { ElementTree, Tree } from "./tree.ts";

/**
 * How a block that may become very long is cut while it is still open: its finished parts (items, rows, lines, quoted
 * blocks) are left alone, and what is parsed again is only the rest, behind a prefix that makes it the same block.
 */
export interface OpenBlockKind {
  /** Whole lines that make the rest go on as the same block. */
  prefix(block: Block, lines: readonly string[]): string;
  /** How many parts of the parsed tree come from the prefix. */
  readonly prefixParts: number;
  /** From the block's tree to the element whose children are the parts. */
  readonly path: readonly number[];
  /** The parts that can't change any more and the line on which the rest begins. */
  findCut(block: Block, lines: readonly string[], completeLines: number): Cut | undefined;
}

export interface Cut {
  /** Finished parts, those of the prefix included. */
  readonly parts: number;
  readonly line: number;
}

/** A paragraph in an item of its own: it tells whether the whole list is tight. Deeper than any item can begin. */
const listKind: OpenBlockKind = {
  prefix: (block) => listPrefix(block.tokens[0]),
  prefixParts: 1,
  path: [],
  findCut(block, _lines, completeLines) {
    const items = childBlocks(block);
    const parts = items.findLastIndex((item) => item.startLine + 2 <= completeLines);
    const first = items[parts];
    return first === undefined ? undefined : { parts, line: first.startLine };
  },
};

const tableKind: OpenBlockKind = {
  prefix: (block, lines) => lines.slice(block.startLine, block.startLine + 2).join(""),
  prefixParts: 0,
  path: [0, 1],
  findCut(block, lines, completeLines) {
    // The head is no part: where it looks up a reference, a later definition must reach it.
    if (lines[block.startLine]?.includes("[")) return undefined;
    const rows = bodyRows(block);
    const parts = rows.findLastIndex((row) => rowLine(row) < completeLines);
    const first = rows[parts];
    return first === undefined ? undefined : { parts, line: rowLine(first) };
  },
};

const fenceKind: OpenBlockKind = {
  prefix: (block, lines) => lines[block.startLine] ?? "",
  prefixParts: 0,
  path: codePath,
  findCut(block) {
    const completeLines = (block.tokens[0]?.content.split("\n").length ?? 1) - 1;
    const parts = Math.floor(completeLines / linesPerChunk);
    return { parts, line: block.startLine + 1 + parts * linesPerChunk };
  },
};

const quoteKind: OpenBlockKind = {
  prefix: () => ">\n",
  prefixParts: 0,
  path: [],
  findCut(block, lines, completeLines) {
    const children = childBlocks(block);
    const finished = countFinished(children, completeLines);
    const line = children[finished]?.startLine;
    if (line === undefined || !/^ {0,3}>/.test(lines[line] ?? "")) return undefined;
    const parts = children
      .slice(0, finished)
      .filter((child) => renderBlock(child.tokens) !== undefined).length;
    return { parts, line };
  },
};

const kinds: ReadonlyMap<string, OpenBlockKind> = new Map([
  ["bullet_list_open", listKind],
  ["ordered_list_open", listKind],
  ["table_open", tableKind],
  ["fence", fenceKind],
  ["blockquote_open", quoteKind],
]);

/** How to cut this block; undefined for those that are parsed again as a whole. */
export function openBlockKind(block: Block): OpenBlockKind | undefined {
  return kinds.get(blockType(block));
}

/** The parts of a block's tree. */
export function partsOf(tree: ElementTree | undefined, path: readonly number[]): readonly Tree[] {
  let element: Tree | undefined = tree;
  for (const index of path) element = typeof element === "object" ? element.children[index] : undefined;
  return typeof element === "object" ? element.children : [];
}

export function isList(block: Block): boolean {
  return openBlockKind(block) === listKind;
}

/** Whether the list that `source` is, behind the prefix of the block, has paragraphs of its own in the items. */
export function isLooseList(prefix: string, source: string): boolean {
  const paragraph = parseStructure(prefix + source).find((token) => token.type === "paragraph_open");
  return paragraph?.hidden === false;
}

/** Makes a tight part of a loose list loose. */
export function loosen(block: Block): void {
  for (const token of block.tokens) {
    if (token.level === 2 && (token.type === "paragraph_open" || token.type === "paragraph_close"))
      token.hidden = false;
  }
}

/** A bound of the cells that the parser had to add: it ends a table that has more than 65,536 of them. */
export function emptyCells(block: Block): number {
  return block.tokens.filter((token) => token.type === "inline" && token.content === "").length;
}

function listPrefix(open: Token | undefined): string {
  return open?.type === "ordered_list_open" ? `   1${open.markup} x\n` : `   ${open?.markup ?? "-"} x\n`;
}

function bodyRows(block: Block): readonly Token[] {
  return block.tokens.filter((token) => token.type === "tr_open" && rowLine(token) > block.startLine);
}

function rowLine(row: Token): number {
  return row.map?.[0] ?? 0;
}
