import createMarkdownIt from "markdown-it";
import type { StateCore, Token } from "markdown-it";
import { splitBlocks } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { addFootnotes } from "./footnoteRules.ts";
import { InlineParts, setInlineContent } from "./inlineParts.ts";
import type { InlinePart } from "./inlineParts.ts";
import { addMath } from "./mathRules.ts";
import type { References } from "./references.ts";
import { cutRuns } from "./runs.ts";

export interface ParseOptions {
  /** Text before the source that makes an open block go on (see `openLevels.ts`): whole lines, or else `paragraphPrefix` is its end. */
  readonly prefix?: string;
  readonly references: References;
  /** What was parsed before, so that only new text is parsed. */
  readonly inlineParts?: InlineParts;
}

/**
 * CommonMark with tables, strikethrough, footnotes and TeX. HTML is text, bare addresses are text; definitions of references stay
 * in the token stream, because a block that ends with one is not finished before a blank line.
 */
const markdown = createMarkdownIt({ html: false, linkify: false, typographer: false });
markdown.core.ruler.disable("strip_references");
addFootnotes(markdown);
addMath(markdown);
markdown.core.ruler.at("inline", parseInline);
// Which targets become links is decided where the nodes are built (links.ts).
markdown.validateLink = () => true;

/** Stands for the finished runs of a paragraph whose last runs are parsed again. */
export const paragraphPrefix = "x";

/** Parses what the tail of a message is at the moment. */
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
  /** The line on which a paragraph goes on; -1 for none. */
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

function parseText(text: string, env: object): readonly Token[] {
  const tokens: Token[] = [];
  markdown.inline.parse(text, markdown, { ...env }, tokens);
  return tokens;
}
