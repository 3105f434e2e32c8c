import { t } from "@vscode/l10n";
import type { Token } from "markdown-it";
import { encodePath, isFileName, parseFileLink } from "../../core/kernel/fileLink.ts";
import { percentDecode } from "../../core/kernel/httpAddress.ts";
import { isImageData } from "../../core/kernel/images.ts";
import { iconClass } from "../kit/dom.ts";
import type { InlineContent, InlinePart } from "./inlineParts.ts";
import { hostOf, isAllowedLink, undisclosedHost } from "./links.ts";
import { element } from "./tree.ts";
import type { Attributes, ElementTree, Tree } from "./tree.ts";

const runAttributes: Attributes = { class: "run" };
/** The browser searches these for the direction of the paragraph again whenever it grows, unless they have their own. */
const letterlessAttributes: Attributes = { ...runAttributes, dir: "ltr" };

/** More combining marks on one letter than anyone reads. Laying out a sequence takes quadratic time. */
const stackedMarks = /(\p{M}{64})(?=\p{M})/u;

/** Gives long sequences of combining marks more bases, which aren't part of the text (markdown.css). */
export function withMarkBases(text: string): readonly Tree[] {
  const pieces = text.split(stackedMarks).filter((piece) => piece !== "");
  return pieces.map((piece, index) =>
    index === 0 ? piece : element("span", { class: "mark-base" }, [piece]),
  );
}

const rendered = new WeakMap<InlinePart, readonly Tree[]>();

/** The text of a paragraph, a heading or a cell, with its emphasis, code, links and images. */
export function renderInline({ parts, isInRuns }: InlineContent): readonly Tree[] {
  return isInRuns ? parts.map(renderRun) : parts.flatMap(renderPart);
}

/** A part of a very long text that is laid out separately (markdown.css). */
export function renderRun(part: InlinePart): ElementTree {
  return element("span", hasLetter(part.tokens) ? runAttributes : letterlessAttributes, renderPart(part));
}

/** Whether any text outside of formulas can determine the direction. */
function hasLetter(tokens: readonly Token[]): boolean {
  return tokens.some(({ type, content }) => type !== "math_inline" && /\p{L}/u.test(content));
}

/** The same part returns the same trees, so that they don't have to be compared with what is shown. */
function renderPart(part: InlinePart): readonly Tree[] {
  const trees = rendered.get(part) ?? addMarkBases(renderTokens(part.tokens));
  rendered.set(part, trees);
  return trees;
}

function addMarkBases(trees: readonly Tree[]): readonly Tree[] {
  return trees.flatMap((tree) => {
    if (typeof tree === "string") return withMarkBases(tree);
    return stackedMarks.test(textOf([tree])) ? { ...tree, children: addMarkBases(tree.children) } : tree;
  });
}

function renderTokens(tokens: readonly Token[]): readonly Tree[] {
  return nestTokens(tokens, {
    append: (siblings, token) => appendTree(siblings, renderLeaf(token)),
    close: (open, children) => [renderSpan(open, children)],
  });
}

/** Joins adjacent texts into one node, so that the nodes don't depend on how the parser splits its tokens. */
function appendTree(siblings: Tree[], tree: Tree): void {
  const last = siblings.at(-1);
  if (tree === "") return;
  if (typeof tree === "string" && typeof last === "string") siblings[siblings.length - 1] = last + tree;
  else siblings.push(tree);
}

function renderLeaf(token: Token): Tree {
  switch (token.type) {
    case "code_inline":
      return renderCode(token.content);
    case "softbreak":
      return "\n";
    case "hardbreak":
      return element("br");
    case "math_inline":
      return renderInlineMath(token);
    case "footnote_ref":
      return renderFootnoteReference(token);
    case "image":
      return renderImage(token);
    default:
      return token.content;
  }
}

function renderSpan(open: Token, children: readonly Tree[]): ElementTree {
  return open.type === "link_open" ? renderLink(open, children) : element(open.tag, {}, children);
}

/**
 * The actual target is always shown on hover, and next to a text that names a different one. A target that isn't on the
 * allow-list doesn't become a link at all.
 */
function renderLink(open: Token, children: readonly Tree[]): ElementTree {
  const href = String(open.attrGet("href") ?? "");
  const isFile = parseFileLink(href) !== undefined;
  if (isFile && !children.some(isImage)) return renderFileLink(href, children.map(withoutFileLinks));
  if (!isAllowedLink(href)) return element("span", { class: "dead-link", title: href }, children);
  if (children.some(isImage)) return renderImageLink(href, children);
  const words = children.map(withoutFileLinks);
  const title = open.attrGet("title");
  const attributes = { href, title: title === null ? href : `${title}\n${href}`, rel: "noopener noreferrer" };
  const host = undisclosedHost(href, textOf(words));
  if (host === undefined) return element("a", attributes, words);
  return element("a", attributes, [
    ...words,
    element("span", { class: "link-host", dir: "ltr" }, [` (${host})`]),
  ]);
}

/** Code that names a file opens it. */
function renderCode(text: string): ElementTree {
  const code = element("code", { class: "inline-code" }, text === "" ? [] : [text]);
  return isFileName(text) ? renderFileLink(encodePath(text), [code]) : code;
}

/** The page can't follow the link itself: the host opens the file (clicks.ts). */
function renderFileLink(target: string, children: readonly Tree[]): ElementTree {
  return element("a", { href: "#", "data-file": target, title: percentDecode(target) }, children);
}

/** A link can't contain another one. */
function withoutFileLinks(tree: Tree): Tree {
  if (typeof tree === "string") return tree;
  if ("data-file" in tree.attributes) return tree.children[0] ?? "";
  return element(tree.name, tree.attributes, tree.children.map(withoutFileLinks));
}

/** An image has its own button. The link follows it. */
function renderImageLink(href: string, children: readonly Tree[]): ElementTree {
  const words = children.filter((child) => !isImage(child));
  const label = textOf(words).trim() === "" ? [hostOf(href) ?? href] : words;
  const link = element("a", { href, title: href, rel: "noopener noreferrer" }, label);
  return element("span", { class: "linked-image-link" }, [...children.filter(isImage), " ", link]);
}

function isImage(tree: Tree): boolean {
  return typeof tree === "object" && (tree.attributes["class"] ?? "").startsWith("linked-image");
}

function textOf(trees: readonly Tree[]): string {
  return trees.map((tree) => (typeof tree === "string" ? tree : textOf(tree.children))).join("");
}

/**
 * Images in model output are never loaded automatically, because a URL alone can leak data. Only images contained in
 * the text itself are shown. All others become placeholders that show where they would come from.
 */
function renderImage(token: Token): ElementTree {
  const source = String(token.attrGet("src") ?? "");
  const words = plainText(token.children ?? []);
  const alternative = words === "" ? t("Image") : words;
  if (isImageData(source))
    return element("img", { class: "linked-image-shown", src: source, alt: alternative });
  const isLoadable = /^https:\/\//i.test(source);
  const host = isLoadable ? hostOf(source) : undefined;
  const shownSource = host ?? (source.startsWith("data:") ? "" : source);
  return element("span", { class: "linked-image", title: source.slice(0, 2000) }, [
    element("span", { class: iconClass("file-media"), "aria-hidden": "true" }),
    element("span", { class: "linked-image-name", dir: "auto" }, [alternative]),
    element("span", { class: "linked-image-source", dir: "ltr" }, shownSource === "" ? [] : [shownSource]),
    ...(host === undefined ? [] : [loadButton(source, host)]),
  ]);
}

function loadButton(source: string, host: string): Tree {
  const label = t("Load Once from {0}", host);
  const attributes = { type: "button", class: "button secondary linked-image-load", "data-image": source };
  return element("button", { ...attributes, title: label, "aria-label": label }, [t("Load Once")]);
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => (token.children === null ? breakOr(token) : plainText(token.children)))
    .join("");
}

function breakOr(token: Token): string {
  return token.type === "softbreak" || token.type === "hardbreak" ? " " : token.content;
}

/** Turns tokens into trees. */
interface TokenRenderer {
  /** Adds a token without content of its own to the preceding siblings. */
  append(siblings: Tree[], token: Token): void;
  close(open: Token, children: readonly Tree[]): readonly Tree[];
}

/** The trees that opening and closing tokens describe. */
export function nestTokens(tokens: readonly Token[], { append, close }: TokenRenderer): readonly Tree[] {
  const root: Tree[] = [];
  const stack: { readonly open: Token; readonly children: Tree[] }[] = [];
  for (const token of tokens) {
    if (token.nesting > 0) stack.push({ open: token, children: [] });
    else if (token.nesting === 0) append(stack.at(-1)?.children ?? root, token);
    else {
      const closed = stack.pop();
      if (closed !== undefined) (stack.at(-1)?.children ?? root).push(...close(closed.open, closed.children));
    }
  }
  return root;
}

/**
 * A formula. Its source is shown as text until it is near the viewport and typeset (math/mathTypesetter.ts). The TeX is
 * also an attribute, so that a different formula is a different element, and a typeset one is never patched.
 */
function renderInlineMath(token: Token): ElementTree {
  return mathElement(token.content.trim(), token.markup, token.info === "display");
}

/** Display math on separate lines. */
export function renderMathBlock(token: Token): ElementTree {
  return element("div", { class: "math-block" }, [mathElement(token.content.trim(), token.markup, true)]);
}

/** An unclosed formula is shown as text. */
export function renderOpenMath(token: Token): ElementTree {
  return element("p", { dir: "auto" }, [token.markup]);
}

function mathElement(tex: string, source: string, isDisplay: boolean): ElementTree {
  const attributes = { class: isDisplay ? "math display" : "math", "data-math": tex, dir: "ltr" };
  return element("span", attributes, [source]);
}

/** A footnote's mark in the text: its own label. */
function renderFootnoteReference(token: Token): ElementTree {
  const label = labelOf(token);
  const attributes = { type: "button", class: "footnote-link", "data-footnote-ref": label };
  return element("sup", { class: "footnote-ref" }, [
    element("button", { ...attributes, "aria-label": t("Footnote {0}", label) }, [label]),
  ]);
}

/** A footnote, to be shown after the message's text. */
export function renderFootnote(open: Token, children: readonly Tree[]): ElementTree {
  const label = labelOf(open);
  const back = t("Back to footnote reference {0}", label);
  return element("div", { class: "footnote", "data-footnote": label, tabindex: "-1" }, [
    element(
      "button",
      {
        type: "button",
        class: "footnote-link footnote-label",
        "data-footnote-back": label,
        "aria-label": back,
        title: back,
      },
      [label],
    ),
    element("div", { class: "footnote-text" }, children),
  ]);
}

/** Whether the block belongs after the text. */
export function isFootnote(tree: Tree): boolean {
  return typeof tree === "object" && tree.attributes["class"] === "footnote";
}

function labelOf(token: Token): string {
  return String(token.meta?.["label"] ?? "");
}
