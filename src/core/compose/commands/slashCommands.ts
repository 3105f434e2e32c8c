import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { percentDecode } from "../../kernel/httpAddress.ts";
import type { IconName } from "../../kernel/iconNames.ts";
import { isRecord, stringField } from "../../kernel/json.ts";

/** A piece of a prompt file's body. */
export type PromptPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "selection" | "file"; readonly source: string }
  | { readonly type: "input"; readonly name: string; readonly placeholder: string; readonly source: string }
  /** A file named by `#file:path` or a link; relative to the prompt file. */
  | { readonly type: "reference"; readonly path: string; readonly source: string };

const markers =
  /\$\{([^{}\n]{1,300})\}|#file:(?:'([^'\n]{1,1000})'|(\S{0,500}[\w/]))|\[[^\]\n]{0,300}\]\(([^()\s]{1,1000})\)/g;

/** Splits the body at its variables and references; everything else, including unknown variables, stays text. */
export function parsePromptBody(body: string): readonly PromptPiece[] {
  const pieces: PromptPiece[] = [];
  let end = 0;
  for (const match of body.matchAll(markers)) {
    const piece = readMarker(match);
    if (piece === undefined) continue;
    if (match.index > end) pieces.push({ type: "text", text: body.slice(end, match.index) });
    pieces.push(piece);
    end = match.index + match[0].length;
  }
  if (end < body.length) pieces.push({ type: "text", text: body.slice(end) });
  return pieces;
}

function readMarker([source, variable, quoted, plain, link]: RegExpMatchArray): PromptPiece | undefined {
  if (variable !== undefined) return readVariable(variable, source);
  const path = quoted ?? plain ?? link ?? "";
  // A URL isn't a file, nor is an anchor on the page.
  if (path === "" || path.startsWith("#") || /^[a-z][a-z0-9+.-]*:/i.test(path)) return undefined;
  return { type: "reference", path: percentDecode(path.split("#", 1)[0] ?? ""), source };
}

function readVariable(variable: string, source: string): PromptPiece | undefined {
  if (variable === "selection" || variable === "selectedText") return { type: "selection", source };
  if (variable === "file") return { type: "file", source };
  const input = /^input:([^:]+)(?::(.*))?$/.exec(variable);
  if (input?.[1] === undefined) return undefined;
  return { type: "input", name: input[1], placeholder: input[2] ?? "", source };
}

/** The front matter and body of a prompt file, before the front matter is parsed. */
interface PromptText {
  /** YAML. Undefined if there is no front matter. */
  readonly head?: string;
  readonly body: string;
}

/** The front matter of a prompt file. `mode`, `model`, `tools` and the rest are for other programs. */
export interface PromptHead {
  readonly name?: string;
  readonly description?: string;
}

/** Separates the front matter between two lines of three dashes from the body. */
export function splitPrompt(text: string): PromptText {
  const match = /^\uFEFF?---[ \t]*\r?\n(?:([^]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match === null) return { body: text.replace(/^\uFEFF/, "").trim() };
  return { head: match[1] ?? "", body: text.slice(match[0].length).trim() };
}

/** Parses the content of the front matter's YAML. */
export function parsePromptHead(value: unknown): PromptHead {
  if (!isRecord(value)) return {};
  const name = sanitizeLabel(stringField(value, "name") ?? "", 80);
  const description = sanitizeLabel(stringField(value, "description") ?? "", 200);
  return { ...(name === "" ? {} : { name }), ...(description === "" ? {} : { description }) };
}

const ending = /\.prompt\.md$/i;

/** Whether a file with this name is a prompt file. */
export function isPromptFile(fileName: string): boolean {
  return ending.test(fileName) && fileName.length > ".prompt.md".length;
}

/** What is typed after `/` for this file: one word without spaces. */
export function promptName(fileName: string, head: PromptHead): string {
  const name = head.name ?? fileName.replace(ending, "");
  return sanitizeLabel(name, 80)
    .trim()
    .replace(/[\s/]+/g, "-");
}

/** A command of ours. Its name is typed after `/` and is the same in every language. */
export interface SlashCommand {
  readonly name: SlashCommandName;
  readonly description: string;
  readonly icon: IconName;
  /**
   * The text put into the composer, to be reviewed and changed before it is sent; never translated. Empty for a step.
   */
  readonly instruction: string;
}

/** What is typed after `/`; the same in every language. */
export type SlashCommandName = "explain" | "fix" | "tests" | "doc" | "commit" | "clear" | "model" | "system";

/** Every command, in list order. */
export function slashCommands(): readonly SlashCommand[] {
  return [
    code("explain", t("Explain the selection or file"), "question", instructions.explain),
    code("fix", t("Find and fix problems in the selection or file"), "wrench", instructions.fix),
    code("tests", t("Write tests for the selection or file"), "beaker", instructions.tests),
    code("doc", t("Write documentation for the selection or file"), "book", instructions.doc),
    step("commit", t("Write a commit message for the staged changes"), "git-commit"),
    step("clear", t("Start a new chat (nothing is deleted)"), "add"),
    step("model", t("Select the model for this chat"), "server"),
    step("system", t("Edit the system prompt for this chat"), "settings-gear"),
  ];
}

const instructions = {
  explain: "Explain the attached code: what it does, how it does it, and what is easy to miss.",
  fix: "Find what is wrong in the attached code, say why, and show the corrected code.",
  tests:
    "Write tests for the attached code, with the framework the project uses where that can be seen. Cover the edge cases.",
  doc: "Write documentation comments for the attached code in the style of its language. Change nothing else.",
} as const;

/** The instruction of a command about code; never translated. */
export function codeInstruction(name: keyof typeof instructions): string {
  return instructions[name];
}

function code(
  name: SlashCommandName,
  description: string,
  icon: IconName,
  instruction: string,
): SlashCommand {
  return { name, description, icon, instruction };
}

function step(name: SlashCommandName, description: string, icon: IconName): SlashCommand {
  return { name, description, icon, instruction: "" };
}
