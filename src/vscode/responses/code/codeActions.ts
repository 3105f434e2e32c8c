import * as vscode from "vscode";
import { languageId } from "../../../core/responses/code/codeLanguage.ts";
import type { PageMessage } from "../../../core/panel/protocol.ts";
import { indentCode, applyCode } from "../../../core/responses/code/applyCode.ts";
import type { AppliedCode } from "../../../core/responses/code/applyCode.ts";
import { readShellCommand } from "../../../core/responses/code/shellCommand.ts";
import { passBoundaryForWriting, resolveFile } from "../../shell/fileBoundary.ts";
import { LastEditor } from "../../shell/lastEditor.ts";
import {
  showErrorMessage,
  showWarningMessage,
  setStatusBarMessage,
  showInformationMessage,
} from "../../shell/window.ts";
import { findApplyTarget } from "./applyTarget.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";
import { randomUUID } from "node:crypto";
import { SingleRuns } from "../../../core/kernel/singleRuns.ts";
import { changeDocument, whyNotEditable } from "../../shell/changeDocument.ts";
import { clickedDiff, diffTabs, onDidCloseDiff } from "../../shell/diffTabs.ts";
import type { ApplyTarget } from "./applyTarget.ts";

/** The right side of the diff. The menus in package.json use this scheme too. */
const scheme = "inference-gateway-proposal";

/** The proposed content of a file, shown next to its current content. */
interface Proposal {
  readonly id: string;
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
class Proposals implements vscode.Disposable {
  readonly #proposals = new Map<string, Proposal>();
  readonly #accepting = new SingleRuns();
  readonly #disposable: vscode.Disposable;

  constructor() {
    this.#disposable = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        provideTextDocumentContent: (uri) => this.#proposals.get(uri.query)?.text ?? "",
      }),
      onDidCloseDiff(scheme, (id) => this.#proposals.delete(id)),
    );
  }

  /** Shows the changes that the code would make. */
  async show(target: ApplyTarget, code: string): Promise<void> {
    const base = target.isNew ? "" : (await vscode.workspace.openTextDocument(target.uri)).getText();
    const applied = applyCode(base, code);
    const name = vscode.workspace.asRelativePath(target.uri);
    if (applied.way === "nowhere")
      return void showWarningMessage(vscode.l10n.t("The change doesn't fit {0}, which is unchanged.", name));
    if (applied.text === base) {
      void showInformationMessage(vscode.l10n.t("{0} already contains this code.", name));
      return;
    }
    const id = randomUUID();
    const real = await realAddress(target);
    this.#proposals.set(id, { id, target, code, real, base, text: applied.text });
    const right = target.uri.with({ scheme, authority: "", query: id, fragment: "" });
    const left = target.isNew ? right.with({ query: "" }) : target.uri;
    await vscode.commands.executeCommand("vscode.diff", left, right, titleOf(name, target, applied.way), {
      preview: false,
    });
  }

  /**
   * Writes the changes in the diff that was clicked, otherwise those in the active one. Does nothing while that is
   * being done, because saving may take long and the diff stays open until then.
   */
  async accept(clicked?: unknown): Promise<void> {
    const proposal = this.#find(clicked);
    if (proposal !== undefined) await this.#accepting.run(proposal.id, () => this.#accept(proposal));
  }

  /** Leaves the file as it is. */
  async reject(clicked?: unknown): Promise<void> {
    const proposal = this.#find(clicked);
    if (proposal !== undefined) await closeTabs(proposal.id);
  }

  dispose(): void {
    this.#disposable.dispose();
    this.#proposals.clear();
  }

  #find(clicked: unknown): Proposal | undefined {
    return this.#proposals.get(clickedDiff(clicked, scheme) ?? "");
  }

  async #accept(proposal: Proposal): Promise<void> {
    const { id, target, code } = proposal;
    if ((await realAddress(target)) !== proposal.real) {
      await closeTabs(id);
      const words = vscode.l10n.t("The file is a link whose target has changed. Nothing was changed.");
      void showWarningMessage(words);
      return;
    }
    const name = vscode.workspace.asRelativePath(target.uri);
    const readOnly = await whyReadOnly(target);
    if (readOnly !== undefined) return void showErrorMessage(readOnly);
    if (await hasChanged(proposal)) {
      await closeTabs(id);
      await this.show({ ...target, isNew: false }, code);
      const words = vscode.l10n.t(
        "The file has changed in the meantime. Review the updated diff and accept it again.",
      );
      void showWarningMessage(words);
      return;
    }
    const end = await write(proposal);
    if (end === "refused") return void showErrorMessage(vscode.l10n.t("{0} can't be changed.", name));
    await closeTabs(id);
    if (end === "done") {
      setStatusBarMessage(vscode.l10n.t("$(check) Applied to {0}", name), 5000);
      return;
    }
    // What is neither saved nor visible would be forgotten.
    await vscode.window.showTextDocument(target.uri, { preview: false });
    void showWarningMessage(
      vscode.l10n.t(
        "The change was applied to {0}, but the file couldn't be saved. Save the file, or undo the change.",
        name,
      ),
    );
  }
}

async function closeTabs(id: string): Promise<void> {
  await vscode.window.tabGroups.close(diffTabs(scheme, id));
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

async function whyReadOnly({ uri, isNew }: ApplyTarget): Promise<string | undefined> {
  return isNew ? undefined : await whyNotEditable(await vscode.workspace.openTextDocument(uri));
}

/**
 * `unsaved` means that the document is changed, but the file isn't. A file with unsaved changes of the user's own isn't
 * saved: what is saved, and when, is up to them.
 */
async function write({ target, text }: Proposal): Promise<"done" | "unsaved" | "refused"> {
  if (target.isNew) {
    const edit = new vscode.WorkspaceEdit();
    edit.createFile(target.uri, { contents: new TextEncoder().encode(text) });
    return (await vscode.workspace.applyEdit(edit)) ? "done" : "refused";
  }
  const document = await vscode.workspace.openTextDocument(target.uri);
  const wasDirty = document.isDirty;
  if (!(await changeDocument(document, text))) return "refused";
  return wasDirty || document.isUntitled || (await document.save()) ? "done" : "unsaved";
}

function titleOf(name: string, target: ApplyTarget, way: Exclude<AppliedCode["way"], "nowhere">): string {
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

/** The actions on code blocks in the page. Each action notifies the user itself if it fails. */
export class CodeActions implements vscode.Disposable {
  readonly proposals = new Proposals();
  readonly #lastEditor = new LastEditor();

  async run({ action, code, language, fileName }: Omit<PageMessage<"code">, "type">): Promise<void> {
    try {
      switch (action) {
        case "insert":
          return await insertAtCursor(code, language, this.#lastEditor);
        case "newFile":
          return await openAsNewFile(code, language);
        case "run":
          return await runInTerminal(code, language ?? "");
        case "apply":
          return await this.#apply(code, fileName);
      }
    } catch (error) {
      const words = messageOf(error);
      void showErrorMessage(vscode.l10n.t("Failed: {0}", words));
    }
  }

  dispose(): void {
    this.proposals.dispose();
    this.#lastEditor.dispose();
  }

  async #apply(code: string, fileName: string | undefined): Promise<void> {
    const target = await findApplyTarget(fileName);
    if (target === undefined) return;
    const uri = await passBoundaryForWriting(target.uri);
    if (uri !== undefined) await this.proposals.show({ ...target, uri }, code);
  }
}

/** Runs a block's commands once the user has seen all of them and agreed. Nothing is sent to a shell before that. */
async function runInTerminal(code: string, language: string): Promise<void> {
  const command = readShellCommand(code, language);
  if (command.state !== "ready") {
    await offerNewFile(notRun[command.state](), code, language);
    return;
  }
  const active = vscode.window.activeTerminal;
  const inNew = vscode.l10n.t("Run in New Terminal");
  const inActive = active === undefined ? undefined : vscode.l10n.t("Run in “{0}”", active.name);
  const question =
    command.lines === 1
      ? vscode.l10n.t("Run this command?")
      : vscode.l10n.t("Run these {0} lines in order?", formatNumber(command.lines));
  const buttons = inActive === undefined ? [inNew] : [inNew, inActive];
  const options = { modal: true, detail: command.text };
  const response = await showWarningMessage(question, options, ...buttons);
  if (response === undefined) return;
  const terminal = response === inNew ? vscode.window.createTerminal() : active;
  terminal?.show();
  terminal?.sendText(command.text);
}

const notRun = {
  empty: () => vscode.l10n.t("This block contains no command."),
  noShell: () => vscode.l10n.t("This block isn't a shell command."),
  tooLong: () => vscode.l10n.t("This is too long to review here. Open it as a file and run it from there."),
  hidden: () =>
    vscode.l10n.t("This block contains invisible characters and may run something other than what it shows."),
} as const;

/** Opens the code as an unsaved file, in its language if VS Code supports it. */
async function openAsNewFile(content: string, fenceLanguage: string | undefined): Promise<void> {
  const language = languageId(fenceLanguage, await vscode.languages.getLanguages());
  const options = language === undefined ? { content } : { content, language };
  const document = await vscode.workspace.openTextDocument(options);
  await vscode.window.showTextDocument(document, { preview: false });
}

/** Inserts the code at the cursor of the last active editor, replacing any selection. */
async function insertAtCursor(
  code: string,
  language: string | undefined,
  lastEditor: LastEditor,
): Promise<void> {
  const editor = await lastEditor.show();
  if (editor === undefined) {
    const words = vscode.l10n.t(
      "No editor is open to insert the code into. Open a file and place the cursor first.",
    );
    await offerNewFile(words, code, language);
    return;
  }
  const isInserted = await editor.edit((edit) => {
    for (const selection of editor.selections) {
      const lineStart = editor.document.lineAt(selection.start.line).text.slice(0, selection.start.character);
      edit.replace(selection, indentCode(code, lineStart));
    }
  });
  if (isInserted) return;
  await offerNewFile(vscode.l10n.t("The last active editor is read-only."), code, language);
}

/** Explains why the code can't be inserted and offers to open it as a new file. */
async function offerNewFile(message: string, code: string, language: string | undefined): Promise<void> {
  const open = vscode.l10n.t("Open as New File");
  if ((await showWarningMessage(message, open)) === open) await openAsNewFile(code, language);
}
