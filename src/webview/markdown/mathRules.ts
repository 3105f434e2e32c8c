import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";

/** Maximum length of a formula in UTF-16 code units. Longer ones are text. */
const maxInline = 2000;
const maxBlock = 8000;

const dollar = 0x24;
const backslash = 0x5c;

/**
 * Adds TeX to the parser: `$…$` and `\(…\)` within a line, `$$…$$` and `\[…\]` as display math. Unclosed formulas are
 * text, and so is money: `$5 and $10`. Display math ends at an empty line, so that recognizing it never depends on much
 * more text.
 */
export function addMath(markdown: MarkdownIt): void {
  markdown.inline.ruler.before("escape", "math", parseInlineMath);
  const alt = ["paragraph", "reference", "blockquote", "list"];
  markdown.block.ruler.before("fence", "math_block", parseMathBlock, { alt });
}

function parseInlineMath(state: StateInline, isSilent: boolean): boolean {
  const found = findInline(state, state.pos);
  if (found === undefined) return false;
  if (!isSilent) {
    const token = state.push("math_inline", "", 0);
    token.content = state.src.slice(found.start, found.end);
    token.markup = state.src.slice(state.pos, found.next);
    token.info = found.isDisplay ? "display" : "";
  }
  state.pos = found.next;
  return true;
}

/** The position of a formula's TeX, and of what follows its closing mark. */
interface FoundMath {
  readonly start: number;
  readonly end: number;
  readonly next: number;
  readonly isDisplay: boolean;
}

function findInline(state: StateInline, pos: number): FoundMath | undefined {
  const { src, posMax } = state;
  const code = src.charCodeAt(pos);
  if (code === dollar) {
    const isDisplay = src.charCodeAt(pos + 1) === dollar;
    return isDisplay ? findDisplay(src, pos, posMax) : findDollars(src, pos, posMax);
  }
  if (code !== backslash) return undefined;
  const opening = src[pos + 1];
  if (opening !== "(" && opening !== "[") return undefined;
  const end = findClosing(state, opening === "(" ? "\\)" : "\\]", pos + 2);
  return end === undefined ? undefined : said(src, pos + 2, end, 2, opening === "[");
}

function findDisplay(src: string, pos: number, max: number): FoundMath | undefined {
  const end = findUnescaped(src, "$$", pos + 2, Math.min(max, pos + maxBlock));
  return end === undefined ? undefined : said(src, pos + 2, end, 2, true);
}

/** A single dollar sign starts math only if it can't be money or a shell variable. */
function findDollars(src: string, pos: number, max: number): FoundMath | undefined {
  if (/[\p{L}\p{N}$]/u.test(src[pos - 1] ?? "")) return undefined;
  if (/\s/.test(src[pos + 1] ?? " ")) return undefined;
  const end = findUnescaped(src, "$", pos + 1, Math.min(max, pos + maxInline));
  if (end === undefined || /\s/.test(src[end - 1] ?? "") || /[\p{L}\p{N}$]/u.test(src[end + 1] ?? ""))
    return undefined;
  const content = src.slice(pos + 1, end);
  return isMoney(content) ? undefined : said(src, pos + 1, end, 1, false);
}

/** `$5 for one or 6$`: a number and then words. */
function isMoney(content: string): boolean {
  return (
    /^[\d.,]+\s?(?:[kKmMbB]|bn)?\s+(?:\p{L}{2,}|[-–&])/u.test(content) || /^[\d.,]+\s*[-–/]$/.test(content)
  );
}

function said(
  src: string,
  start: number,
  end: number,
  mark: number,
  isDisplay: boolean,
): FoundMath | undefined {
  return src.slice(start, end).trim() === "" ? undefined : { start, end, next: end + mark, isDisplay };
}

/** The next `mark` that isn't preceded by a backslash. */
function findUnescaped(src: string, mark: string, from: number, max: number): number | undefined {
  for (let pos = src.indexOf(mark, from); pos !== -1 && pos < max; pos = src.indexOf(mark, pos + 1)) {
    let slashes = 0;
    while (src.charCodeAt(pos - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return pos;
  }
  return undefined;
}

/** Marks that don't occur again in a text. Searching for them at each opening mark would take quadratic time. */
const missing = new WeakMap<StateInline, Set<string>>();

function findClosing(state: StateInline, mark: string, from: number): number | undefined {
  const known = missing.get(state) ?? new Set();
  if (known.has(mark)) return undefined;
  const pos = state.src.indexOf(mark, from);
  if (pos === -1) missing.set(state, known.add(mark));
  return pos === -1 || pos - from > maxBlock || pos >= state.posMax ? undefined : pos;
}

/** Display math at the start of a line. If it isn't closed before an empty line, it is a paragraph of text. */
function parseMathBlock(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const first = lineOf(state, startLine);
  if (first === undefined || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const closing = first.startsWith("$$") ? "$$" : first.startsWith("\\[") ? "\\]" : undefined;
  if (closing === undefined || first.length > maxBlock || isText(first, closing)) return false;
  if (isSilent) return true;
  const lines = collectLines(state, startLine, endLine, closing);
  const source = lines.join("\n");
  const isClosed = endsWith(lines, closing);
  state.line = startLine + lines.length;
  const token = state.push(isClosed ? "math_block" : "math_open", "", 0);
  token.map = [startLine, state.line];
  token.block = true;
  token.content = isClosed ? source.slice(2, source.trimEnd().length - 2) : source;
  token.markup = source;
  return true;
}

/** Something follows the closing mark, so it is a paragraph that contains the formula as display math. */
function isText(first: string, closing: string): boolean {
  const end = findUnescaped(first, closing === "$$" ? "$$" : "\\]", 2, first.length);
  return end !== undefined && (first.slice(end + 2).trim() !== "" || first.slice(2, end).trim() === "");
}

function collectLines(
  state: StateBlock,
  startLine: number,
  endLine: number,
  closing: string,
): readonly string[] {
  const lines: string[] = [];
  let length = 0;
  for (let line = startLine; line < endLine && !state.isEmpty(line); line += 1) {
    if (line > startLine && (state.sCount[line] ?? 0) < state.blkIndent) break;
    const text = lineOf(state, line) ?? "";
    length += text.length + 1;
    if (line > startLine && length > maxBlock) break;
    lines.push(text);
    if (endsWith(lines, closing)) break;
  }
  return lines;
}

function endsWith(lines: readonly string[], closing: string): boolean {
  const last = lines.at(-1)?.trimEnd() ?? "";
  return last.endsWith(closing) && (lines.length > 1 || last.length >= 5) && !last.endsWith(`\\${closing}`);
}

function lineOf(state: StateBlock, line: number): string | undefined {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  const end = state.eMarks[line];
  return end === undefined ? undefined : state.src.slice(start, end);
}
