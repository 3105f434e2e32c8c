import type { Block } from "./blocks.ts";
import type { FinishedPart, FinishedPiece } from "./finishedPart.ts";
import { patchChildren } from "./mounted.ts";
import type { Mounted } from "./mounted.ts";
import { isParagraph, partsOf, runsOf } from "./openBlock.ts";
import type { OpenCut } from "./openCut.ts";
import { blocksOf } from "./openLevels.ts";
import type { OpenLevel } from "./openLevels.ts";
import type { Tree, TreeTarget } from "./tree.ts";

/**
 * Shows an open block that was split: the children of each level are the parts that may still change, after the
 * finished ones, and the first of them contains the next level.
 */
export function showOpenParts<Node>(
  target: TreeTarget<Node>,
  mounted: Mounted<Node>,
  tree: Tree | undefined,
  levels: readonly OpenLevel[],
): void {
  const [level, next] = levels;
  if (level === undefined) return;
  const { path, prefixParts } = level.kind;
  const container = containerOf(mounted, path);
  const parts = partsOf(tree, path).slice(prefixParts);
  const host = hasElement(next) ? container.children[0] : undefined;
  if (host !== undefined) showOpenParts(target, host, parts[0], levels.slice(1));
  patchChildren(target, container.node, container.children, parts, host === undefined ? 0 : 1);
}

/** The state of a block before it is finished or split. */
interface FinishedRegion {
  /** How it was split before. */
  readonly growing: readonly OpenLevel[];
  /** The runs of the paragraph that was split before, if any. */
  readonly growingRuns: readonly string[];
  /** Undefined if all of it is finished. */
  readonly cut?: OpenCut;
}

/** Removes the finished nodes, so that only the parts that may still change remain. Returns the removed nodes. */
export function takeFinished<Node>(
  mounted: Mounted<Node>,
  region: FinishedRegion,
): readonly FinishedPiece<Node>[] {
  const { growing, cut } = region;
  return take(mounted, region, { path: [], growing, levels: cut?.levels ?? [], hosts: cut?.hosts ?? [] });
}

/** The path to a level in the parsed tree, with the levels below it in the old split and the new one. */
interface Route {
  readonly path: readonly number[];
  readonly growing: readonly OpenLevel[];
  readonly levels: readonly OpenLevel[];
  readonly hosts: readonly number[];
}

function take<Node>(
  mounted: Mounted<Node>,
  region: FinishedRegion,
  route: Route,
): readonly FinishedPiece<Node>[] {
  const { growing, levels, hosts } = route;
  const kind = (growing[0] ?? levels[0])?.kind;
  if (kind === undefined) return [];
  const { node, children } = containerOf(mounted, kind.path);
  const path = [...route.path, ...kind.path];
  const from = growing.length > 0 ? kind.prefixParts : 0;
  const isLast = levels.length > 0 && !hasElement(levels[1]);
  const host = levels.length > 0 && !isLast ? hosts[0] : undefined;
  const count = (isLast ? (region.cut?.parts ?? 0) : (host ?? children.length + from)) - from;
  const pieces: FinishedPiece<Node>[] = [];
  const inner = (index: number, isGrowing: boolean, isCut: boolean): void => {
    const child = children[index];
    const below = {
      path: [...path, from + index],
      growing: isGrowing ? growing.slice(1) : [],
      levels: isCut ? levels.slice(1) : [],
      hosts: hosts.slice(1),
    };
    if (child !== undefined) pieces.push(...take(child, region, below));
  };
  const isInHost = hasElement(growing[1]);
  if (isInHost) inner(0, true, host === from);
  if (host !== undefined && (host > from || !isInHost)) inner(count, false, true);
  const parts = children.slice(isInHost ? 1 : 0, Math.max(count, 0));
  const position = { path, from: from + (isInHost ? 1 : 0), parent: levels.length === 0 ? node : undefined };
  pieces.push(...piecesOf(parts, position, runsHere(region, route, isLast)));
  if (levels.length > 0) children.splice(0, count);
  return pieces;
}

/** The runs of paragraphs at the start and the end of a level's finished parts. */
interface Runs {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

function runsHere({ growingRuns, cut }: FinishedRegion, { growing, levels }: Route, isLast: boolean): Runs {
  const isOld = growing.length > 0 && !hasElement(growing[1]) && isParagraph(growing.at(-1)?.kind);
  const isNew = isLast && isParagraph(levels.at(-1)?.kind);
  const isGoingOn = isOld && isNew && growing.at(-1)?.beginning === levels.at(-1)?.beginning;
  return { first: isOld && !isGoingOn ? growingRuns : [], last: isNew ? (cut?.runs ?? []) : [] };
}

interface Place<Node> {
  readonly path: readonly number[];
  readonly from: number;
  readonly parent: Node | undefined;
}

function piecesOf<Node>(
  parts: readonly Mounted<Node>[],
  { path, from, parent }: Place<Node>,
  { first, last }: Runs,
): readonly FinishedPiece<Node>[] {
  const end = parts.length - last.length;
  return [
    { runs: first.join(""), mounted: parts.slice(0, first.length) },
    { path, from: from + first.length, parent, mounted: parts.slice(first.length, end) },
    { runs: last.join(""), mounted: parts.slice(end) },
  ].filter(({ mounted }) => mounted.length > 0);
}

/** False for a paragraph in a tight item. */
function hasElement(level: OpenLevel | undefined): boolean {
  return level !== undefined && level.kind.isFlat !== true;
}

/** The mounted element that contains the parts. */
function containerOf<Node>(block: Mounted<Node>, path: readonly number[]): Mounted<Node> {
  return path.reduce((mounted, index) => mounted.children[index] ?? mounted, block);
}

/** An open block whose first parts are finished. */
export interface GrowingBlock<Node> {
  readonly levels: readonly OpenLevel[];
  readonly prefix: string;
  /** The text of the finished parts, in case they have to be rendered again, which is rare. */
  readonly sources: readonly string[];
  readonly parts: FinishedPart<Node>[];
  readonly emptyCells: number;
}

/** The state of this block, all of which is finished. */
export function regionOf<Node>(block: Block, growing: GrowingBlock<Node> | undefined): FinishedRegion {
  const levels = growing?.levels ?? [];
  const innermost = blocksOf(levels, block).at(-1);
  return { growing: levels, growingRuns: innermost === undefined ? [] : runsOf(innermost) };
}

/** A finished part. The prefix was parsed along with it, and its own text starts after the prefix. */
export function partOf<Node>(
  { labels }: Block,
  growing: GrowingBlock<Node> | undefined,
  source: string,
  pieces: readonly FinishedPiece<Node>[],
  levels: readonly OpenLevel[] = [],
): FinishedPart<Node> {
  const { prefix = "" } = growing ?? {};
  const rest = source.slice(prefix.length);
  return { labels, prefix, source: rest, growing: growing?.levels ?? [], levels, pieces };
}
