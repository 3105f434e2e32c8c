import type { Token } from "markdown-it";
import { blockType, childBlocks, countFinished } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { inlineContentOf } from "./inlineParts.ts";
import { paragraphPrefix, parseStructure } from "./parser.ts";
import { codePath, linesPerChunk } from "./renderCode.ts";
import { renderBlock } from "./renderBlock.ts";
import { longTableBodies, rowsPerBody, tablePath } from "./renderTable.ts";
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
  findCut(block: Block, lines: readonly string[], completeLines: number, isGrowing: boolean): Cut | undefined;
}

export interface Cut {
  /** Finished parts, those of the prefix included. */
  readonly parts: number;
  readonly line: number;
  /** In UTF-16 units. */
  readonly column: number;
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
    return first === undefined ? undefined : { parts, line: first.startLine, column: 0 };
  },
};

const tableKind: OpenBlockKind = {
  prefix: (block, lines) => lines.slice(block.startLine, block.startLine + 2).join(""),
  // The head.
  prefixParts: 1,
  path: tablePath,
  findCut(block, _lines, completeLines, isGrowing) {
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
  prefix: () => paragraphPrefix,
  prefixParts: 0,
  path: [],
  findCut(block, lines, _completeLines, isGrowing) {
    const source = lines.slice(block.startLine).join("");
    const indent = isGrowing ? paragraphPrefix.length : source.length - source.trimStart().length;
    // It may still become a definition.
    if (!isGrowing && source.startsWith("[", indent)) return undefined;
    const text = block.tokens[1];
    const runs = text === undefined ? [] : inlineContentOf(text).parts.slice(0, -1);
    const length = runs.reduce((sum, run) => sum + run.text.length, indent);
    return runs.length === 0 ? undefined : { parts: runs.length, ...placeOf(length, lines, block.startLine) };
  },
};

const fenceKind: OpenBlockKind = {
  prefix: (block, lines) => lines[block.startLine] ?? "",
  prefixParts: 0,
  path: codePath,
  findCut(block) {
    const completeLines = (block.tokens[0]?.content.split("\n").length ?? 1) - 1;
    const parts = Math.floor(completeLines / linesPerChunk);
    return { parts, line: block.startLine + 1 + parts * linesPerChunk, column: 0 };
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
    return { parts, line, column: 0 };
  },
};

const kinds: ReadonlyMap<string, OpenBlockKind> = new Map([
  ["paragraph_open", paragraphKind],
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

export function isParagraph(kind: OpenBlockKind): boolean {
  return kind === paragraphKind;
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

/** The line and column that are so many units behind the beginning of a line. */
function placeOf(length: number, lines: readonly string[], startLine: number): Pick<Cut, "line" | "column"> {
  let line = startLine;
  let column = length;
  for (let text = lines[line]; text !== undefined && column >= text.length; text = lines[line]) {
    column -= text.length;
    line += 1;
  }
  return { line, column };
}

function bodyRows(block: Block): readonly Token[] {
  return block.tokens.filter((token) => token.type === "tr_open" && rowLine(token) > block.startLine);
}

function rowLine(row: Token): number {
  return row.map?.[0] ?? 0;
}
