import * as vscode from "vscode";
import { distinctFindings, maskFindings, shortenSecret } from "../../core/compose/send/secretFinding.ts";
import type { SecretFinding } from "../../core/account/secrets/secretValue.ts";
import type { Conversation } from "../../core/conversation/conversation.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import type { Pause } from "../../core/kernel/pause.ts";
import { exportFileName, exportPieces } from "../../core/library/history/exportPieces.ts";
import type { ExportPiece } from "../../core/library/history/exportPieces.ts";
import { exportFolder } from "../shell/ownMachine.ts";
import { createPause } from "../shell/pause.ts";
import {
  showConfirmation,
  showErrorMessage,
  showInformationMessage,
  showWarningMessage,
  withLateProgress,
} from "../shell/window.ts";
import type { LateProgress } from "../shell/window.ts";
import { messageOf } from "../../core/kernel/thrown.ts";

/** The file formats of an export, by the ending of the file name. */
export type ExportFormat = "md" | "json" | "html";

/** Messages between two updates of the progress. */
const reportEvery = 100;

const fileTypes: Readonly<Record<ExportFormat, string>> = { md: "Markdown", json: "JSON", html: "HTML" };

/** Asks for a location and writes the file in slices. The notification opens it. */
export async function saveExport(conversation: Conversation, format: ExportFormat): Promise<void> {
  const { findAllSecrets } = await import("../../core/account/secrets/scanSecrets.ts");
  const { title } = conversation;
  const name = exportFileName(maskFindings(title, await findAllSecrets(title, createPause())), format);
  const file = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(exportFolder(), name),
    filters: { [fileTypes[format]]: [format] },
    title: vscode.l10n.t("Export Conversation"),
  });
  if (file === undefined) return;
  const bytes = await readExport(() => piecesOf(conversation, format), {
    title: vscode.l10n.t("Exporting conversation…"),
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
    title: vscode.l10n.t("Copying conversation…"),
    mask: vscode.l10n.t("Mask and Copy"),
    keep: vscode.l10n.t("Copy with Secrets"),
  });
  if (bytes === undefined) return;
  await vscode.env.clipboard.writeText(Buffer.from(bytes).toString("utf8"));
  showConfirmation(vscode.l10n.t("The conversation was copied."));
}

async function piecesOf(conversation: Conversation, format: ExportFormat): Promise<Iterable<ExportPiece>> {
  if (format !== "html") return exportPieces(conversation, format, Date.now());
  const { htmlPieces } = await import("../../storage/export/htmlPieces.ts");
  return htmlPieces(conversation, vscode.env.language);
}

/** The whole text, with secrets masked if the user wants that; undefined if the user cancels. */
async function readExport(
  pieces: () => Promise<Iterable<ExportPiece>>,
  { title, ...buttons }: { readonly title: string; readonly mask: string; readonly keep: string },
): Promise<Uint8Array | undefined> {
  const findings = await withLateProgress(title, async (progress) => findSecrets(await pieces(), progress));
  const isMasked = findings?.length === 0 ? false : findings && (await asksToMask(findings, buttons));
  if (findings === undefined || isMasked === undefined) return undefined;
  return await withLateProgress(title, async (progress) => {
    const parts: Buffer[] = [];
    const isComplete = await forEachPiece(await pieces(), progress, async (piece) => {
      const text = isMasked ? piece.masked((part) => maskFindings(part, findings)) : piece.text();
      parts.push(Buffer.from(text));
    });
    return isComplete ? Buffer.concat(parts) : undefined;
  });
}

/** Whether the user wants secrets to be masked in what is written to a file; undefined if the user cancels. */
async function asksToMask(
  findings: readonly SecretFinding[],
  { mask, keep }: { readonly mask: string; readonly keep: string },
): Promise<boolean | undefined> {
  const question =
    findings.length === 1
      ? vscode.l10n.t("The conversation contains a value that looks like a secret.")
      : vscode.l10n.t(
          "The conversation contains {0} values that look like secrets.",
          formatNumber(findings.length),
        );
  const detail = findings
    .slice(0, 10)
    .map(({ kind, value }) => `${kind}: ${shortenSecret(value)}`)
    .join("\n");
  const picked = await showWarningMessage(question, { modal: true, detail }, mask, keep);
  return picked === undefined ? undefined : picked === mask;
}

/** Undefined if the user cancels. */
async function findSecrets(
  pieces: Iterable<ExportPiece>,
  progress: LateProgress,
): Promise<readonly SecretFinding[] | undefined> {
  const { findAllSecrets } = await import("../../core/account/secrets/scanSecrets.ts");
  const found = new Map<string, SecretFinding>();
  const isComplete = await forEachPiece(pieces, progress, async (piece, pause) => {
    for (const finding of await findAllSecrets(piece.searched(), pause)) found.set(finding.value, finding);
  });
  return isComplete ? distinctFindings([...found.values()]) : undefined;
}

/** Lets other work run in between. False if the user cancels. */
async function forEachPiece(
  pieces: Iterable<ExportPiece>,
  { isCanceled, report }: LateProgress,
  take: (piece: ExportPiece, pause: Pause) => Promise<void>,
): Promise<boolean> {
  const pause = createPause();
  let count = 0;
  for (const piece of pieces) {
    if (isCanceled()) return false;
    await take(piece, pause);
    count++;
    if (count % reportEvery === 0) report(vscode.l10n.t("{0} messages", formatNumber(count)));
    await pause();
  }
  return !isCanceled();
}
