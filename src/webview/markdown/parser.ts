import createMarkdownIt from "markdown-it";
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from "markdown-it";
import { isRecord } from "../../core/kernel/json.ts";
import { splitBlocks } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { InlineParts, setInlineContent } from "./inlineParts.ts";
import type { InlinePart } from "./inlineParts.ts";
import { addMath } from "./mathRules.ts";
import { addModelHabits } from "./modelHabits.ts";
import type { References } from "./references.ts";
import { cutRuns, isUnreadable } from "./runs.ts";

const definition = /^\[\^([^\]\s]{1,80})\]:[ \t]*/;
const reference = /\[\^([^\]\s]{1,80})\]/y;

/**
 * Adds footnotes to the parser: `[^label]` and, at the start of a line, `[^label]: text`. They use the same table as
 * link definitions, so that a later footnote also updates finished text. A footnote's mark is its label instead of a
 * number, so that nothing has to be renumbered when another one is added.
 */
function addFootnotes(markdown: MarkdownIt): void {
  const alt = ["paragraph", "reference", "blockquote"];
  markdown.block.ruler.before("reference", "footnote", parseDefinition, { alt });
  markdown.inline.ruler.before("link", "footnote_ref", parseReference);
}

/** The key in the reference table, in which the labels of links are uppercase. */
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

/** Only at the top level: inside a list or quote it is ordinary text. It ends any open block before it. */
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

/** The position of each text's last closing bracket; -1 if there is none. */
const lastClosing = new WeakMap<StateInline, number>();

/**
 * A bracket that is never closed is text. The rules for links and images would search the rest of the text for the end
 * of each one again.
 */
function addOpenBrackets(markdown: MarkdownIt): void {
  markdown.inline.ruler.before("link", "open_bracket", (state, isSilent) => {
    const mark = state.src[state.pos];
    if (mark !== "[" && mark !== "!") return false;
    const last = lastClosing.get(state) ?? state.src.lastIndexOf("]");
    lastClosing.set(state, last);
    if (last > state.pos) return false;
    if (!isSilent) state.pending += mark;
    state.pos += 1;
    return true;
  });
}

/**
 * Levels of nested blocks. A list adds two: itself and its item. The parser drops anything deeper than its own limit.
 */
const maxLevels = 96;

/** Shows the source of lists and quotes that are nested too deeply. */
function addDeepBlocks(markdown: MarkdownIt): void {
  markdown.block.ruler.before("blockquote", "deep_block", (state, startLine, endLine, isSilent) => {
    if (state.level < maxLevels || isSilent) return false;
    const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
    if (!/^(?:>|[-+*]|\d{1,9}[.)])/.test(state.src.slice(start, start + 12))) return false;
    let line = startLine + 1;
    while (line < endLine && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent) line += 1;
    state.push("paragraph_open", "p", 1).map = [startLine, line];
    const text = state.push("inline", "", 0);
    text.content = state.getLines(startLine, line, state.blkIndent, false).trim();
    text.map = [startLine, line];
    text.children = [];
    state.push("paragraph_close", "p", -1);
    state.line = line;
    return true;
  });
}

/** The rest of the line and all following lines that are indented by four columns. */
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

interface ParseOptions {
  /**
   * Text before the source that continues an open block (see `openLevels.ts`): whole lines, or it ends with
   * `paragraphPrefix`.
   */
  readonly prefix?: string;
  readonly references: References;
  /** Previously parsed parts, so that only new text is parsed. */
  readonly inlineParts?: InlineParts;
}

/**
 * CommonMark with tables, strikethrough, footnotes, TeX, and habits of models. HTML and bare URLs are text. Reference definitions stay in
 * the token stream, because a block that ends with one isn't finished before a blank line.
 */
const markdown = createMarkdownIt({ html: false, linkify: false, typographer: false });
markdown.core.ruler.disable("strip_references");
addFootnotes(markdown);
addMath(markdown);
addModelHabits(markdown);
addOpenBrackets(markdown);
addDeepBlocks(markdown);
markdown.core.ruler.at("inline", parseInline);
// Allowed link targets are determined when the nodes are created (links.ts).
markdown.validateLink = () => true;
// A URL is shown with its host name as resolved, because one in another script may look like one that the user trusts.
const { mdurl } = markdown.utils.lib;
markdown.normalizeLinkText = (url) => mdurl.decode(url, `${mdurl.decode.defaultChars}%`);

/** Replaces the finished runs of a paragraph whose last runs are parsed again. */
export const paragraphPrefix = "x";

/** Parses the current tail of a message. */
export function parseBlocks(source: string, options: ParseOptions): readonly Block[] {
  const { prefix = "" } = options;
  const env: ParserEnvironment = {
    references: options.references.table,
    observer: options.references,
    labels: [],
    inlineParts: options.inlineParts ?? new InlineParts(),
    openLine: /[^\n]$/.test(prefix) ? prefix.split("\n").length - 1 : -1,
  };
  env.inlineParts.begin();
  const tokens = markdown.parse(prefix + source, { ...env });
  return splitBlocks(tokens, env.labels);
}

interface ParserEnvironment {
  readonly references: References["table"];
  readonly observer: References;
  /** The labels that each top-level block looks up, in the order of the blocks. */
  readonly labels: ReadonlySet<string>[];
  readonly inlineParts: InlineParts;
  /** The line on which a paragraph continues; -1 if there is none. */
  readonly openLine: number;
}

/** Parses blocks only: enough to see how they are nested and whether a list is tight. */
export function parseStructure(source: string): readonly Token[] {
  const tokens: Token[] = [];
  markdown.block.parse(source, markdown, {}, tokens);
  return tokens;
}

/** Parses the text of a paragraph, or of some of its runs. */
export function parseRuns(text: string, references: References): readonly InlinePart[] {
  const env = { references: references.table };
  return cutRuns(text).map((run) => ({ text: run, tokens: parseText(run, env) }));
}

function parseInline(state: StateCore): void {
  const env = state.env as unknown as ParserEnvironment;
  let looked = new Set<string>();
  for (const token of state.tokens) {
    if (token.type === "inline") {
      const isGoingOn = token.map?.[0] === env.openLine;
      const text = isGoingOn ? token.content.slice(paragraphPrefix.length) : token.content;
      const parts = cutRuns(text).map((run) => parsePart(run, env, looked));
      setInlineContent(token, { parts, isInRuns: isGoingOn || parts.length > 1 });
    }
    if (token.level > 0 || token.nesting > 0) continue;
    env.labels.push(looked);
    looked = new Set();
  }
}

function parsePart(text: string, env: ParserEnvironment, looked: Set<string>): InlinePart {
  const known = env.inlineParts.find(text);
  if (known !== undefined) return known;
  const labels: string[] = [];
  let tokens: readonly Token[] = [];
  env.observer.observe(
    (label) => void labels.push(label),
    () => {
      tokens = parseText(text, env);
    },
  );
  const part = { text, tokens };
  for (const label of labels) looked.add(label);
  if (labels.length === 0) env.inlineParts.keep(part);
  return part;
}

function parseText(text: string, env: Pick<ParserEnvironment, "references">): readonly Token[] {
  const tokens: Token[] = [];
  if (!isUnreadable(text)) markdown.inline.parse(text, markdown, { ...env }, tokens);
  else new markdown.inline.State(text, markdown, { ...env }, tokens).push("text", "", 0).content = text;
  return tokens;
}
