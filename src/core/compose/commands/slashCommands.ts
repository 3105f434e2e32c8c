import type { IconName } from "../../kernel/iconNames.ts";
import { t } from "@vscode/l10n";

/** A command of ours. Its name is typed after `/` and is the same in every language. */
export interface SlashCommand {
  readonly name: CommandName;
  readonly description: string;
  readonly icon: IconName;
  /**
   * The text put into the composer, to be reviewed and changed before it is sent; never translated. Empty for a step.
   */
  readonly instruction: string;
}

export type CommandName = "explain" | "fix" | "tests" | "doc" | "commit" | "clear" | "model" | "system";

/** Every command, in list order. */
export function slashCommands(): readonly SlashCommand[] {
  return [
    code("explain", t("Explain the selection or file"), "question", instructions.explain),
    code("fix", t("Find and fix problems in the selection or file"), "wrench", instructions.fix),
    code("tests", t("Write tests for the selection or file"), "beaker", instructions.tests),
    code("doc", t("Write documentation for the selection or file"), "book", instructions.doc),
    {
      name: "commit",
      description: t("Write a commit message for the staged changes"),
      icon: "git-commit",
      instruction: instructions.commit,
    },
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
  commit:
    "Write a commit message for the attached diff: a summary in the imperative of at most 72 characters and, where it helps, a blank line and a short body that says why. Answer with the message alone, in one code block.",
} as const;

/** The instruction of a command about code; never translated. */
export function codeInstruction(name: keyof typeof instructions): string {
  return instructions[name];
}

function code(name: CommandName, description: string, icon: IconName, instruction: string): SlashCommand {
  return { name, description, icon, instruction };
}

function step(name: CommandName, description: string, icon: IconName): SlashCommand {
  return { name, description, icon, instruction: "" };
}
