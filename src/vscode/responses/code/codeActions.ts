import * as vscode from "vscode";
import { languageId } from "../../../core/responses/code/codeLanguage.ts";
import type { PageMessage } from "../../../core/panel/protocol.ts";
import { indentCode } from "../../../core/responses/code/applyCode.ts";
import { readShellCommand } from "../../../core/responses/code/shellCommand.ts";
import { passBoundaryForWriting } from "../../shell/fileBoundary.ts";
import { LastEditor } from "../../shell/lastEditor.ts";
import { showErrorMessage, showWarningMessage } from "../../shell/window.ts";
import { findApplyTarget } from "./applyTarget.ts";
import { Proposals } from "./proposals.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";

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
