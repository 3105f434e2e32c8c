import * as vscode from "vscode";
import { load } from "js-yaml";
import { resolveFile, ownPromptFolder } from "../../shell/fileBoundary.ts";
import {
  isPromptFile,
  parsePromptHead,
  promptName,
  splitPrompt,
} from "../../../core/compose/commands/slashCommands.ts";
import type { PromptHead } from "../../../core/compose/commands/slashCommands.ts";
import { maxTextBytes } from "../../../core/compose/context/pastedText.ts";

/** A prompt that the user or the project keeps in a file. */
export interface PromptFile {
  readonly uri: vscode.Uri;
  readonly name: string;
  /** From the file itself, otherwise its location. */
  readonly description: string;
  readonly body: string;
  /** Whether it is in the user's own folder rather than in the workspace. */
  readonly isOwn: boolean;
}

/** More prompts than anyone would browse. */
const maxFiles = 200;

/** Reads the prompt files in the workspace folders and in the user's own folder. Skips those that can't be read. */
export async function readPromptFiles(): Promise<readonly PromptFile[]> {
  const files = (await Promise.all(promptFolders().map(listFolder))).flat().slice(0, maxFiles);
  const own = ownPromptFolder()?.toString();
  const prompts = await Promise.all(
    files.map((uri) => readPrompt(uri, own !== undefined && uri.toString().startsWith(`${own}/`))),
  );
  return prompts.filter((prompt) => prompt !== undefined);
}

function promptFolders(): readonly vscode.Uri[] {
  const own = ownPromptFolder();
  const folders = vscode.workspace.workspaceFolders ?? [];
  return [
    ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, ".github", "prompts")),
    ...(own === undefined ? [] : [own]),
  ];
}

async function listFolder(folder: vscode.Uri): Promise<readonly vscode.Uri[]> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(folder);
    const names = entries.filter(([name, type]) => isPromptFile(name) && (type & vscode.FileType.File) !== 0);
    return names
      .map(([name]) => vscode.Uri.joinPath(folder, name))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  } catch {
    return [];
  }
}

async function readPrompt(uri: vscode.Uri, isOwn: boolean): Promise<PromptFile | undefined> {
  try {
    // If a link leads to a file outside the workspace, nothing of it is shown before the user has allowed it.
    const { isInside } = await resolveFile(uri);
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxTextBytes) return undefined;
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const { head, body } = splitPrompt(text);
    const facts = isInside ? readHead(head) : {};
    const name = promptName(uri.path.split("/").at(-1) ?? "", facts);
    const description = facts.description ?? vscode.workspace.asRelativePath(uri);
    return { uri, name, description, body, isOwn };
  } catch {
    return undefined;
  }
}

/** Invalid YAML front matter is ignored. The body is still the prompt. */
function readHead(head: string | undefined): PromptHead {
  try {
    return head === undefined ? {} : parsePromptHead(load(head));
  } catch {
    return {};
  }
}
