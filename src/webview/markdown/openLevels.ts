import { childBlocks } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { withoutMargin } from "./margin.ts";
import { isParagraph, openBlockKind } from "./openBlock.ts";
import type { Beginning, OpenBlockKind } from "./openBlock.ts";

/**
 * One open block on the path from the outermost one to the innermost that was split. Each is the last block inside the
 * previous one.
 */
export interface OpenLevel {
  readonly kind: OpenBlockKind;
  readonly beginning: Beginning;
  /** Whether it is a list whose finished items were rendered as those of a loose list. */
  readonly isLoose: boolean;
}

/** A level with the line on which its block starts in the text that is being parsed. */
export interface LevelPosition extends OpenLevel {
  readonly startLine: number;
}

/** How a nested block continues; undefined if its first lines can't be read. */
export function readBeginning(
  kind: OpenBlockKind,
  block: Block,
  lines: readonly string[],
  around: readonly LevelPosition[],
): Beginning | undefined {
  return kind.begin(block, (index) => {
    const number = block.startLine + index;
    const line = (lines[number] ?? "").replace(/\n$/, "");
    return around.reduce<string | undefined>((text, { beginning, startLine }) => {
      const { margin } = beginning;
      if (text === undefined || margin === undefined) return text;
      return withoutMargin(text, margin, startLine === number);
    }, line);
  });
}

/** The text after which the rest is parsed as a continuation of all these blocks. */
export function prefixOf(levels: readonly OpenLevel[]): string {
  const lines = levels.reduceRight<readonly string[]>((inner, { beginning }) => {
    const { margin, lines: own } = beginning;
    const all = [...own, ...inner];
    if (margin === undefined) return all;
    return (all.length === 0 ? [""] : all).map(
      (line, index) => (index === 0 ? margin.first : margin.rest) + line,
    );
  }, []);
  return lines.join("\n") + (isParagraph(levels.at(-1)?.kind) ? "" : "\n");
}

/** A line inside all these blocks. */
export function lineInside(levels: readonly OpenLevel[], line: string): string {
  return `${levels.map(({ beginning }) => beginning.margin?.rest ?? "").join("")}${line}\n`;
}

/** The levels' blocks in the text parsed after their prefix. Fewer if they have changed or become looser. */
export function blocksOf(levels: readonly OpenLevel[], outermost: Block): readonly Block[] {
  const blocks: Block[] = [];
  let block: Block | undefined = outermost;
  for (const { kind, isLoose } of levels) {
    if (block === undefined || openBlockKind(block) !== kind) break;
    // The prefix's paragraph.
    if (isList(block) && !isLoose && block.tokens[2]?.hidden === false) break;
    blocks.push(block);
    block = kind.readInner?.(block, 0).blocks[kind.prefixParts];
  }
  return blocks;
}

/** The levels' blocks at the end of the parsed text. */
export function lastBlocksOf(levels: readonly OpenLevel[], outermost: Block): readonly Block[] {
  const blocks = [outermost];
  for (const { kind } of levels.slice(0, -1)) {
    const last: Block | undefined = blocks.at(-1);
    const inner = last === undefined || kind.readInner === undefined ? undefined : childBlocks(last).at(-1);
    if (inner !== undefined) blocks.push(inner);
  }
  return blocks;
}

/** Makes the tight parts of loose lists loose. */
export function loosen(blocks: readonly Block[], levels: readonly OpenLevel[]): void {
  for (const [index, block] of blocks.entries()) {
    if (levels[index]?.isLoose !== true || !isList(block)) continue;
    for (const token of ownParagraphs(block)) token.hidden = false;
  }
}

/** Whether the block is a list. */
export function isList(block: Block): boolean {
  return /_list_open$/.test(block.tokens[0]?.type ?? "");
}

/** Whether the list is shown as loose. Undefined if that isn't known yet. */
export function isShownLoose(list: Block): boolean | undefined {
  const [paragraph] = ownParagraphs(list);
  return paragraph === undefined ? undefined : !paragraph.hidden;
}

function ownParagraphs({ tokens }: Block): Block["tokens"] {
  const level = (tokens[0]?.level ?? 0) + 2;
  return tokens.filter((token) => token.level === level && token.type.startsWith("paragraph_"));
}
