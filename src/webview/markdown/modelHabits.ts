import type { MarkdownIt, StateInline } from "markdown-it";

/** What models write and CommonMark doesn't provide for. */
export function addModelHabits(markdown: MarkdownIt): void {
  addEastAsianEmphasis(markdown);
  addWindowsPaths(markdown);
  addLineBreaks(markdown);
  addBareAddresses(markdown);
}

const eastAsian =
  "\\p{sc=Han}\\p{sc=Hangul}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Bopomofo}\\u3001-\\u303F\\uFF01-\\uFFEE";
const endsEastAsian = new RegExp(`[${eastAsian}][\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]?$`, "u");
const startsEastAsian = new RegExp(`^[${eastAsian}]`, "u");

/**
 * Chinese, Japanese and Korean are written without spaces around punctuation, so that CommonMark's rule, which needs a
 * space there, doesn't find the end of `**注意：**请`. Beside such a character a mark both opens and closes.
 */
function addEastAsianEmphasis(markdown: MarkdownIt): void {
  const Inline = markdown.inline.State;
  markdown.inline.State = class extends Inline {
    override scanDelims(start: number, canSplitWord: boolean): ReturnType<StateInline["scanDelims"]> {
      const run = super.scanDelims(start, canSplitWord);
      const before = this.src.slice(Math.max(0, start - 4), start);
      const after = this.src.slice(start + run.length, start + run.length + 2);
      const isBetween = /\S$/.test(before) && /^\S/.test(after);
      if (!canSplitWord || !isBetween) return run;
      if (!endsEastAsian.test(before) && !startsEastAsian.test(after)) return run;
      return { ...run, can_open: true, can_close: true };
    }
  };
}

/** What comes before the first backslash of a path with a drive, a variable or a relative folder. */
const pathStart = /(?:^|[^\p{L}\p{N}\\.:])(?:[A-Za-z]:|\.{1,2}|~|%\w{1,40}%|\$env:\w{1,40})$/u;
/** A path that begins with the name of a computer. */
const networkPath = /\\\\[\w.$-]+\\[\w.$-]/y;
/** A path up to its end. A space belongs to it if a backslash follows in the next word. */
const path = /\\[^\s:*?"<>|`]*(?: [^\s\\/:*?"<>|`]+\\[^\s:*?"<>|`]*)*/y;

/** Until where each text is a path. */
const pathEnds = new WeakMap<StateInline, number>();

/** Whether the backslash at this position separates the parts of a Windows path, and therefore escapes nothing. */
function isInPath(state: StateInline): boolean {
  const { src, pos } = state;
  if (pos < (pathEnds.get(state) ?? 0)) return true;
  networkPath.lastIndex = pos;
  const before = src.slice(Math.max(0, pos - 48), pos);
  const isNetwork = /(?:^|[\s"'“(（:：])$/.test(before) && networkPath.test(src);
  if (!isNetwork && !pathStart.test(before)) return false;
  path.lastIndex = pos;
  path.exec(src);
  pathEnds.set(state, path.lastIndex);
  return true;
}

/** Keeps the backslashes of Windows paths, in the text and in the targets of links. */
function addWindowsPaths(markdown: MarkdownIt): void {
  markdown.inline.ruler.before("math", "windows_path", (state, isSilent) => {
    if (state.src[state.pos] !== "\\" || !isInPath(state)) return false;
    // The next character isn't a mark either: `\_old` isn't emphasis.
    const next = state.src[state.pos + 1] ?? "";
    const text = /[!-/:-@[-`{-~]/.test(next) && next !== "`" ? `\\${next}` : "\\";
    if (!isSilent) state.pending += text;
    state.pos += text.length;
    return true;
  });
  const { parseLinkDestination } = markdown.helpers;
  markdown.helpers.parseLinkDestination = (text, start, max) => {
    const result = parseLinkDestination(text, start, max);
    const written = text.slice(start, result.pos).replace(/^<|>$/g, "");
    return result.ok && /^(?:[A-Za-z]:\\|\\\\)/.test(written) ? { ...result, str: written } : result;
  };
}

/** `<br>` is the only HTML that is read, because a table cell has no other way to break a line. */
function addLineBreaks(markdown: MarkdownIt): void {
  const tag = /<br ?\/?>/iy;
  markdown.inline.ruler.before("autolink", "br", (state, isSilent) => {
    tag.lastIndex = state.pos;
    if (state.src[state.pos] !== "<" || !tag.test(state.src)) return false;
    if (!isSilent) state.push("hardbreak", "br", 0);
    state.pos = tag.lastIndex;
    return true;
  });
}

/** An address up to the first character that can't belong to it; Chinese punctuation ends it without a space. */
const bareAddress = /:\/\/[^\s<>"`“”‘’\u3000-\u303F\uFF00-\uFFEF]{1,2000}/y;

/** Turns a web address in the text into a link. */
function addBareAddresses(markdown: MarkdownIt): void {
  markdown.inline.ruler.before("math", "bare_address", (state, isSilent) => {
    if (state.src[state.pos] !== ":" || state.linkLevel > 0) return false;
    const scheme = /(?:^|[^a-z\d+.-])(https?)$/i.exec(state.pending.slice(-8))?.[1];
    bareAddress.lastIndex = state.pos;
    const rest = scheme === undefined ? undefined : bareAddress.exec(state.src)?.[0];
    if (scheme === undefined || rest === undefined) return false;
    const address = scheme + withoutPunctuation(rest);
    const href = markdown.normalizeLink(address);
    if (URL.parse(address)?.host === undefined) return false;
    if (!isSilent) {
      state.pending = state.pending.slice(0, -scheme.length);
      state.push("link_open", "a", 1).attrs = [["href", href]];
      state.push("text", "", 0).content = address;
      state.push("link_close", "a", -1);
    }
    state.pos += address.length - scheme.length;
    return true;
  });
}

/** A sentence's punctuation and unmatched brackets at the end don't belong to an address. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  const count = (mark: string): number => address.slice(0, end).split(mark).length - 1;
  let unmatched = count(")") - count("(");
  for (; end > 0; end -= 1) {
    const last = address[end - 1] ?? "";
    if (last === ")" ? unmatched-- <= 0 : !/[.,;:!?'*_~|\]}\\]/.test(last)) break;
  }
  return address.slice(0, end);
}
