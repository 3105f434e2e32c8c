import createMarkdownIt from "markdown-it";
import type { StateCore, Token } from "markdown-it";
import { splitBlocks } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import type { References } from "./references.ts";

export interface ParseOptions {
  /** Text before the source that makes an open block go on (see `openBlock.ts`); whole lines. */
  readonly prefix?: string;
  readonly references: References;
}

/**
 * CommonMark with tables and strikethrough. HTML is text, bare addresses are text; definitions of references stay
 * in the token stream, because a block that ends with one is not finished before a blank line.
 */
const markdown = createMarkdownIt({ html: false, linkify: false, typographer: false });
markdown.core.ruler.disable("strip_references");
markdown.core.ruler.at("inline", parseInline);
// Which targets become links is decided where the nodes are built (links.ts).
markdown.validateLink = () => true;

/** Parses what the tail of a message is at the moment. */
export function parseBlocks(source: string, options: ParseOptions): readonly Block[] {
  const env: ParserEnvironment = {
    references: options.references.table,
    observer: options.references,
    labels: [],
  };
  const tokens = markdown.parse((options.prefix ?? "") + source, { ...env });
  return splitBlocks(tokens, env.labels);
}

interface ParserEnvironment {
  readonly references: References["table"];
  readonly observer: References;
  /** The labels that each top-level block looks up, in the order of the blocks. */
  readonly labels: ReadonlySet<string>[];
}

/** Parses blocks only: enough to see how they are nested and whether a list is tight. */
export function parseStructure(source: string): readonly Token[] {
  const tokens: Token[] = [];
  markdown.block.parse(source, markdown, {}, tokens);
  return tokens;
}

function parseInline(state: StateCore): void {
  const { observer, labels } = state.env as unknown as ParserEnvironment;
  let looked = new Set<string>();
  const onLookUp = (label: string): void => void looked.add(label);
  const parse = (token: Token): void =>
    state.md.inline.parse(token.content, state.md, state.env, token.children ?? []);
  for (const token of state.tokens) {
    if (token.type === "inline") observer.observe(onLookUp, () => parse(token));
    if (token.level > 0 || token.nesting > 0) continue;
    labels.push(looked);
    looked = new Set();
  }
}
