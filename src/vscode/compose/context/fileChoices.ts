import * as vscode from "vscode";
import { fileGlob } from "../../../core/compose/context/excludeRules.ts";
import { fuzzyFilter } from "../../../core/compose/context/fuzzyMatch.ts";
import { distinctUris, findFiles } from "../../shell/findFiles.ts";
import type { FileQuery } from "../../shell/findFiles.ts";
import { openTexts } from "../../shell/lastEditor.ts";
import { attachFiles } from "./attachFiles.ts";
import type { Choice } from "./choice.ts";
import { IgnoreFiles, searchExclude } from "./ignoreFiles.ts";

/** Maximum number of files found before the best are chosen, and of rows shown. */
const maxFound = 500;
const maxShown = 40;

/** Workspace files whose path matches, open ones first and those ignored by Git last. */
export async function fileChoices(text: string, token: vscode.CancellationToken): Promise<readonly Choice[]> {
  const open = openTexts().map(({ uri }) => uri);
  const found = text === "" ? [] : await findFiles(queryFor(fileGlob(text), token));
  const best = fuzzyFilter(text, distinctUris([...open, ...found]), pathOf).slice(0, maxShown);
  const ignored = new IgnoreFiles();
  const rows = await Promise.all(best.map(async (uri) => ({ uri, isIgnored: await ignored.isIgnored(uri) })));
  return rows
    .toSorted((a, b) => Number(a.isIgnored) - Number(b.isIgnored))
    .map(({ uri, isIgnored }) => fileChoice(uri, isIgnored));
}

/** Workspace folders whose path matches. */
export async function folderChoices(
  text: string,
  token: vscode.CancellationToken,
): Promise<readonly Choice[]> {
  const found =
    text === "" ? await topFolders() : foldersOf(await findFiles(queryFor(`${fileGlob(text)}/**`, token)));
  return fuzzyFilter(text, distinctUris(found), pathOf).slice(0, maxShown).map(folderChoice);
}

function queryFor(glob: string, token: vscode.CancellationToken): FileQuery {
  return { glob, exclude: searchExclude() ?? null, max: maxFound, token };
}

/** The workspace folders and their direct contents. */
async function topFolders(): Promise<readonly vscode.Uri[]> {
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const inner = await Promise.all(
    roots.map(async (root) => {
      const entries = await vscode.workspace.fs.readDirectory(root).then(
        (list) => list,
        () => [],
      );
      const folders = entries.filter(
        ([name, type]) => type === vscode.FileType.Directory && !name.startsWith("."),
      );
      return folders.map(([name]) => vscode.Uri.joinPath(root, name));
    }),
  );
  return [...roots, ...inner.flat()];
}

/** Every folder between the workspace and the files. */
function foldersOf(files: readonly vscode.Uri[]): readonly vscode.Uri[] {
  return files.flatMap((file) => {
    const root = vscode.workspace.getWorkspaceFolder(file)?.uri;
    if (root === undefined) return [];
    const names = file.path
      .slice(root.path.replace(/\/$/, "").length + 1)
      .split("/")
      .slice(0, -1);
    return names.map((_, index) => vscode.Uri.joinPath(root, ...names.slice(0, index + 1)));
  });
}

function fileChoice(uri: vscode.Uri, isIgnored: boolean): Choice {
  const path = pathOf(uri);
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const detail = isIgnored ? vscode.l10n.t("{0} (ignored by Git)", folder) : folder;
  return {
    suggestion: { label: path.slice(path.lastIndexOf("/") + 1), detail: detail.trim(), icon: "file" },
    pick: () => attachFiles([uri], "page"),
  };
}

function folderChoice(uri: vscode.Uri): Choice {
  const path = pathOf(uri);
  return {
    suggestion: { label: path.slice(path.lastIndexOf("/") + 1), detail: path, icon: "folder" },
    pick: () => attachFiles([uri], "page"),
  };
}

/** A workspace folder itself has no relative path, so its name is shown. */
function pathOf(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder?.uri.toString() === uri.toString() ? folder.name : vscode.workspace.asRelativePath(uri);
}
