import { isRecord, stringField } from "../../kernel/json.ts";
import { sanitizeLabel } from "../../kernel/sanitizeLabel.ts";

/** Where a prompt file's head and body are, before the head is read. */
export interface PromptText {
  /** YAML. Undefined if there is no front matter. */
  readonly head?: string;
  readonly body: string;
}

/** What a prompt file says of itself. `mode`, `model`, `tools` and the rest are for other programs. */
export interface PromptHead {
  readonly name?: string;
  readonly description?: string;
}

/** Parts the head between two lines of three dashes from the body. */
export function splitPrompt(text: string): PromptText {
  const match = /^\uFEFF?---[ \t]*\r?\n(?:([^]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match === null) return { body: text.replace(/^\uFEFF/, "").trim() };
  return { head: match[1] ?? "", body: text.slice(match[0].length).trim() };
}

/** Reads what the head's YAML holds. */
export function parsePromptHead(value: unknown): PromptHead {
  if (!isRecord(value)) return {};
  const name = sanitizeLabel(stringField(value, "name") ?? "", 80);
  const description = sanitizeLabel(stringField(value, "description") ?? "", 200);
  return { ...(name === "" ? {} : { name }), ...(description === "" ? {} : { description }) };
}

const ending = /\.prompt\.md$/i;

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
