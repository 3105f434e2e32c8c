import * as vscode from "vscode";
import type { Conversation } from "../../core/conversation/conversation.ts";
import { exportFileName } from "../../core/library/history/exportFileName.ts";
import { exportJson } from "../../core/library/history/exportJson.ts";
import { exportMarkdown } from "../../core/library/history/exportMarkdown.ts";
import { showErrorMessage, showInformationMessage } from "../shell/window.ts";

/** Asks where to and writes the file; the notification opens it. */
export async function saveExport(conversation: Conversation, format: "md" | "json"): Promise<void> {
  const name = exportFileName(conversation.title, format);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = await vscode.window.showSaveDialog({
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
    filters: format === "md" ? { Markdown: ["md"] } : { JSON: ["json"] },
    title: vscode.l10n.t("Export Conversation"),
  });
  if (file === undefined) return;
  const text = format === "md" ? exportMarkdown(conversation) : exportJson([conversation], Date.now());
  try {
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    void showErrorMessage(vscode.l10n.t("The conversation couldn't be saved. {0}", reason));
    return;
  }
  const open = vscode.l10n.t("Open File");
  const message = vscode.l10n.t(
    "The conversation was exported to {0}.",
    vscode.workspace.asRelativePath(file),
  );
  void showInformationMessage(message, open).then((answer) => {
    if (answer === open) void vscode.window.showTextDocument(file);
  });
}
