import * as vscode from "vscode";
import { distinctFindings, maskSecrets } from "../../core/compose/send/secretFinding.ts";
import type { SecretFinding } from "../../core/compose/send/secretFinding.ts";
import type { Conversation } from "../../core/conversation/conversation.ts";
import { exportFileName, exportPieces } from "../../core/library/history/exportPieces.ts";
import { exportFolder } from "../shell/ownMachine.ts";
import { createPause } from "../shell/pause.ts";
import { showErrorMessage, showInformationMessage } from "../shell/window.ts";
import { asksToMask } from "./secretQuestion.ts";

/** Asks for a location and writes the file in slices. The notification opens it. */
export async function saveExport(conversation: Conversation, format: "md" | "json"): Promise<void> {
  const name = exportFileName(conversation.title, format);
  const file = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(exportFolder(), name),
    filters: format === "md" ? { Markdown: ["md"] } : { JSON: ["json"] },
    title: vscode.l10n.t("Export Conversation"),
  });
  if (file === undefined) return;
  const findings = distinctFindings(await findingsOf(conversation, format));
  const isMasked =
    findings.length > 0 &&
    (await asksToMask(findings, {
      mask: vscode.l10n.t("Mask and Export"),
      keep: vscode.l10n.t("Export with Secrets"),
    }));
  if (isMasked === undefined) return;
  try {
    await vscode.workspace.fs.writeFile(file, await bytesOf(conversation, format, isMasked ? findings : []));
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
  void showInformationMessage(message, open).then((response) => {
    if (response === open) void vscode.window.showTextDocument(file);
  });
}

async function findingsOf(
  conversation: Conversation,
  format: "md" | "json",
): Promise<readonly SecretFinding[]> {
  const { findAllSecrets } = await import("../../workers/account/findAllSecrets.ts");
  const pause = createPause();
  const found = new Map<string, SecretFinding>();
  for (const piece of exportPieces(conversation, format, Date.now())) {
    for (const finding of await findAllSecrets(piece.searched(), pause)) found.set(finding.value, finding);
    await pause();
  }
  return [...found.values()];
}

/** The contents of the file, with all findings masked. */
async function bytesOf(
  conversation: Conversation,
  format: "md" | "json",
  findings: readonly SecretFinding[],
): Promise<Uint8Array> {
  const pause = createPause();
  const parts: Buffer[] = [];
  for (const piece of exportPieces(conversation, format, Date.now())) {
    const text = findings.length === 0 ? piece.text() : piece.masked((part) => maskSecrets(part, findings));
    parts.push(Buffer.from(text));
    await pause();
  }
  return Buffer.concat(parts);
}
