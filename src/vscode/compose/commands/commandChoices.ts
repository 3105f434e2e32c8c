import * as vscode from "vscode";
import { slashCommands } from "../../../core/compose/commands/slashCommands.ts";
import type { CommandName, SlashCommand } from "../../../core/compose/commands/slashCommands.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { fuzzyFilter } from "../../../core/compose/context/fuzzyMatch.ts";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { showQuickPick } from "../../shell/window.ts";
import { attachFiles, attachSelection } from "../context/attachFiles.ts";
import { refusal } from "../context/choice.ts";
import type { Choice } from "../context/choice.ts";
import { findRepositories } from "../context/git.ts";
import { readStaged } from "../context/gitChoices.ts";
import type { GitRepository } from "../context/gitCommands.ts";
import type { CommitOffers } from "./commitOffers.ts";
import { composePrompt } from "./composePrompt.ts";
import type { PromptFile } from "./promptFiles.ts";

const commands: Readonly<Record<StepName, string>> = {
  clear: commandIds.newChat,
  model: commandIds.selectModel,
  system: commandIds.editSystemPrompt,
};

/** Does the same as a palette command. The panel in which `/` is typed is the active one. */
export function runStep(name: StepName): void {
  void vscode.commands.executeCommand(commands[name]);
}

/** Commands that perform an action instead of inserting text. */
export interface CommandSteps {
  readonly offers: CommitOffers;
  run(name: StepName): void;
}

export type StepName = Extract<CommandName, "clear" | "model" | "system">;

/** The context in which a command runs. */
export interface CommandContext {
  readonly session: ChatSession;
  readonly steps: CommandSteps;
  editor(): vscode.TextEditor | undefined;
}

/** The choices after typing `/`: our commands, then the user's own prompt files. */
export function commandChoices(
  text: string,
  prompts: readonly PromptFile[],
  context: CommandContext,
): readonly Choice[] {
  const rows = [
    ...slashCommands().map((command) => ({ name: command.name, choice: commandChoice(command, context) })),
    ...prompts.map((prompt) => ({ name: prompt.name, choice: promptChoice(prompt, context) })),
  ];
  const starting = rows.filter(({ name }) => name.toLowerCase().startsWith(text.toLowerCase()));
  const others = rows.filter((row) => !starting.includes(row));
  const fitting = [...starting, ...(text === "" ? [] : fuzzyFilter(text, others, ({ name }) => name))];
  return fitting.map(({ choice }) => choice);
}

function commandChoice(command: SlashCommand, context: CommandContext): Choice {
  const { name, description, icon } = command;
  return {
    suggestion: { label: `/${name}`, detail: description, icon },
    pick: () => runCommand(command, context),
  };
}

function promptChoice(prompt: PromptFile, { editor }: CommandContext): Choice {
  return {
    suggestion: { label: `/${prompt.name}`, detail: prompt.description, icon: "file-text" },
    pick: () => composePrompt(prompt, editor()),
  };
}

async function runCommand(command: SlashCommand, context: CommandContext): Promise<Composition> {
  switch (command.name) {
    case "clear":
    case "model":
    case "system":
      context.steps.run(command.name);
      return { text: "", parts: [] };
    case "commit":
      return composeCommit(command.instruction, context.session, context.steps.offers);
    default:
      return composeCode(command.instruction, context.editor());
  }
}

/** The instruction with the selection, or the whole file if nothing is selected. */
async function composeCode(instruction: string, editor: vscode.TextEditor | undefined): Promise<Composition> {
  if (editor === undefined) {
    const notice = vscode.l10n.t("No text editor is open. Open a file, or attach one with #.");
    return { ...refusal(notice), text: instruction };
  }
  const hasSelection = editor.selections.some(({ isEmpty }) => !isEmpty);
  const attached = hasSelection
    ? await attachSelection(editor)
    : await attachFiles([editor.document.uri], "page");
  return { ...attached, text: instruction };
}

/** The staged changes with a request for a commit message. The response is offered to Source Control. */
async function composeCommit(
  instruction: string,
  session: ChatSession,
  offers: CommitOffers,
): Promise<Composition> {
  const repositories = await findRepositories();
  if (repositories.length === 0)
    return refusal(vscode.l10n.t("There is no Git repository in this workspace."));
  const staged = repositories.filter(({ stagedCount }) => stagedCount !== 0);
  const repository = await pickRepository(staged);
  if (repository === undefined) {
    return staged.length > 1
      ? { text: "", parts: [] }
      : refusal(vscode.l10n.t("Nothing is staged. Stage the changes to commit first."));
  }
  const part = await readStaged(repository);
  if (typeof part === "string") return refusal(part);
  offers.expect(session, part, repository);
  return { text: instruction, parts: [part] };
}

/** Asks if there are several. */
export async function pickRepository(
  repositories: readonly GitRepository[],
): Promise<GitRepository | undefined> {
  if (repositories.length < 2) return repositories[0];
  const items = repositories.map((repository) => ({ label: escapeCodicons(repository.name), repository }));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Select the repository for the commit message"),
  });
  return picked?.repository;
}
