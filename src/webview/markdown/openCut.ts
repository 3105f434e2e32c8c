import type { Token } from "markdown-it";
import type { Block } from "./blocks.ts";
import { listMarker, openBlockKind, partsOf, runsOf } from "./openBlock.ts";
import type { Cut, InnerBlocks } from "./openBlock.ts";
import { isList, isShownLoose, lineInside, prefixOf, readBeginning } from "./openLevels.ts";
import type { OpenLevel, LevelPosition } from "./openLevels.ts";
import { parseStructure } from "./parser.ts";
import type { ElementTree, Tree } from "./tree.ts";

/** The open block, as it was parsed last. */
export interface OpenText {
  readonly block: Block;
  readonly tree: ElementTree;
  /** Of everything that was parsed, the prefix included. */
  readonly lines: readonly string[];
  readonly completeLines: number;
  /** How it was cut before; empty if it wasn't. */
  readonly growing: readonly OpenLevel[];
}

/** Where a block is cut, and what it is from there on. */
export interface OpenCut {
  readonly levels: readonly OpenLevel[];
  /** For each level but the last the number of the part, of its tree, that holds the next level. */
  readonly hosts: readonly number[];
  /** Finished parts of the last level that has an element of its own. */
  readonly parts: number;
  /** The finished runs, where the last level is a paragraph. */
  readonly runs: readonly string[];
  readonly prefix: string;
  /** The line on which the rest begins, in what was parsed. */
  readonly line: number;
  /** What was parsed of the finished parts, from the beginning of the block. */
  readonly finished: string;
  readonly rest: string;
}

interface Limits {
  /** Levels that may be cut. */
  readonly depth: number;
  /** UTF-16 units of the rest that are few enough. */
  readonly enough: number;
}

/**
 * Looks for the place up to which the block can't change any more: between its parts, or else inside the last one.
 * Undefined if there is none, or where the rest would not be the same behind a prefix.
 */
export function findOpenCut(open: OpenText, limits: Limits): OpenCut | undefined {
  const found = findPosition(open, limits);
  if (found === undefined) return undefined;
  const levels: OpenLevel[] = [];
  for (const [index, level] of found.levels.entries()) {
    const block = found.blocks[index];
    const isLoose = block !== undefined && isList(block) ? readLooseness(open, found, index) : false;
    if (isLoose === undefined) return undefined;
    levels.push({ kind: level.kind, beginning: level.beginning, isLoose });
  }
  const { lines, block } = open;
  const { cut, hosts, runs } = found;
  const rest = restBehind(cut, lines);
  const prefix = prefixOf(levels);
  const isSame =
    levels.every(({ beginning }) => beginning.margin === undefined) || isSameBehind(prefix, rest, open, cut);
  const finished = textBefore(cut, lines, block.startLine);
  return isSame
    ? { levels, hosts, parts: cut.parts, runs, prefix, line: cut.line, finished, rest }
    : undefined;
}

interface FoundPosition {
  readonly levels: readonly LevelPosition[];
  readonly blocks: readonly Block[];
  readonly hosts: readonly number[];
  readonly cut: Cut;
  readonly runs: readonly string[];
}

/** Goes into the last block of the last block … until so little is left that it may be parsed again. */
function findPosition(
  { lines, completeLines, growing, ...outermost }: OpenText,
  limits: Limits,
): FoundPosition | undefined {
  const levels: LevelPosition[] = [];
  const blocks: Block[] = [];
  const hosts: number[] = [];
  let found: FoundPosition | undefined;
  let block: Block | undefined = outermost.block;
  let tree: Tree | undefined = outermost.tree;
  /** Whether this very block was cut before. */
  let isGrowing = growing.length > 0;
  while (block !== undefined && levels.length < limits.depth) {
    const kind = openBlockKind(block);
    const known = isGrowing ? growing[levels.length] : undefined;
    const beginning = known?.beginning ?? (kind && readBeginning(kind, block, lines, levels));
    if (kind === undefined || beginning === undefined) break;
    const { startLine } = block;
    levels.push({ kind, beginning, isLoose: known?.isLoose ?? false, startLine: isGrowing ? -1 : startLine });
    blocks.push(block);
    const inner: InnerBlocks | undefined = kind.readInner?.(block, completeLines);
    if (inner?.blocks.slice(0, inner.finished).some(mayCountAnew) === true) break;
    const partCount: number = partsOf(tree, kind.path).length;
    const cut = kind.findCut({ block, lines, completeLines, isGrowing, partCount });
    if (cut !== undefined && cut.parts > (isGrowing ? kind.prefixParts : 0)) {
      const runs = kind.readInner === undefined ? runsOf(block).slice(0, -1) : [];
      found = { levels: [...levels], blocks: [...blocks], hosts: [...hosts], cut, runs };
      if (restBehind(cut, lines).length <= limits.enough) break;
    }
    const last: Block | undefined = inner?.blocks.at(-1);
    if (inner === undefined || last === undefined || inner.finished < inner.blocks.length - 1) break;
    isGrowing = isGrowing && growing.length > levels.length && inner.finished === kind.prefixParts;
    hosts.push(partCount - 1);
    if (openBlockKind(last)?.isFlat !== true) tree = partsOf(tree, kind.path)[partCount - 1];
    block = last;
  }
  return found;
}

/** Whether a definition may still change how many nodes the block has among those around it. */
function mayCountAnew({ tokens: [open, text] }: Block): boolean {
  return open?.hidden === true && /\[(?! \])/.test(text?.content ?? "");
}

function restBehind({ line, column }: Cut, lines: readonly string[]): string {
  return lines.slice(line).join("").slice(column);
}

function textBefore({ line, column }: Cut, lines: readonly string[], startLine: number): string {
  return lines.slice(startLine, line).join("") + (lines[line]?.slice(0, column) ?? "");
}

/** Whether a list is loose, undefined as long as only the part that may change says so. */
function readLooseness(
  open: OpenText,
  { levels, blocks, cut }: FoundPosition,
  index: number,
): boolean | undefined {
  const list = blocks[index];
  if (list === undefined || levels[index]?.isLoose === true) return true;
  // One more item behind what is finished.
  const head = textBefore(cut, open.lines, open.block.startLine);
  const line = cut.column === 0 ? (open.lines[cut.line] ?? "") : "x\n";
  const item = lineInside(levels.slice(0, index), `${listMarker(list)} x`);
  const tokens = parseStructure(head + line + item);
  const paragraph = tokens.findLastIndex((token) => token.type === "paragraph_open");
  if (tokens[paragraph + 1]?.content !== "x") return undefined;
  const isLoose = tokens[paragraph]?.hidden === false;
  return (isShownLoose(list) ?? isLoose) === isLoose ? isLoose : undefined;
}

/** Whether the rest is the same blocks behind the prefix as behind what is finished. */
function isSameBehind(prefix: string, rest: string, { block }: OpenText, cut: Cut): boolean {
  const isInLine = !prefix.endsWith("\n");
  const begin = prefix.split("\n").length - 1;
  const expected = shapeFrom(block.tokens, cut.line, isInLine);
  return shapeFrom(parseStructure(prefix + rest), begin, isInLine) === expected;
}

/** The blocks that begin on this line or below. */
function shapeFrom(tokens: readonly Token[], line: number, isInLine: boolean): string {
  const first = isInLine ? line + 1 : line;
  const shape = tokens.flatMap(({ type, markup, level, map }) =>
    type !== "tbody_open" && map !== null && map[0] >= first
      ? [`${type} ${markup} ${level} ${map[0] - line} ${map[1] - line}`]
      : [],
  );
  return shape.join("\n");
}
