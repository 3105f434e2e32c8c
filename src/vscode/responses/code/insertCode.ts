import * as vscode from "vscode";
import { languageId } from "../../../core/responses/code/codeLanguage.ts";
import { indentCode } from "../../../core/responses/code/indentCode.ts";
import type { LastEditor } from "../../shell/lastEditor.ts";
import { showWarningMessage } from "../../shell/window.ts";

/** Opens the code as a file that isn't saved anywhere yet, in its language where VS Code has it. */
export async function openAsNewFile(content: string, fenceLanguage: string | undefined): Promise<void> {
  const language = languageId(fenceLanguage, await vscode.languages.getLanguages());
  const options = language === undefined ? { content } : { content, language };
  const document = await vscode.workspace.openTextDocument(options);
  await vscode.window.showTextDocument(document, { preview: false });
}

/** Puts the code where the cursor is in the editor that was last active, instead of what is selected there. */
export async function insertAtCursor(
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

/** Says why the code can't go where it should, and offers a place where it can. */
export async function offerNewFile(
  message: string,
  code: string,
  language: string | undefined,
): Promise<void> {
  const open = vscode.l10n.t("Open as New File");
  if ((await showWarningMessage(message, open)) === open) await openAsNewFile(code, language);
}
