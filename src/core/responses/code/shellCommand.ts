import { isVisible } from "../../kernel/foreignText.ts";
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

/** Also characters without a meaning of their own, and those that join emoji: what a terminal shows for them differs. */
const unclear = /[^\P{C}\n\t]/u;

const prompt = /^(?:\$|%|❯|➜|>|PS[^>]*>)\s+/;

/**
 * The part of a block that is sent to a terminal: all of it, or the lines after the prompts if it is a session with
 * prompts and output. Anything that a person couldn't see in a dialog is rejected.
 */
export function readShellCommand(code: string, language: string): ShellCommand {
  if (!isShellLanguage(language)) return { state: "noShell" };
  const text = withoutPrompts(code.replace(/\r\n?/g, "\n")).trim();
  if (text === "") return { state: "empty" };
  if (unclear.test(text) || !isVisible(text)) return { state: "hidden" };
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
