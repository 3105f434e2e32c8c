import * as vscode from "vscode";
import { distinctFindings, maskFindings, shortenSecret } from "../../core/compose/send/secretFinding.ts";
import type { SecretFinding } from "../../core/account/secrets/secretValue.ts";
import type { Conversation } from "../../core/conversation/conversation.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import type { Pause } from "../../core/kernel/pause.ts";
import {
  exportFileName,
  exportPieces,
  formatTime,
  searchedTexts,
} from "../../core/library/history/exportPieces.ts";
import type { ExportFormat, TextMask } from "../../core/library/history/exportPieces.ts";
import { exportFolder, remoteHostName, writeOnOwnMachine } from "../shell/ownMachine.ts";
import { createPause } from "../shell/pause.ts";
import {
  showConfirmation,
  showErrorMessage,
  showInformationMessage,
  showQuickPick,
  showWarningMessage,
  withLateProgress,
} from "../shell/window.ts";
import type { LateProgress } from "../shell/window.ts";
import { messageOf } from "../../core/kernel/thrown.ts";

/** Messages or conversations between two updates of the progress. */
const reportEvery = 100;

const fileTypes: Readonly<Record<ExportFormat, string>> = { md: "Markdown", json: "JSON" };

/** Asks for the format, and saves or copies the conversation. */
export async function exportConversation(conversation: Conversation): Promise<void> {
  const items = [
    ...(["md", "json"] as const).map((format) => ({
      label: fileTypes[format],
      run: () => saveExport(conversation, format),
    })),
    { label: vscode.l10n.t("Copy as Markdown"), run: () => copyAsMarkdown(conversation) },
  ];
  const title = vscode.l10n.t("Export Conversation");
  await (await showQuickPick(items, { title }))?.run();
}

/** Asks for a location and writes the file in slices. The notification opens it. */
async function saveExport(conversation: Conversation, format: ExportFormat): Promise<void> {
  const { findAllSecrets } = await import("../../core/account/secrets/scanSecrets.ts");
  const { title } = conversation;
  const name = exportFileName(maskFindings(title, await findAllSecrets(title, createPause())), format);
  const file = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(exportFolder(), name),
    filters: { [fileTypes[format]]: [format] },
    title: vscode.l10n.t("Export Conversation"),
  });
  if (file === undefined) return;
  const bytes = await readExport(conversation, format, {
    title: vscode.l10n.t("Exporting conversation…"),
    ...fileButtons(),
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
    if (response === open) void vscode.window.showTextDocument(file);
  });
}

/**
 * Asks for a location and writes all conversations into one archive, which an import reads on another machine. Only one
 * of them is in memory at a time. The notification shows the archive in its folder.
 */
export async function saveAllConversations(store: ConversationStore): Promise<void> {
  const name = `inference-gateway-conversations-${formatTime(Date.now()).slice(0, "2026-11-21".length)}.zip`;
  const file = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(exportFolder(), name),
    filters: { [vscode.l10n.t("Archive")]: ["zip"] },
    title: vscode.l10n.t("Export All Conversations"),
  });
  if (file === undefined) return;
  try {
    const findings = await withLateProgress(
      vscode.l10n.t("Checking conversations for secrets…"),
      (progress) => findInAll(store, progress),
    );
    const isMasked = findings && (await asksToMask(findings, "all", fileButtons()));
    if (isMasked === undefined) return;
    const isWritten = await withLateProgress(vscode.l10n.t("Exporting conversations…"), (progress) =>
      writeOnOwnMachine(file, async (path) => {
        const { writeArchive } = await import("../../processes/library/writeArchive.ts");
        return writeArchive(path, textsOfAll(store, isMasked, progress), progress.signal);
      }),
    );
    if (!isWritten) return;
  } catch (error) {
    const reason = messageOf(error);
    void showErrorMessage(vscode.l10n.t("The conversations couldn't be exported. {0}", reason));
    return;
  }
  const isHere = file.scheme === "file" && remoteHostName() === undefined;
  const show = vscode.l10n.t("Show Folder");
  const message = vscode.l10n.t(
    "The conversations were exported to {0}.",
    vscode.workspace.asRelativePath(file),
  );
  void showInformationMessage(message, ...(isHere ? [show] : [])).then((response) => {
    if (response === show) void vscode.commands.executeCommand("revealFileInOS", file);
  });
}

/** The different secrets in all conversations; undefined if the user cancels. */
async function findInAll(
  store: ConversationStore,
  progress: LateProgress,
): Promise<readonly SecretFinding[] | undefined> {
  const found = new Map<string, SecretFinding>();
  for await (const conversation of loadAll(store, progress))
    for (const finding of (await findIn(conversation, progress)) ?? []) found.set(finding.value, finding);
  return progress.signal.aborted ? undefined : [...found.values()];
}

/** Undefined if the user cancels. */
function findIn(
  conversation: Conversation,
  { signal }: LateProgress,
): Promise<readonly SecretFinding[] | undefined> {
  return findSecrets(searchedTexts(conversation, "archive"), { signal, report: () => undefined });
}

/** Each conversation is searched again before it is masked, because it may have changed since. */
async function* textsOfAll(
  store: ConversationStore,
  isMasked: boolean,
  progress: LateProgress,
): AsyncGenerator<Iterable<string>> {
  for await (const conversation of loadAll(store, progress)) {
    const masked = isMasked ? await findIn(conversation, progress) : [];
    if (masked !== undefined) yield exportPieces(conversation, "archive", Date.now(), maskOf(masked));
  }
}

function maskOf(findings: readonly SecretFinding[]): TextMask | undefined {
  return findings.length === 0 ? undefined : (text) => maskFindings(text, findings);
}

/** Loads one conversation after the other, until the user cancels. */
async function* loadAll(
  store: ConversationStore,
  { signal, report }: LateProgress,
): AsyncGenerator<Conversation> {
  const pause = createPause();
  const list = store.list();
  for (const [index, { id }] of list.entries()) {
    if (signal.aborted) return;
    if (index % reportEvery === 0)
      report(vscode.l10n.t("{0} of {1} conversations", formatNumber(index), formatNumber(list.length)));
    const conversation = await store.loadOnceUnlocked(id);
    if (conversation !== undefined) yield conversation;
    await pause();
  }
}

/** Puts the conversation into the clipboard as Markdown; images and audio are only named. */
async function copyAsMarkdown(conversation: Conversation): Promise<void> {
  const bytes = await readExport(conversation, "text", {
    title: vscode.l10n.t("Copying conversation…"),
    mask: vscode.l10n.t("Mask and Copy"),
    keep: vscode.l10n.t("Copy with Secrets"),
  });
  if (bytes === undefined) return;
  await vscode.env.clipboard.writeText(Buffer.from(bytes).toString("utf8"));
  showConfirmation(vscode.l10n.t("The conversation was copied."));
}

/** The whole text, with secrets masked if the user wants that; undefined if the user cancels. */
async function readExport(
  conversation: Conversation,
  format: ExportFormat | "text",
  { title, ...buttons }: MaskButtons & { readonly title: string },
): Promise<Uint8Array | undefined> {
  const findings = await withLateProgress(title, (progress) =>
    findSecrets(searchedTexts(conversation, format), progress),
  );
  const isMasked = findings && (await asksToMask(findings, "one", buttons));
  if (findings === undefined || isMasked === undefined) return undefined;
  return await withLateProgress(title, async (progress) => {
    const parts: Buffer[] = [];
    const pieces = exportPieces(conversation, format, Date.now(), maskOf(isMasked ? findings : []));
    const isComplete = await forEachPiece(pieces, progress, async (piece) => {
      parts.push(Buffer.from(piece));
    });
    return isComplete ? Buffer.concat(parts) : undefined;
  });
}

/** The buttons of `asksToMask`. */
interface MaskButtons {
  readonly mask: string;
  readonly keep: string;
}

function fileButtons(): MaskButtons {
  return { mask: vscode.l10n.t("Mask and Export"), keep: vscode.l10n.t("Export with Secrets") };
}

/** What is asked about secrets: in one, or in several. */
function maskQuestion(count: number, where: "one" | "all"): string {
  if (where === "one")
    return count === 1
      ? vscode.l10n.t("The conversation contains a value that looks like a secret.")
      : vscode.l10n.t("The conversation contains {0} values that look like secrets.", formatNumber(count));
  return count === 1
    ? vscode.l10n.t("The conversations contain a value that looks like a secret.")
    : vscode.l10n.t("The conversations contain {0} values that look like secrets.", formatNumber(count));
}

/** Whether the user wants secrets to be masked in what leaves the conversations; undefined if the user cancels. */
async function asksToMask(
  findings: readonly SecretFinding[],
  where: "one" | "all",
  { mask, keep }: MaskButtons,
): Promise<boolean | undefined> {
  if (findings.length === 0) return false;
  const detail = findings
    .slice(0, 10)
    .map(({ kind, value }) => `${kind}: ${shortenSecret(value)}`)
    .join("\n");
  const question = maskQuestion(findings.length, where);
  const picked = await showWarningMessage(question, { modal: true, detail }, mask, keep);
  return picked === undefined ? undefined : picked === mask;
}

/** Undefined if the user cancels. */
async function findSecrets(
  texts: Iterable<string>,
  progress: LateProgress,
): Promise<readonly SecretFinding[] | undefined> {
  const { findAllSecrets } = await import("../../core/account/secrets/scanSecrets.ts");
  const found = new Map<string, SecretFinding>();
  const isComplete = await forEachPiece(texts, progress, async (text, pause) => {
    for (const finding of await findAllSecrets(text, pause)) found.set(finding.value, finding);
  });
  return isComplete ? distinctFindings([...found.values()]) : undefined;
}

/** Lets other work run in between. False if the user cancels. */
async function forEachPiece(
  pieces: Iterable<string>,
  { signal, report }: LateProgress,
  take: (piece: string, pause: Pause) => Promise<void>,
): Promise<boolean> {
  const pause = createPause();
  let count = 0;
  for (const piece of pieces) {
    if (signal.aborted) return false;
    await take(piece, pause);
    count++;
    if (count % reportEvery === 0) report(vscode.l10n.t("{0} messages", formatNumber(count)));
    await pause();
  }
  return !signal.aborted;
}
