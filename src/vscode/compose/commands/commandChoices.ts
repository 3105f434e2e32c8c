import * as vscode from "vscode";
import { parsePromptBody, slashCommands } from "../../../core/compose/commands/slashCommands.ts";
import type {
  SlashCommandName,
  PromptPiece,
  SlashCommand,
} from "../../../core/compose/commands/slashCommands.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { fuzzyFilter } from "../../../core/compose/context/fuzzyMatch.ts";
import type { TextPart } from "../../../core/conversation/completion.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { ownPromptFolder } from "../../shell/fileBoundary.ts";
import { exists } from "../../shell/findFiles.ts";
import { showInputBox } from "../../shell/window.ts";
import { attachFiles, attachSelection } from "../context/attachFiles.ts";
import { onlyNotice } from "../context/choice.ts";
import type { Choice } from "../context/choice.ts";
import { guardFiles } from "../context/ignoreFiles.ts";
import type { PromptFile } from "./promptFiles.ts";

const commands: Readonly<Record<StepName, string>> = {
  clear: commandIds.newChat,
  commit: commandIds.generateCommitMessage,
  model: commandIds.selectModel,
  system: commandIds.editSystemPrompt,
};

/** Does the same as a palette command. The panel in which `/` is typed is the active one. */
export function runStep(name: StepName): void {
  void vscode.commands.executeCommand(commands[name]);
}

/** A slash command that performs an action. */
export type StepName = Extract<SlashCommandName, "clear" | "commit" | "model" | "system">;

/** The context in which a command runs. */
interface CommandContext {
  runStep(name: StepName): void;
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
    case "commit":
    case "model":
    case "system":
      context.runStep(command.name);
      return { text: "", parts: [] };
    default:
      return composeCode(command.instruction, context.editor());
  }
}

/** The instruction with the selection, or the whole file if nothing is selected. */
async function composeCode(instruction: string, editor: vscode.TextEditor | undefined): Promise<Composition> {
  if (editor === undefined) {
    const notice = vscode.l10n.t("No text editor is open. Open a file, or attach one with #.");
    return { ...onlyNotice(notice), text: instruction };
  }
  const hasSelection = editor.selections.some(({ isEmpty }) => !isEmpty);
  const attached = hasSelection
    ? await attachSelection(editor)
    : await attachFiles([editor.document.uri], "page");
  return { ...attached, text: instruction };
}

/** What is collected while a prompt is filled in. */
interface Filling {
  readonly prompt: PromptFile;
  readonly editor: vscode.TextEditor | undefined;
  readonly parts: TextPart[];
  readonly notices: string[];
  /** The user's entries, by input name. */
  readonly answers: Map<string, string>;
  readonly attached: Set<string>;
}

/** The prompt's text with its variables filled in. Referenced files become attachments. Nothing is sent. */
export async function composePrompt(
  prompt: PromptFile,
  editor: vscode.TextEditor | undefined,
): Promise<Composition> {
  const filling: Filling = {
    ...{ prompt, editor, parts: [], notices: [] },
    ...{ answers: new Map(), attached: new Set() },
  };
  const words: string[] = [];
  // A prompt may be a link to a file whose content must not be revealed.
  const [readable] = await guardFiles([prompt.uri], "page");
  if (readable === undefined) return { text: "", parts: [] };
  for (const piece of parsePromptBody(prompt.body)) {
    const word = await fill(piece, filling);
    // The user has canceled an input, so nothing from the prompt is used.
    if (word === undefined) return { text: "", parts: [] };
    words.push(word);
  }
  const { parts, notices } = filling;
  const place = prompt.uri.path.split("/").at(-1) ?? prompt.name;
  return {
    ...{ text: words.join(""), parts },
    ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
    // The body alone: what the user has entered for its variables is theirs.
    ...(prompt.isOwn ? {} : { foreign: { place, text: prompt.body } }),
  };
}

async function fill(piece: PromptPiece, filling: Filling): Promise<string | undefined> {
  switch (piece.type) {
    case "text":
      return piece.text;
    case "input":
      return ask(piece, filling);
    case "selection":
      return take("selection", await attachSelection(filling.editor), piece.source, filling);
    case "file": {
      const uri = filling.editor?.document.uri;
      if (uri !== undefined) return attach(uri, piece.source, filling);
      filling.notices.push(vscode.l10n.t("No text editor is open."));
      return piece.source;
    }
    case "reference": {
      const uri = await findReference(piece.path, filling.prompt.uri);
      if (uri !== undefined) return attach(uri, piece.source, filling);
      filling.notices.push(
        vscode.l10n.t("The prompt references {0}, which isn't in the workspace.", piece.path),
      );
      return piece.source;
    }
  }
}

async function ask(
  { name, placeholder }: Extract<PromptPiece, { readonly type: "input" }>,
  { prompt, answers }: Filling,
): Promise<string | undefined> {
  const known = answers.get(name);
  if (known !== undefined) return known;
  const answer = await showInputBox({
    title: `/${prompt.name}`,
    prompt: name,
    placeHolder: placeholder,
  });
  if (answer !== undefined) answers.set(name, answer);
  return answer;
}

async function attach(uri: vscode.Uri, source: string, filling: Filling): Promise<string> {
  const key = uri.toString();
  const composition = filling.attached.has(key) ? { text: "", parts: [] } : await attachFiles([uri], "page");
  const isLink = source.startsWith("[");
  const path = `\`${vscode.workspace.asRelativePath(uri)}\``;
  const word = take(key, composition, source, filling);
  return isLink || word === source ? source : path;
}

/** Adds what was found, once. If nothing was found, the source stays in the text. */
function take(key: string, { parts, notice }: Composition, source: string, filling: Filling): string {
  if (notice !== undefined) filling.notices.push(notice);
  if (parts.length === 0 && !filling.attached.has(key)) return source;
  if (!filling.attached.has(key)) filling.parts.push(...parts);
  filling.attached.add(key);
  return parts.map(({ title = "" }) => `\`${title}\``).join(", ");
}

/**
 * The file next to the prompt, or relative to the root of a workspace folder; never one outside the workspace and the
 * prompts' folder.
 */
async function findReference(path: string, prompt: vscode.Uri): Promise<vscode.Uri | undefined> {
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const uris = [
    vscode.Uri.joinPath(prompt, "..", path),
    ...roots.map((root) => vscode.Uri.joinPath(root, path)),
  ];
  for (const uri of uris) {
    if (isInside(uri, ownPromptFolder()) || vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
      if (await exists(uri)) return uri;
    }
  }
  return undefined;
}

function isInside(uri: vscode.Uri, folder: vscode.Uri | undefined): boolean {
  return folder !== undefined && uri.path.startsWith(`${folder.path.replace(/\/$/, "")}/`);
}
