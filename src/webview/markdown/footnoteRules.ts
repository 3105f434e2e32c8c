import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import { isRecord } from "../../core/kernel/json.ts";

const definition = /^\[\^([^\]\s]{1,80})\]:[ \t]*/;
const reference = /\[\^([^\]\s]{1,80})\]/y;

/**
 * Adds footnotes to the parser: `[^label]` and, at the beginning of a line, `[^label]: text`. They go through the same
 * table as definitions of links, so that a note that comes later reaches what was finished before. The mark of a note is its
 * label, not a number of ours: nothing has to be counted again when another one comes.
 */
export function addFootnotes(markdown: MarkdownIt): void {
  const alt = ["paragraph", "reference", "blockquote"];
  markdown.block.ruler.before("reference", "footnote", parseDefinition, { alt });
  markdown.inline.ruler.before("link", "footnote_ref", parseReference);
}

/** In the table of references, where labels of links are all in upper case. */
function keyOf(label: string, markdown: MarkdownIt): string {
  return `fn:${markdown.utils.normalizeReference(label)}`;
}

function tableOf(env: unknown): Record<string, unknown> | undefined {
  const table = isRecord(env) ? env["references"] : undefined;
  return isRecord(table) ? (table as Record<string, unknown>) : undefined;
}

function parseReference(state: StateInline, isSilent: boolean): boolean {
  reference.lastIndex = state.pos;
  const label = reference.exec(state.src)?.[1];
  if (label === undefined || tableOf(state.env)?.[keyOf(label, state.md)] === undefined) return false;
  if (!isSilent) state.push("footnote_ref", "", 0).meta = { label };
  state.pos += label.length + 3;
  return true;
}

/** Only outside of everything else: what stands in a list or a quote is text of that. It ends what is open above it. */
function parseDefinition(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  const indent = state.sCount[startLine] ?? 0;
  const isOutside = state.level === 0 || (isSilent && indent < state.blkIndent);
  if (!isOutside || indent >= 4) return false;
  const match = definition.exec(state.src.slice(start, Math.min(state.eMarks[startLine] ?? 0, start + 120)));
  const label = match?.[1];
  if (match === null || label === undefined) return false;
  if (isSilent) return true;
  const key = keyOf(label, state.md);
  const table = tableOf(state.env);
  if (table !== undefined) table[key] = { href: "", title: "" };
  const open = state.push("footnote_open", "div", 1);
  open.meta = { label };
  const mark = state.push("reference_definition", "", 0);
  mark.meta = { label: key };
  parseContent(state, startLine, endLine, start + match[0].length);
  open.map = [startLine, state.line];
  mark.map = open.map;
  state.push("footnote_close", "div", -1);
  return true;
}

/** The rest of the line and all that is indented by four columns below it. */
function parseContent(state: StateBlock, startLine: number, endLine: number, start: number): void {
  const { blkIndent, parentType } = state;
  const [bMark, tShift, sCount] = [
    state.bMarks[startLine] ?? 0,
    state.tShift[startLine] ?? 0,
    state.sCount[startLine] ?? 0,
  ];
  state.bMarks[startLine] = start;
  state.tShift[startLine] = 0;
  state.blkIndent = 4;
  state.sCount[startLine] = 4;
  state.parentType = "footnote";
  state.md.block.tokenize(state, startLine, endLine);
  state.parentType = parentType;
  state.blkIndent = blkIndent;
  state.bMarks[startLine] = bMark;
  state.tShift[startLine] = tShift;
  state.sCount[startLine] = sCount;
}
