import * as vscode from "vscode";
import { distinctFindings, maskSecrets } from "../../core/compose/send/secretFinding.ts";
import type { SecretFinding } from "../../core/compose/send/secretFinding.ts";
import type { Conversation } from "../../core/conversation/conversation.ts";
import { exportFileName, exportPieces } from "../../core/library/history/exportPieces.ts";
import type { ExportPiece } from "../../core/library/history/exportPieces.ts";
import { exportFolder } from "../shell/ownMachine.ts";
import { createPause } from "../shell/pause.ts";
import { showConfirmation, showErrorMessage, showInformationMessage } from "../shell/window.ts";
import { asksToMask } from "./secretQuestion.ts";
import { messageOf } from "../../core/kernel/thrown.ts";

/** The file formats of an export, by the ending of the file name. */
export type ExportFormat = "md" | "json" | "html";

const fileTypes: Readonly<Record<ExportFormat, string>> = { md: "Markdown", json: "JSON", html: "HTML" };

/** Asks for a location and writes the file in slices. The notification opens it. */
export async function saveExport(conversation: Conversation, format: ExportFormat): Promise<void> {
  const { findAllSecrets } = await import("../../workers/account/findAllSecrets.ts");
  const { title } = conversation;
  const name = exportFileName(maskSecrets(title, await findAllSecrets(title, createPause())), format);
  const file = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(exportFolder(), name),
    filters: { [fileTypes[format]]: [format] },
    title: vscode.l10n.t("Export Conversation"),
  });
  if (file === undefined) return;
  const bytes = await readExport(() => piecesOf(conversation, format), {
    mask: vscode.l10n.t("Mask and Export"),
    keep: vscode.l10n.t("Export with Secrets"),
  });
  if (bytes === undefined) return;
  try {
    await vscode.workspace.fs.writeFile(file, bytes);
  } catch (error) {
    const reason = messageOf(error);
    void showErrorMessage(vscode.l10n.t("The conversation couldn't be saved. {0}", reason));
    return;
  }
  const open = vscode.l10n.t("Open File");
  const message = vscode.l10n.t(
    "The conversation was exported to {0}.",
    vscode.workspace.asRelativePath(file),
  );
  void showInformationMessage(message, open).then((response) => {
    if (response !== open) return;
    if (format === "html") void vscode.env.openExternal(file);
    else void vscode.window.showTextDocument(file);
  });
}

/** Puts the conversation into the clipboard as Markdown; images and audio are only named. */
export async function copyAsMarkdown(conversation: Conversation): Promise<void> {
  const bytes = await readExport(() => Promise.resolve(exportPieces(conversation, "text", Date.now())), {
    mask: vscode.l10n.t("Mask and Copy"),
    keep: vscode.l10n.t("Copy with Secrets"),
  });
  if (bytes === undefined) return;
  await vscode.env.clipboard.writeText(Buffer.from(bytes).toString("utf8"));
  showConfirmation(vscode.l10n.t("The conversation was copied."));
}

async function piecesOf(conversation: Conversation, format: ExportFormat): Promise<Iterable<ExportPiece>> {
  if (format !== "html") return exportPieces(conversation, format, Date.now());
  const { htmlPieces } = await import("../../workers/library/htmlPieces.ts");
  return htmlPieces(conversation, vscode.env.language);
}

/** The whole text, with secrets masked if the user wants that; undefined if the user cancels. */
async function readExport(
  pieces: () => Promise<Iterable<ExportPiece>>,
  buttons: { readonly mask: string; readonly keep: string },
): Promise<Uint8Array | undefined> {
  const { findAllSecrets } = await import("../../workers/account/findAllSecrets.ts");
  const pause = createPause();
  const found = new Map<string, SecretFinding>();
  for (const piece of await pieces()) {
    for (const finding of await findAllSecrets(piece.searched(), pause)) found.set(finding.value, finding);
    await pause();
  }
  const findings = distinctFindings([...found.values()]);
  const isMasked = findings.length > 0 && (await asksToMask(findings, buttons));
  if (isMasked === undefined) return undefined;
  const parts: Buffer[] = [];
  for (const piece of await pieces()) {
    parts.push(Buffer.from(isMasked ? piece.masked((part) => maskSecrets(part, findings)) : piece.text()));
    await pause();
  }
  return Buffer.concat(parts);
}
