import * as vscode from "vscode";
import type { ConversationArchive } from "../../core/conversation/conversationStore.ts";
import type { Log } from "../../core/kernel/log.ts";
import { hasPrivateFile } from "../../storage/files/privateFile.ts";
import { showWarningMessage } from "../shell/window.ts";

export interface StoreLocation {
  readonly storageUri: vscode.Uri;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
}

/** The path of the database. */
export function conversationFile(storageUri: vscode.Uri): string {
  return vscode.Uri.joinPath(storageUri, "conversations.db").fsPath;
}

/** Whether there may be conversations, without opening anything. */
export function hasConversations(storageUri: vscode.Uri): boolean {
  return hasPrivateFile(conversationFile(storageUri));
}

/**
 * Opens the conversations on disk. If that fails, chats continue in memory, and opening is retried.
 * @param onTrouble Called with the reason while nothing can be stored, and with undefined once it can.
 */
export async function openStore(
  { storageUri, extensionUri, log }: StoreLocation,
  onTrouble: (sentence: string | undefined) => void,
): Promise<ConversationArchive> {
  const onProblem = (sentence: string): void => {
    log.error(sentence);
    void showProblem(sentence, storageUri);
  };
  let isNotified = false;
  const onChanged = (sentence: string | undefined): void => {
    if (sentence !== undefined && !isNotified) onProblem(sentence);
    if (sentence === undefined && isNotified) log.info(vscode.l10n.t("Conversations are being saved again."));
    isNotified = sentence !== undefined;
    onTrouble(sentence);
  };
  const { openConversationStore } = await import("../../storage/conversations/openConversationStore.ts");
  const { RetryingConversationStore } =
    await import("../../storage/conversations/retryingConversationStore.ts");
  const store = new RetryingConversationStore({
    open: () =>
      openConversationStore(conversationFile(storageUri), {
        now: () => Date.now(),
        onProblem,
        onTrouble,
        recoveryThread: vscode.Uri.joinPath(extensionUri, "dist", "recoveryThread.js").fsPath,
        vacuumThread: vscode.Uri.joinPath(extensionUri, "dist", "vacuumThread.js").fsPath,
      }),
    onTrouble: onChanged,
  });
  await store.start();
  return store;
}

async function showProblem(sentence: string, storageUri: vscode.Uri): Promise<void> {
  const show = vscode.l10n.t("Show Folder");
  if ((await showWarningMessage(sentence, show)) === show)
    await vscode.commands.executeCommand("revealFileInOS", vscode.Uri.file(conversationFile(storageUri)));
}
