import { fenceTag, fenced } from "../context/contextPart.ts";
import type { LineRange } from "../context/lineRange.ts";
import type { CompletionMessage } from "../../conversation/completion.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
import { surroundings } from "./anchor.ts";
import type { Span } from "./anchor.ts";

/** What can be done with a part of a file in place. The instructions are for the model and are never translated. */
export const editInstructions = {
  fix: "Fix the problems that are listed. If none are listed, find out what is wrong and fix it.",
  document:
    "Write documentation comments for this code in the style of its language. Change nothing but comments.",
  refactor:
    "Make this code easier to read and to change: better names, simpler structure, no repetition. Its behavior must stay the same.",
} as const;

export type EditKind = keyof typeof editInstructions;

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

export interface EditedPart {
  /** Relative to the workspace. */
  readonly path: string;
  readonly languageId: string;
  readonly lines: LineRange;
  /** The whole text of the file, and where the part is in it. */
  readonly text: string;
  readonly span: Span;
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
    ...section("Problems reported in the part", problems.slice(0, longestNote), ""),
    ...section("Output of the cell", output, ""),
    `Instruction: ${instruction.slice(0, longestInstruction)}`,
  ].join("\n\n");
  return [
    { role: "system", content: system },
    { role: "user", content },
  ];
}

/** An item of a notebook cell's output. */
export interface OutputItem {
  readonly mime: string;
  text(): string;
}

/** Colors and other sequences of terminals. */
const escapes = /\u001b(?:\[[0-9;:?]{0,60}[@-~]|\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** The errors in the output of a cell as plain text, cut in the middle; empty if there are none. */
export function cellErrors(items: readonly OutputItem[]): string {
  const texts = items.flatMap((item) => {
    if (item.mime === "application/vnd.code.notebook.stderr") return [item.text()];
    return item.mime === "application/vnd.code.notebook.error" ? [errorText(item.text())] : [];
  });
  const all = texts
    .map((text) => plain(text).trim())
    .filter((text) => text !== "")
    .join("\n\n");
  return cutMiddle(all, longestNote);
}

/** Without the colors of a terminal. Only so much is read that its ends are complete. */
function plain(text: string): string {
  return cutMiddle(text, 20 * longestNote).replace(escapes, "");
}

function cutMiddle(text: string, longest: number): string {
  const half = longest / 2;
  return text.length <= longest ? text : `${text.slice(0, half)}\n…\n${text.slice(-half)}`;
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
