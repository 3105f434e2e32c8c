import type { Token } from "markdown-it";
import type { Block } from "./blocks.ts";
import { listMarker, openBlockKind, partsOf, runsOf } from "./openBlock.ts";
import type { Cut, InnerBlocks } from "./openBlock.ts";
import { isList, isShownLoose, lineInside, prefixOf, readBeginning } from "./openLevels.ts";
import type { OpenLevel, LevelPosition } from "./openLevels.ts";
import { parseStructure } from "./parser.ts";
import type { ElementTree, Tree } from "./tree.ts";

/** The open block as it was last parsed. */
export interface OpenText {
  readonly block: Block;
  readonly tree: ElementTree;
  /** The lines of everything that was parsed, including the prefix. */
  readonly lines: readonly string[];
  readonly completeLines: number;
  /** How it was split before; empty if it wasn't. */
  readonly growing: readonly OpenLevel[];
}

/** Where a block is split, and how the rest continues. */
export interface OpenCut {
  readonly levels: readonly OpenLevel[];
  /** For each level except the last, the index of the part in its tree that contains the next level. */
  readonly hosts: readonly number[];
  /** The number of finished parts of the last level that has an element of its own. */
  readonly parts: number;
  /** The finished runs if the last level is a paragraph. */
  readonly runs: readonly string[];
  readonly prefix: string;
  /** The line on which the rest starts in the parsed text. */
  readonly line: number;
  /** The parsed text of the finished parts, from the start of the block. */
  readonly finished: string;
  readonly rest: string;
}

interface Limits {
  /** Maximum number of levels to split. */
  readonly depth: number;
  /** The rest is short enough if it has at most this many UTF-16 code units. */
  readonly enough: number;
}

/**
 * Finds the position before which the block can't change anymore: between its parts, or inside the last one. Undefined
 * if there is none, or if the rest wouldn't be parsed the same after a prefix.
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

/** Descends into the last block of each last block until the rest is short enough to be parsed again. */
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
  /** Whether this particular block was split before. */
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
    if (inner?.blocks.slice(0, inner.finished).some(mayCountAgain) === true) break;
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

/** Whether a definition may still change how many nodes the block adds to the surrounding block. */
function mayCountAgain({ tokens: [open, text] }: Block): boolean {
  return open?.hidden === true && /\[(?! \])/.test(text?.content ?? "");
}

function restBehind({ line, column }: Cut, lines: readonly string[]): string {
  return lines.slice(line).join("").slice(column);
}

function textBefore({ line, column }: Cut, lines: readonly string[], startLine: number): string {
  return lines.slice(startLine, line).join("") + (lines[line]?.slice(0, column) ?? "");
}

/** Whether a list is loose; undefined while that depends on the part that may still change. */
function readLooseness(
  open: OpenText,
  { levels, blocks, cut }: FoundPosition,
  index: number,
): boolean | undefined {
  const list = blocks[index];
  if (list === undefined || levels[index]?.isLoose === true) return true;
  // Adds one more item after the finished part.
  const head = textBefore(cut, open.lines, open.block.startLine);
  const line = cut.column === 0 ? (open.lines[cut.line] ?? "") : "x\n";
  const item = lineInside(levels.slice(0, index), `${listMarker(list)} x`);
  const tokens = parseStructure(head + line + item);
  const paragraph = tokens.findLastIndex((token) => token.type === "paragraph_open");
  if (tokens[paragraph + 1]?.content !== "x") return undefined;
  const isLoose = tokens[paragraph]?.hidden === false;
  return (isShownLoose(list) ?? isLoose) === isLoose ? isLoose : undefined;
}

/** Whether the rest is parsed into the same blocks after the prefix as after the finished part. */
function isSameBehind(prefix: string, rest: string, { block }: OpenText, cut: Cut): boolean {
  const isInLine = !prefix.endsWith("\n");
  const begin = prefix.split("\n").length - 1;
  const expected = shapeFrom(block.tokens, cut.line, isInLine);
  return shapeFrom(parseStructure(prefix + rest), begin, isInLine) === expected;
}

/** The blocks that start on this line or later. */
function shapeFrom(tokens: readonly Token[], line: number, isInLine: boolean): string {
  const first = isInLine ? line + 1 : line;
  const shape = tokens.flatMap(({ type, markup, level, map }) =>
    type !== "tbody_open" && map !== null && map[0] >= first
      ? [`${type} ${markup} ${level} ${map[0] - line} ${map[1] - line}`]
      : [],
  );
  return shape.join("\n");
}
