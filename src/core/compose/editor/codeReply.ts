import { elisionOf } from "../../kernel/elision.ts";
import { editLines, indentOf, isPatch, patchEdits } from "../../kernel/patch.ts";
import type { TextSpan } from "./editRequest.ts";

/** A line that opens or closes a code block: its mark, and what follows it. */
const fence = /^( {0,3})(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/;
/** The beginning of a line that may become a fence. */
const fenceStart = /^\s*(?:`|~|$)/;

/** A line that ends like a sentence and has no sign of code. */
const sentence = /^[\p{L}"'“‘](?:[^={}<>[\]#$\\|;]|; (?=\p{Ll}{1,40}[ .]))*[.!?:。！？：]$/u;
/** How models begin when they refuse, even in a code block. */
export const apology =
  /^(?:I(?:['’]m| am) (?:sorry|unable|not able)\b|I (?:can['’]t|cannot|apologi[sz]e)\b|Sorry, |Unfortunately, |As an AI |(?:很|非常)?抱歉|对不起)/;
/** How they say that nothing has to change, even as a comment or without a period. */
const noChange =
  /^\W{0,5}(?:(?:there (?:is|are) )?(?:no|nothing)(?: [a-z]+){0,3} (?:chang|edit|modif|fix|refactor|found)[a-z]*(?: [a-z]+){0,6}|LGTM|looks good[a-z ]{0,20}|(?:无需|不需要).{0,9}[改更].{0,9})\W{0,4}$/i;
const isRight =
  /^\W{0,5}(?:(?:[a-z]+ ){0,2}(?:code|function|method|class|selection|part)|it)(?:(?:['’]s| (?:is|looks|already|remains|stays|does(?:n['’]t| not)))(?: [a-z]+){1,10}|(?: left)? unchanged)\W{0,4}$/i;

/**
 * The code in a streamed response that should be one code block: without its fences, an introduction and what follows.
 * A response without any fence is code itself.
 */
export class CodeReply {
  /** The text is Markdown, so fences in a response that doesn't begin with one belong to it. */
  readonly #isMarkdown: boolean;
  #text = "";
  #isFinished = false;

  constructor({ isMarkdown = false }: { readonly isMarkdown?: boolean } = {}) {
    this.#isMarkdown = isMarkdown;
  }

  /** The code so far, with `\n` between its lines and without a line end after the last one. */
  get code(): string {
    return this.blocks[0] ?? "";
  }

  /** The content of each code block so far, or the whole response. */
  get blocks(): readonly string[] {
    return this.#read().blocks;
  }

  /** Whether anything was received that can be applied. An empty code block removes the code. */
  get isEmpty(): boolean {
    const { isFenced, isOpen } = this.#read();
    return this.code.trim() === "" && (isOpen || !isFenced);
  }

  /** Whether the first code block has begun and hasn't ended. */
  get isOpen(): boolean {
    return this.#read().isOpen;
  }

  /** Whether the response is a sentence to the user, such as an apology, and neither code nor a text like the original. */
  isProse(original: string): boolean {
    const code = withoutIntroduction(this.code, original).trim();
    const [first = ""] = code.split("\n");
    const isText = this.#isMarkdown || isSentenceLike(original.trim().split("\n")[0] ?? "");
    const { isFenced } = this.#read();
    const isSentence = !isText && !isFenced && isSentenceLike(first);
    // What follows is the reason, or the code as it was.
    const hasReason = !isFenced && /^[*_]{0,3}\p{L}/u.test(first) && !original.includes(first);
    const isVerdict = [code, ...(hasReason ? [first] : [])].some(
      (text) => noChange.test(text) || isRight.test(text),
    );
    return isSentence || isVerdict || apology.test(first);
  }

  /** Reads the next part of the response, however it is cut. */
  push(text: string): void {
    this.#text += text;
  }

  /** Discards everything so far, because it wasn't part of the response. */
  restart(): void {
    this.#text = "";
  }

  /** No text follows. */
  finish(): void {
    this.#isFinished = true;
  }

  #read(): { readonly blocks: readonly string[]; readonly isFenced: boolean; readonly isOpen: boolean } {
    const lines = this.#text.split(/\r?\n/);
    const last = lines.at(-1) ?? "";
    if (last === "" || (!this.#isFinished && fenceStart.test(last))) lines.pop();
    const blocks: string[][] = [];
    const plain: string[] = [];
    let open: { readonly mark: string; readonly indent: number } | undefined;
    /** Blocks inside the block, such as in a Markdown file, that aren't closed yet. */
    let depth = 0;
    for (const line of lines) {
      const [, indent = "", mark = "", info = ""] = fence.exec(line) ?? [];
      const isFence = mark !== "" && mark.startsWith(open?.mark ?? "");
      // Otherwise, everything before it was an introduction.
      const isText = this.#isMarkdown && plain.length > 0 && blocks.length === 0;
      if (open === undefined && isFence && !isText) {
        open = { mark, indent: indent.length };
        blocks.push([]);
      } else if (open === undefined) {
        if (line.trim() !== "" || plain.length > 0) plain.push(line);
      } else if (isFence && info.trim() === "" && depth === 0) open = undefined;
      else {
        if (isFence) depth += info.trim() === "" ? -1 : 1;
        // Each line of a block in a list is indented like its fence.
        blocks.at(-1)?.push(line.slice(Math.min(indentOf(line).length, open.indent)));
      }
    }
    const text = plain.join("\n");
    const isFenced = blocks.length > 0;
    return {
      blocks: isFenced ? blocks.map((block) => block.join("\n")) : [this.#isFinished ? text.trimEnd() : text],
      ...{ isFenced, isOpen: open !== undefined && blocks.length === 1 },
    };
  }
}

/** The heads of blocks in Python end with a colon, too, but begin with a small letter. */
function isSentenceLike(line: string): boolean {
  const plain = line.replace(/`[^`]{1,200}`/g, "it");
  return sentence.test(plain) && /\S\s+\S|[。！？：]/.test(plain) && !/^\p{Ll}[^]*:$/u.test(plain);
}

/** The code without a first line like "Here is the new code:". */
function withoutIntroduction(code: string, original: string): string {
  const [first = "", ...others] = code.trimStart().split("\n");
  const isIntroduction = /[:：]$/.test(first) && isSentenceLike(first) && /\S\s+\S+\s+\S|：/.test(first);
  const isKept = original.includes(first) || others.every((line) => line.trim() === "");
  return isIntroduction && !isKept ? others.slice(others.findIndex(Boolean)).join("\n") : code;
}

/** What a response makes of a part. */
interface Replacement {
  /** Undefined if the response changes lines that aren't there. */
  readonly code: string | undefined;
  /** New lines for other parts of the file. */
  readonly others: readonly string[];
}

/** What replaces the part of the text. A patch changes nothing until it is complete. */
export function replacementOf(
  reply: CodeReply,
  text: string,
  { start, end }: TextSpan,
  isComplete: boolean,
): Replacement {
  const original = text.slice(start, end);
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const lines = text.split(/\r?\n/);
  const from = before.split("\n").length - 1;
  const to = from + original.split("\n").length;
  const { blocks } = reply;
  const hasPatch = blocks.some((block) => isPatch(block, text));
  if (hasPatch && !isComplete) return { code: lines.slice(from, to).join("\n"), others: [] };
  const patch = hasPatch ? blocks.join("\n```\n") : reply.code;
  const edits = patchEdits(lines, patch, { start: from, end: to });
  if (edits === "unfit") return { code: undefined, others: [] };
  if (edits !== undefined) {
    const inside = edits.filter((edit) => edit.start >= from && edit.end <= to);
    const code = editLines(lines.slice(0, to), inside).slice(from).join("\n");
    return { code, others: edits.filter((edit) => !inside.includes(edit)).flatMap((edit) => edit.lines) };
  }
  const known = new Set(lines.map((line) => line.trim()));
  const own = new Set(lines.slice(from, to).map((line) => line.trim()));
  const block = withoutNumbers(withoutIntroduction(closest(blocks, own), original), own, from + 1);
  const code = withoutSurroundings(block, before, after);
  const isNew = (line: string): boolean => !known.has(line) && line !== "" && elisionOf(line) === undefined;
  const others = block.replace(code, "").split("\n");
  return {
    code: reindent(original, isComplete ? asProperty(original, code) : code, text),
    others: others.map((line) => line.trim()).filter(isNew),
  };
}

/** The code block that has most lines of the part: an import may have a code block of its own before it. */
function closest(blocks: readonly string[], own: ReadonlySet<string>): string {
  const counts = blocks.map((block) => countOwn(block.split("\n"), own));
  return blocks[counts.indexOf(Math.max(...counts))] ?? "";
}

function countOwn(lines: readonly string[], own: ReadonlySet<string>): number {
  return lines.filter((line) => line.trim().length > longestBracket && own.has(line.trim())).length;
}

const lineNumber = /^[ \t]{0,8}(\d{1,6})(?: ?[|:→.)]|\t|$)/;

/** The code without the numbers of its lines: they ascend, and begin with that of the part or precede a line of it. */
function withoutNumbers(code: string, own: ReadonlySet<string>, first: number): string {
  const lines = code.split("\n");
  const plain = lines.map((line) => line.replace(lineNumber, ""));
  const filled = lines.filter((line) => line.trim() !== "");
  const numbers = filled.map((line) => Number(lineNumber.exec(line)?.[1]));
  const isAscending = numbers.every((number, index) => number > (numbers[index - 1] ?? -1));
  const isPart = (numbers[0] === first && [...own].join("") !== "") || countOwn(plain, own) > 0;
  if (!isAscending || !isPart || [...own].some((line) => lineNumber.test(line))) return code;
  const isSpaced = plain.every((line) => line === "" || line.startsWith(" "));
  return plain.map((line) => (isSpaced ? line.slice(1) : line)).join("\n");
}

/** The beginning of a property of an object. */
const property = /^(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|[\w$-]{1,200})\s{0,9}:/;

/** The code without braces around it if the original is a property without them, and with the comma after it. */
function asProperty(original: string, code: string): string {
  const was = original.trim();
  if (!property.test(was)) return code;
  const [, inner = code] = /^\s*\{([^]*)\}[\s,]*$/.exec(code) ?? [];
  if (!property.test(inner.trim())) return code;
  const lines = inner.replace(/^[ \t]*\n/, "").trimEnd();
  const single = lines.includes("\n") ? lines : lines.trim();
  return was.endsWith(",") && !/[,;]$/.test(single) ? `${single},` : single;
}

/** A line whose next one must be deeper, possibly with a comment at its end. */
const opensBlock = /[:([{][ \t]*(?:#|\/\/|$)/;
/** What opens and closes a text of several lines, whose indentation is part of it. */
const textMarks = ['"""', "'''", "`"];
const hereDocument = /<<[-~]?["']?([A-Z_]{2,40})\b/;

/**
 * The code with the indentation of the original, in tabs or spaces like those of the file. Models tend to move a part to
 * the left margin, or only its first line, or to where it would be in another file.
 */
export function reindent(original: string, code: string, file = original): string {
  const lines = inUnitOf(file, original, code).split("\n");
  const isText = textLines(lines);
  const before = original.split(/\r?\n/);
  const isTextBefore = textLines(before);
  const filled = before.filter((line) => line.trim() !== "");
  const at = lines.findIndex((line) => line.trim() !== "");
  // A line of nothing but indentation is to be filled.
  const [wanted, found] = [indentOf(filled[0] ?? original), indentOf(lines[at] ?? "")];
  if (wanted === found || !(wanted.startsWith(found) || found.startsWith(wanted))) return lines.join("\n");
  const moved = (line: string): string =>
    wanted.length > found.length
      ? wanted.slice(found.length) + line
      : line.slice(found.length - wanted.length);
  const [first = "", ...rest] = lines.filter((line, index) => line.trim() !== "" && isText[index] !== true);
  if (wanted.length < found.length) {
    const all = [first, ...rest];
    const isDeeper = agreeing(all.map(moved), filled) > agreeing(all, filled);
    if (!isDeeper || !all.every((line) => line.startsWith(found))) return lines.join("\n");
  }
  const isOnlyFirst =
    filled.length > 0 &&
    wanted.length > found.length &&
    isRightWithoutFirst(first, rest, rest.map(moved), filled);
  const texts = [lines.filter((_, index) => isText[index]), before.filter((_, index) => isTextBefore[index])];
  const [depth, depthBefore] = texts.map((text) =>
    Math.min(...text.filter(Boolean).map((line) => indentOf(line).length)),
  );
  return lines
    .map((line, index) => {
      const isKept = isOnlyFirst ? index !== at : isText[index] === true && depth === depthBefore;
      return line.trim() === "" || isKept ? line : moved(line);
    })
    .join("\n");
}

/** Whether only the first line was moved: the same lines, or else the second one, are as deep as in the original. */
function isRightWithoutFirst(
  first: string,
  rest: readonly string[],
  moved: readonly string[],
  original: readonly string[],
): boolean {
  const [second, secondMoved, secondBefore] = [rest[0] ?? "", moved[0] ?? "", original[1]].map((line) =>
    line === undefined ? undefined : indentOf(line),
  );
  const isTold = (second === secondBefore) !== (secondMoved === secondBefore);
  const difference = agreeing(rest, original) - agreeing(moved, original);
  const isFirstKept = first.trim() === original[0]?.trim();
  if (difference < 0 || (difference > 0 && !opensBlock.test(first) && !(isTold && isFirstKept)))
    return difference > 0;
  if (isTold) return second === secondBefore;
  // Otherwise, the body of a Python function would be as deep as its head.
  const wanted = indentOf(original[0] ?? "");
  const isBody = opensBlock.test(first) && second === wanted;
  return rest.length > 0 && !isBody && rest.every((line) => line.startsWith(wanted));
}

function agreeing(lines: readonly string[], original: readonly string[]): number {
  const known = new Set(original);
  return lines.filter((line) => known.has(line)).length;
}

/** For each line whether it begins inside a text of several lines. */
function textLines(lines: readonly string[]): readonly boolean[] {
  let open: string | undefined;
  const ends = new Set(lines.map((line) => line.trim()));
  return lines.map((line) => {
    const isInside = open !== undefined;
    const odd = (mark: string): boolean => line.split(mark).length % 2 === 0;
    const word = hereDocument.exec(line)?.[1];
    if (open === undefined)
      open = textMarks.find(odd) ?? (word !== undefined && ends.has(word) ? word : undefined);
    else if (textMarks.includes(open) ? odd(open) : line.trim() === open) open = undefined;
    return isInside;
  });
}

/**
 * The code with tabs or spaces as in the file, if each has only one of them, and in as many for each level as the original
 * and the file if it was moved to the left margin.
 */
function inUnitOf(file: string, original: string, code: string): string {
  const hasTabs = (text: string): boolean => /^\t/m.test(text) && !/^ {2}/m.test(text);
  const hasSpaces = (text: string): boolean => /^ {2}/m.test(text) && !/^\t/m.test(text);
  const widthOf = (text: string): number =>
    Math.min(8, ...[...text.matchAll(/^ {2,}(?=\S)/gm)].map(([indent]) => indent.length));
  if (hasTabs(file) && hasSpaces(code)) {
    const width = widthOf(code);
    return code.replace(/^ +/gm, ({ length }) => "\t".repeat(length / width) + " ".repeat(length % width));
  }
  if (hasSpaces(file) && hasTabs(code))
    return code.replace(/^\t+/gm, ({ length }) => " ".repeat(length * widthOf(file)));
  const [own, wanted] = [widthOf(code), widthOf(file)];
  const atMargin = original.replaceAll(`\n${indentOf(original)}`, "\n").trimStart();
  if (own > 4 || !hasSpaces(file) || widthOf(atMargin) !== wanted || /^[ \t]/.test(code)) return code;
  const isEven = [...code.matchAll(/^ +/gm)].every(([{ length }]) => length % own === 0);
  return isEven && !textLines(code.split("\n")).includes(true)
    ? code.replace(/^ +/gm, ({ length }) => " ".repeat((length / own) * wanted))
    : code;
}

/** Lines up to this length, such as brackets, occur everywhere, so they don't show that others are repeated. */
const longestBracket = 3;
/** More lines than a model repeats of what it was shown. */
const mostRepeated = 400;

/**
 * The code without the lines of the file before and after the part, which some models repeat, with fewer blank lines or
 * as a comment that stands for them.
 */
export function withoutSurroundings(code: string, before: string, after: string): string {
  const lines = code.split("\n");
  const head = before.replace(/\r?\n$/, "").split("\n");
  const from = countRepeated(lines, head.toReversed(), false);
  const rest = lines.slice(from).reverse();
  const left = countRepeated(rest, after.replace(/^\r?\n/, "").split("\n"), from > 0);
  return rest.slice(left).reverse().join("\n");
}

/** How many of the first lines are those around the part, of which the nearest comes first. One line remains. */
function countRepeated(lines: readonly string[], around: readonly string[], isKnown: boolean): number {
  const isFilled = (line: string): boolean => line.trim() !== "";
  const isLong = (line: string): boolean => line.length > longestBracket;
  const near = around.map((line) => line.trim()).filter(isFilled);
  const own = lines.map((line, at) => ({ text: line.trim(), at })).filter(({ text }) => text !== "");
  const first = elisionOf(own[0]?.text ?? "") === "comment" && !near.includes(own[0]?.text ?? "") ? 1 : 0;
  const fits = (count: number): boolean => {
    const part = near.slice(0, count).reverse();
    const isTelling = isKnown || part.some(isLong);
    return isTelling && part.every((line, index) => line === own[first + index]?.text);
  };
  let count = Math.min(near.length, own.length - first - 1, mostRepeated);
  while (count > 0 && !fits(count)) count--;
  // A file that was changed elsewhere, too, begins and ends like the file.
  const isWhole = own[first]?.text === near.at(-1) && near.slice(0, 2).some(isLong);
  const isEdge = (at: number): boolean =>
    own[at]?.text === near[0] && (isLong(near[0] ?? "") || own[at - 1]?.text === near[1]);
  if (count === 0 && near.length > 1 && isWhole)
    count = own.slice(first, -1).findIndex((_, index) => isEdge(first + index)) + 1;
  const last = own[first + count - 1];
  if (last === undefined || own.length < 2) return 0;
  const isSpaced = first > 0 || around[0]?.trim() === "";
  return isSpaced ? (own[first + count]?.at ?? 0) : last.at + 1;
}
