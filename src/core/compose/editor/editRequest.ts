import type { CompletionMessage } from "../../conversation/completion.ts";
import { endOf, startOf } from "../../kernel/foreignText.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
import { fenced, fenceTag } from "../context/contextPart.ts";
import type { LineRange } from "../context/contextPart.ts";
/** A part of a text, in UTF-16 units. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** `length` units at `offset` are replaced by a text. */
interface TextChange {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Lines that the rest of a partial response is compared with, to find out how much of the original it replaces. */
const longestLookahead = 200;

/** Where the part is after a change. A change inside the part belongs to it; one at its edge doesn't. */
export function moveSpan({ start, end }: TextSpan, { offset, length, text }: TextChange): TextSpan {
  const by = text.length - length;
  if (offset + length <= start && !(offset === start && start === end))
    return { start: start + by, end: end + by };
  if (offset >= end) return { start, end };
  return { start: Math.min(start, offset), end: Math.max(end, offset + length) + by };
}

/** A part of a text whose lines may move. */
export interface AnchoredPart {
  /** The part as it was. */
  readonly original: string;
  /** Whether the text contained these lines only once. Otherwise, the same lines elsewhere aren't the part. */
  readonly isUnique: boolean;
}

/** The part at this position, to be found again when the text has changed. */
export function anchorPart(text: string, { start, end }: TextSpan): AnchoredPart {
  const original = text.slice(start, end);
  return { original, isUnique: findOnly(text, original) !== undefined };
}

/**
 * Where the part is now: at its last known position, or if it was unique, at the only other one with the same lines.
 * Undefined if it has changed.
 */
export function findOriginal(
  text: string,
  { original, isUnique }: AnchoredPart,
  last: TextSpan,
): TextSpan | undefined {
  if (text.slice(last.start, last.end) === original && isAt(text, original, last.start)) return last;
  return isUnique ? findOnly(text, original) : undefined;
}

/** The only lines of the text that are these. */
function findOnly(text: string, lines: string): TextSpan | undefined {
  if (lines.trim() === "") return undefined;
  let found: number | undefined;
  for (let at = text.indexOf(lines); at !== -1; at = text.indexOf(lines, at + lines.length)) {
    if (!isAt(text, lines, at)) continue;
    if (found !== undefined) return undefined;
    found = at;
  }
  return found === undefined ? undefined : { start: found, end: found + lines.length };
}

function isAt(text: string, lines: string, start: number): boolean {
  return (
    text.startsWith(lines, start) && isLineEdge(text, start) && isLineEdge(text, start + lines.length, true)
  );
}

function isLineEdge(text: string, at: number, isEnd = false): boolean {
  if (at === (isEnd ? text.length : 0)) return true;
  return isEnd ? text[at] === "\n" || text[at] === "\r" : text[at - 1] === "\n";
}

/** The text with the part replaced by the code, in the text's own line ends. Without code, its line is removed, too. */
export function replaceSpan(text: string, { start, end }: TextSpan, code: string): string {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const rest = text.slice(end);
  const isRemoved = code === "" && end > start;
  return (
    text.slice(0, start) +
    (lineEnd === "\n" ? code : code.replaceAll("\n", lineEnd)) +
    (isRemoved && rest.startsWith(lineEnd) ? rest.slice(lineEnd.length) : rest)
  );
}

/**
 * The code so far, followed by the lines of the original that it hasn't reached yet, so that they aren't shown as
 * removed while the response streams.
 */
export function previewOf(original: string, soFar: string): string {
  const lines = original.split(/\r?\n/);
  const received = soFar === "" ? [] : soFar.split("\n");
  let reached = 0;
  for (const line of received.slice(0, -1)) {
    const found = lines.slice(reached, reached + longestLookahead).indexOf(line);
    // Blank lines and brackets are everywhere, so they count only if they come next.
    if (found !== -1 && (found === 0 || line.trim().length > 3)) reached += found + 1;
  }
  return [...received, ...lines.slice(reached)].join("\n");
}

/** The whole lines around a part, cut to a number of UTF-16 units on each side. */
export function surroundings(
  text: string,
  { start, end }: TextSpan,
  room: { readonly before: number; readonly after: number },
): { readonly before: string; readonly after: string } {
  const head = text.slice(Math.max(0, start - room.before), start);
  const tail = text.slice(end, end + room.after);
  const isHeadCut = start > room.before;
  const isTailCut = text.length - end > room.after;
  return {
    before: isHeadCut ? head.slice(head.indexOf("\n") + 1) : head,
    after: (isTailCut ? tail.slice(0, tail.lastIndexOf("\n") + 1) : tail).replace(/^\r?\n/, ""),
  };
}

/** For the model; never translated. */
export const fixInstruction =
  "Fix the problems that are listed. If none are listed, find out what is wrong and fix it.";

/** UTF-16 units of the lines around the part that are sent along. */
const room = { before: 4_000, after: 2_000 };
/** UTF-16 units of problems, and of the output of a notebook cell. */
const longestNote = 4_000;

/** UTF-16 units of the longest part that is edited at once. */
export const longestPart = 60_000;
/** UTF-16 units of the longest instruction. */
export const longestInstruction = 4_000;

const system = [
  "You edit a part of a file in a code editor.",
  "Respond with the complete replacement for that part in one fenced code block, and with nothing else: no explanation, no other lines of the file.",
  "Use a fence that is longer than any fence inside the part.",
  "Keep the indentation, the style, and everything that doesn't have to change. If the part has to be removed, respond with an empty code block.",
].join(" ");

/** The part of a file that the model is asked to replace, with everything that it is given about it. */
export interface EditedPart {
  /** Relative to the workspace. */
  readonly path: string;
  readonly languageId: string;
  readonly lines: LineRange;
  /** The whole text of the file, and where the part is in it. */
  readonly text: string;
  readonly span: TextSpan;
  /** The problems that are reported in the part, in the format of compilers; empty if there are none. */
  readonly problems: string;
  /** The error output of the notebook cell; empty if there is none. */
  readonly output: string;
}

/** The request for a replacement. It contains the part, some lines around it, and nothing else of the file. */
export function editMessages(part: EditedPart, instruction: string): readonly CompletionMessage[] {
  const { path, languageId, lines, text, span, problems, output } = part;
  const tag = fenceTag(path, languageId);
  const original = text.slice(span.start, span.end);
  const { before, after } = surroundings(text, span, room);
  const where = lines.first === lines.last ? `line ${lines.first}` : `lines ${lines.first}-${lines.last}`;
  const section = (title: string, content: string, of: string): readonly string[] =>
    content.trim() === "" ? [] : [`${title}:\n\n${fenced(content, of)}`];
  const content = [
    `File \`${path.replaceAll("`", "'")}\`, language \`${languageId}\`.`,
    ...section("The lines before the part", before, tag),
    original.trim() === ""
      ? `The part is the empty ${where}: respond with the code to insert there.`
      : `The part, ${where}:\n\n${fenced(original, tag)}`,
    ...section("The lines after the part", after, tag),
    ...section("Problems reported in the part", startOf(problems, longestNote), ""),
    ...section("Output of the cell", output, ""),
    `Instruction: ${startOf(instruction, longestInstruction)}`,
  ].join("\n\n");
  return [
    { role: "system", content: system },
    { role: "user", content },
  ];
}

/** An item of a notebook cell's output. */
interface OutputItem {
  readonly mime: string;
  text(): string;
}

/** Colors and other sequences of terminals. */
const escapes = /\u001b(?:\[[0-9;:?]{0,60}[@-~]|\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** The errors in the output of a cell as plain text, cut in the middle; empty if there are none. */
export function cellErrors(items: readonly OutputItem[]): string {
  return cutMiddle(
    joinOutput(items.filter(({ mime }) => /notebook\.(?:stderr|error)$/.test(mime))),
    longestNote,
  );
}

/** UTF-16 units of the text of each cell's output. */
const longestOutput = 2_000;

/** A cell of a notebook. Each of its outputs is a list of alternative forms. */
export interface NotebookCell {
  readonly languageId: string;
  readonly text: string;
  readonly outputs: readonly (readonly OutputItem[])[];
}

/** The cells of a notebook with the text of their outputs. What else they contain, such as a plot, is only named. */
export function notebookText(cells: readonly NotebookCell[]): string {
  return cells
    .map(({ languageId, text, outputs }, index) => {
      const shown = outputs.flatMap((items) => {
        const [found] = items.filter(({ mime }) => isTextOutput(mime));
        return (
          found ?? items.slice(0, 1).map(({ mime }) => ({ mime: "text/plain", text: () => `[${mime}]` }))
        );
      });
      const output = cutMiddle(joinOutput(shown), longestOutput);
      const code = `Cell ${index + 1}:\n\n${fenced(text, fenceTag("", languageId))}`;
      return output === "" ? code : `${code}\n\nOutput:\n\n${fenced(output, "")}`;
    })
    .join("\n\n");
}

function isTextOutput(mime: string): boolean {
  return mime === "text/plain" || /notebook\.(?:stdout|stderr|error)$/.test(mime);
}

function joinOutput(items: readonly OutputItem[]): string {
  return items
    .map((item) => (item.mime.endsWith(".error") ? errorText(item.text()) : item.text()))
    .map((text) => plain(text).trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Without the colors of a terminal. Enough is read that the first and last parts are complete. */
function plain(text: string): string {
  return cutMiddle(text, 20 * longestNote).replace(escapes, "");
}

function cutMiddle(text: string, longest: number): string {
  const half = longest / 2;
  return text.length <= longest ? text : `${startOf(text, half)}\n…\n${endOf(text, half)}`;
}

function errorText(json: string): string {
  try {
    const error: unknown = JSON.parse(json);
    if (!isRecord(error)) return json;
    const head = [stringField(error, "name"), stringField(error, "message")].filter(Boolean).join(": ");
    const stack = plain(stringField(error, "stack") ?? "");
    return stack.includes(head) && head !== "" ? stack : `${head}\n${stack}`;
  } catch {
    return json;
  }
}
