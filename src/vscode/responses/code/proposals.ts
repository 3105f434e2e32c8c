import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { applyCode, hasMatchingPart, changedPart } from "../../../core/responses/code/applyCode.ts";
import type { ApplyWay } from "../../../core/responses/code/applyCode.ts";
import { resolveFile } from "../../shell/fileBoundary.ts";
import type { ApplyTarget } from "./applyTarget.ts";
import {
  setStatusBarMessage,
  showErrorMessage,
  showInformationMessage,
  showQuickPick,
  showWarningMessage,
} from "../../shell/window.ts";

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
