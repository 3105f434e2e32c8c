import { isShellLanguage } from "./codeLanguage.ts";

/** As much as a person can read in a dialog before confirming. */
const maxLines = 20;
const maxLength = 1500;

/** The commands in a code block, or why they can't be run. */
type ShellCommand =
  | { readonly state: "ready"; readonly text: string; readonly lines: number }
  | { readonly state: "empty" }
  /** More than can be shown in full before it runs. */
  | { readonly state: "tooLong" }
  /** Contains characters that are invisible, or that make the visible text differ from what runs. */
  | { readonly state: "hidden" }
  | { readonly state: "noShell" };

/** Control characters except line feed and tab, direction marks and zero-width characters. */
const hidden =
  /[^\P{C}\n\t]|[\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180E\u3164\uFFA0\u2028\u2029\uFE00-\uFE0F]/u;

const prompt = /^(?:\$|%|❯|➜|>|PS[^>]*>)\s+/;

/**
 * The part of a block that is sent to a terminal: all of it, or the lines after the prompts if it is a session with
 * prompts and output. Anything that a person couldn't see in a dialog is rejected.
 */
export function readShellCommand(code: string, language: string): ShellCommand {
  if (!isShellLanguage(language)) return { state: "noShell" };
  const text = withoutPrompts(code.replace(/\r\n?/g, "\n")).trim();
  if (text === "") return { state: "empty" };
  if (hidden.test(text)) return { state: "hidden" };
  const lines = text.split("\n").length;
  return lines > maxLines || text.length > maxLength ? { state: "tooLong" } : { state: "ready", text, lines };
}

function withoutPrompts(code: string): string {
  const lines = code.split("\n");
  if (!/^(?:\$|%|❯|➜|PS[^>]*>)\s+/.test(lines.find((line) => line.trim() !== "") ?? "")) return code;
  const commands: string[] = [];
  let isContinued = false;
  for (const line of lines) {
    if (!isContinued && !prompt.test(line)) continue;
    commands.push(isContinued ? line.replace(/^>\s+/, "") : line.replace(prompt, ""));
    isContinued = /\\$/.test(line);
  }
  return commands.join("\n");
}
