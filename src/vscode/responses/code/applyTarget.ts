import * as vscode from "vscode";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { relativePath } from "../../../core/responses/code/codeLanguage.ts";
import { distinctUris, findFiles } from "../../shell/findFiles.ts";
import { openTexts } from "../../shell/lastEditor.ts";
import { showQuickPick } from "../../shell/window.ts";

/** Maximum number of workspace files offered if the block doesn't name one. */
const maxFiles = 2000;

/** The file to which a block is applied. */
export interface ApplyTarget {
  readonly uri: vscode.Uri;
  readonly isNew: boolean;
}

interface TargetItem extends vscode.QuickPickItem {
  readonly target?: () => Promise<ApplyTarget | undefined>;
}

/**
 * The file in the workspace, or among the open ones, that the name refers to. Asks if there is none or more than one.
 * Undefined if the user cancels.
 */
export async function findApplyTarget(fileName: string | undefined): Promise<ApplyTarget | undefined> {
  const path = fileName === undefined ? undefined : relativePath(fileName);
  const named = path === undefined ? [] : await findNamed(path);
  const [only] = named;
  if (only !== undefined && named.length === 1) return { uri: only, isNew: false };
  return await pickTarget(named, path);
}

async function findNamed(path: string): Promise<readonly vscode.Uri[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const inFolders = folders.map(({ uri }) => vscode.Uri.joinPath(uri, path));
  const there = await Promise.all(inFolders.map(isFile));
  const exact = inFolders.filter((_uri, index) => there[index]);
  if (exact.length > 0) return exact;
  const open = openTexts().filter(({ uri }) => `/${uri.path}`.endsWith(`/${path}`));
  const found = await findFiles({ glob: `**/${path.replace(/[[\]{}*?]/g, "[$&]")}`, max: 20 });
  const named = found.filter((uri) => uri.path.endsWith(`/${path}`));
  return distinctUris([...open.map(({ uri }) => uri), ...named]);
}

async function pickTarget(
  named: readonly vscode.Uri[],
  path: string | undefined,
): Promise<ApplyTarget | undefined> {
  const items = named.length > 0 ? named.map(fileItem) : [...newFileItems(path), ...(await allFileItems())];
  const placeHolder =
    path === undefined
      ? vscode.l10n.t("The code block doesn't name a file. Select the file to apply it to.")
      : vscode.l10n.t("Select the file to apply the code to");
  const picked = await showQuickPick(items, { placeHolder, matchOnDescription: true });
  return await picked?.target?.();
}

/** A new file with that name in each workspace folder. */
function newFileItems(path: string | undefined): readonly TargetItem[] {
  if (path === undefined) return [];
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => ({
    label: `$(new-file) ${vscode.l10n.t("Create {0}", path)}`,
    description: name,
    target: async () => ({ uri: vscode.Uri.joinPath(uri, path), isNew: true }),
  }));
}

async function allFileItems(): Promise<readonly TargetItem[]> {
  const open = openTexts().map(({ uri }) => uri);
  const isOpen = new Set(open.map(String));
  const files = await findFiles({ glob: "**/*", max: maxFiles });
  const others = files
    .filter((uri) => !isOpen.has(String(uri)))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const separator = (label: string): TargetItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  return [
    ...(open.length > 0 ? [separator(vscode.l10n.t("Open editors")), ...open.map(fileItem)] : []),
    separator(vscode.l10n.t("Files")),
    ...others.map(fileItem),
    { label: `$(folder-opened) ${vscode.l10n.t("Another File…")}`, alwaysShow: true, target: browse },
  ];
}

function fileItem(uri: vscode.Uri): TargetItem {
  return {
    label: escapeCodicons(uri.path.split("/").at(-1) ?? uri.path),
    description: vscode.workspace.asRelativePath(uri),
    target: async () => ({ uri, isNew: false }),
  };
}

async function browse(): Promise<ApplyTarget | undefined> {
  const chosen = await vscode.window.showOpenDialog({ openLabel: vscode.l10n.t("Apply") });
  return chosen?.[0] === undefined ? undefined : { uri: chosen[0], isNew: false };
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}
