import * as vscode from "vscode";
import { randomUUID } from "node:crypto";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { applyCode, changedPart, hasMatchingPart } from "../../../core/responses/code/applyCode.ts";
import type { ApplyWay } from "../../../core/responses/code/applyCode.ts";
import { relativePath } from "../../../core/responses/code/codeLanguage.ts";
import { resolveFile } from "../../shell/fileBoundary.ts";
import { distinctUris, findFiles } from "../../shell/findFiles.ts";
import { openTexts } from "../../shell/lastEditor.ts";
import {
  setStatusBarMessage,
  showErrorMessage,
  showInformationMessage,
  showQuickPick,
  showWarningMessage,
} from "../../shell/window.ts";

/** Maximum number of workspace files offered if the block doesn't name one. */
const maxFiles = 2000;

/** The file to which a block is applied. */
interface ApplyTarget {
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
    ...(open.length > 0 ? [separator(vscode.l10n.t("open editors")), ...open.map(fileItem)] : []),
    separator(vscode.l10n.t("files")),
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

/** The right side of the diff. The menus in package.json use this scheme too. */
const scheme = "inference-gateway-proposal";

/** The proposed content of a file, shown next to its current content. */
interface Proposal {
  readonly target: ApplyTarget;
  readonly code: string;
  /** The target of the file's links, which must be the same when the change is accepted. */
  readonly real: string;
  /** The text on which the proposal is based, including unsaved changes. */
  readonly base: string;
  readonly text: string;
}

/**
 * Shows proposed file contents in VS Code's diff editor. Nothing is written until the user accepts, and then only if
 * the file is still the one that the diff was shown for.
 */
export class Proposals implements vscode.Disposable {
  readonly #proposals = new Map<string, Proposal>();
  readonly #disposable: vscode.Disposable;

  constructor() {
    this.#disposable = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        provideTextDocumentContent: (uri) => this.#proposals.get(uri.query)?.text ?? "",
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const tab of closed) this.#proposals.delete(proposalOf(tab)?.query ?? "");
      }),
    );
  }

  /** Shows the changes that the code would make. */
  async show(target: ApplyTarget, code: string, way?: ApplyWay): Promise<void> {
    const base = target.isNew ? "" : (await vscode.workspace.openTextDocument(target.uri)).getText();
    const applied = applyCode(base, code, way);
    const name = vscode.workspace.asRelativePath(target.uri);
    if (applied.text === base) {
      void showInformationMessage(vscode.l10n.t("{0} already contains this code.", name));
      return;
    }
    const id = randomUUID();
    const real = await realAddress(target);
    this.#proposals.set(id, { target, code, real, base, text: applied.text });
    const right = target.uri.with({ scheme, authority: "", query: id, fragment: "" });
    const left = target.isNew ? right.with({ query: "" }) : target.uri;
    await vscode.commands.executeCommand("vscode.diff", left, right, titleOf(name, target, applied.way), {
      preview: false,
    });
  }

  /** Writes the changes in the active diff. */
  async accept(): Promise<void> {
    const tab = activeTab();
    const proposal = this.#find(tab);
    if (tab === undefined || proposal === undefined) return;
    const { target, code } = proposal;
    if ((await realAddress(target)) !== proposal.real) {
      await vscode.window.tabGroups.close(tab);
      const words = vscode.l10n.t("The file is a link whose target has changed. Nothing was changed.");
      void showWarningMessage(words);
      return;
    }
    if (await hasChanged(proposal)) {
      await vscode.window.tabGroups.close(tab);
      await this.show({ ...target, isNew: false }, code);
      const words = vscode.l10n.t(
        "The file has changed in the meantime. Review the updated diff and accept it again.",
      );
      void showWarningMessage(words);
      return;
    }
    const name = vscode.workspace.asRelativePath(target.uri);
    if (!(await write(proposal))) {
      void showErrorMessage(vscode.l10n.t("{0} can't be changed.", name));
      return;
    }
    await vscode.window.tabGroups.close(tab);
    setStatusBarMessage(vscode.l10n.t("$(check) Applied to {0}", name), 5000);
  }

  /** Leaves the file as it is. */
  async reject(): Promise<void> {
    const tab = activeTab();
    if (tab !== undefined && this.#find(tab) !== undefined) await vscode.window.tabGroups.close(tab);
  }

  /** Asks for another way to insert the code into the file. */
  async change(): Promise<void> {
    const tab = activeTab();
    const proposal = this.#find(tab);
    if (tab === undefined || proposal === undefined) return;
    const items = waysOf(proposal);
    const placeHolder = vscode.l10n.t("How should the code be applied?");
    const picked = await showQuickPick(items, { placeHolder });
    if (picked === undefined) return;
    await vscode.window.tabGroups.close(tab);
    await this.show(proposal.target, proposal.code, picked.way);
  }

  dispose(): void {
    this.#disposable.dispose();
    this.#proposals.clear();
  }

  #find(tab: vscode.Tab | undefined): Proposal | undefined {
    return this.#proposals.get(proposalOf(tab)?.query ?? "");
  }
}

function activeTab(): vscode.Tab | undefined {
  return vscode.window.tabGroups.activeTabGroup.activeTab;
}

function proposalOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const input = tab?.input;
  if (!(input instanceof vscode.TabInputTextDiff)) return undefined;
  return input.modified.scheme === scheme ? input.modified : undefined;
}

async function realAddress({ uri }: ApplyTarget): Promise<string> {
  const { real, unknownLink } = await resolveFile(uri);
  return `${real.toString()} ${unknownLink?.toString() ?? ""}`;
}

async function hasChanged({ target, base }: Proposal): Promise<boolean> {
  if (!target.isNew) return (await vscode.workspace.openTextDocument(target.uri)).getText() !== base;
  try {
    await vscode.workspace.fs.stat(target.uri);
    return true;
  } catch {
    return false;
  }
}

/** A file with unsaved changes of the user's own isn't saved: what is saved, and when, is up to them. */
async function write({ target, base, text }: Proposal): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  if (target.isNew) {
    edit.createFile(target.uri, { contents: new TextEncoder().encode(text) });
    return await vscode.workspace.applyEdit(edit);
  }
  const part = changedPart(base, text);
  const document = await vscode.workspace.openTextDocument(target.uri);
  const wasDirty = document.isDirty;
  if (part === undefined) return true;
  const range = new vscode.Range(document.positionAt(part.start), document.positionAt(part.end));
  edit.replace(target.uri, range, part.text);
  if (!(await vscode.workspace.applyEdit(edit))) return false;
  return wasDirty || document.isUntitled || (await document.save());
}

function titleOf(name: string, target: ApplyTarget, way: ApplyWay): string {
  if (target.isNew) return vscode.l10n.t("{0} (new file)", name);
  switch (way) {
    case "wholeFile":
      return vscode.l10n.t("{0} (whole file replaced)", name);
    case "matchingPart":
      return vscode.l10n.t("{0} (matching part replaced)", name);
    case "end":
      return vscode.l10n.t("{0} (added at the end)", name);
  }
}

function waysOf({ base, code }: Proposal): readonly (vscode.QuickPickItem & { readonly way: ApplyWay })[] {
  const whole = { label: vscode.l10n.t("Replace the Whole File"), way: "wholeFile" } as const;
  const part = { label: vscode.l10n.t("Replace the Matching Part"), way: "matchingPart" } as const;
  const end = { label: vscode.l10n.t("Append to the File"), way: "end" } as const;
  return hasMatchingPart(base, code) ? [part, whole, end] : [end, whole];
}
