import { elisionOf } from "../../kernel/elision.ts";

/** A line that opens or closes a code block: its mark, and what follows it. */
const fence = /^( {0,3})(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/;
/** The beginning of a line that may become a fence. */
const fenceStart = /^\s*(?:`|~|$)/;

/** A line that ends like a sentence and has no sign of code. */
const sentence = /^[\p{L}"'“‘](?:[^={}<>[\]#$\\|;]|; (?=\p{Ll}{1,40}[ .]))*[.!?:。！？：]$/u;
/** How models begin when they refuse, even in a code block. */
export const apology =
  /^(?:I(?:['’]m| am) (?:sorry|unable|not able)\b|I (?:can['’]t|cannot|apologi[sz]e)\b|Sorry, |Unfortunately, |As an AI |(?:很|非常)?抱歉|对不起)/; /** How they say that nothing has to change, even as a comment or without a period. */
const noChange =
  /^\W{0,5}(?:(?:there (?:is|are) )?(?:no|nothing)(?: [a-z]+){0,3} (?:chang|edit|modif|fix|refactor|found)[a-z]*(?: [a-z]+){0,6}|LGTM|looks good[a-z ]{0,20}|(?:无需|不需要).{0,9}[改更].{0,9})\W{0,4}$/i;
const isRight =
  /^\W{0,5}(?:(?:(?:the|this|your) )?(?:[a-z]+ )?(?:code|function|method|class|selection|part)|it)(?:['’]s| (?:is|looks|already|does(?:n['’]t| not)))(?: [a-z]+){1,10}\W{0,4}$/i;

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

  /** Whether the response is a sentence to the user, such as an apology, and no code. */
  get isProse(): boolean {
    const [first = ""] = this.code.trim().split("\n");
    const plain = first.replace(/`[^`]{1,200}`/g, "it");
    // The head of a block in Python ends like a sentence, too, but begins with a small letter.
    const isSentence = sentence.test(plain) && /\S\s+\S|[。！？]/.test(plain) && !/^\p{Ll}.*:$/u.test(plain);
    const saysNoChange = [noChange, isRight].some((pattern) => pattern.test(this.code.trim()));
    return (isSentence && !this.#isMarkdown && !this.#read().isFenced) || apology.test(first) || saysNoChange;
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
  if (own > 4 || widthOf(atMargin) !== wanted || /^[ \t]/.test(code)) return code;
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
  const isEdge = (at: number): boolean => own[at]?.text === near[0] && own[at - 1]?.text === near[1];
  if (count === 0 && near.length > 1 && isWhole)
    count = own.slice(first, -1).findIndex((_, index) => isEdge(first + index)) + 1;
  const last = own[first + count - 1];
  if (last === undefined || own.length < 2) return 0;
  const isSpaced = first > 0 || around[0]?.trim() === "";
  return isSpaced ? (own[first + count]?.at ?? 0) : last.at + 1;
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
