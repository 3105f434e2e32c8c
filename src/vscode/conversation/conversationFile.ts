import * as vscode from "vscode";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import type { Log } from "../../core/kernel/log.ts";
import { hasPrivateFile } from "../../storage/files/privateFile.ts";
import { remoteHostName } from "../shell/ownMachine.ts";
import { showWarningMessage } from "../shell/window.ts";
import { conversationFile } from "./storageLocation.ts";

interface StoreLocation {
  readonly storageUri: vscode.Uri;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
}

/** Shows the file with the conversations in the file manager, or its path if it is on another machine. */
export async function revealStorage(storageUri: vscode.Uri): Promise<void> {
  const file = conversationFile(storageUri);
  const host = remoteHostName();
  if (host === undefined) {
    const target = hasPrivateFile(file)
      ? vscode.Uri.file(file)
      : vscode.Uri.joinPath(vscode.Uri.file(file), "..");
    await vscode.commands.executeCommand("revealFileInOS", target);
    return;
  }
  const copy = vscode.l10n.t("Copy Path");
  const message = vscode.l10n.t(
    "This window isn't connected to VS Code on your own machine, so conversations are stored on {0}: {1}. Export the ones that you want to keep before that machine is released.",
    sanitizeLabel(host, 100),
    file,
  );
  if ((await showWarningMessage(message, copy)) === copy) await vscode.env.clipboard.writeText(file);
}

/**
 * Opens the conversations on disk. While that fails, chats continue, and it is tried again.
 * @param onTrouble Called with the reason while nothing can be stored, and with undefined once it can.
 */
export async function openStore(
  { storageUri, extensionUri, log }: StoreLocation,
  onTrouble: (sentence: string | undefined) => void,
): Promise<ConversationStore> {
  const { SqliteConversationStore } = await import("../../storage/conversations/conversationStore.ts");
  return new SqliteConversationStore(conversationFile(storageUri), {
    now: () => Date.now(),
    thread: vscode.Uri.joinPath(extensionUri, "dist", "storageThread.cjs").fsPath,
    onProblem(sentence) {
      log.error(sentence);
      void showProblem(sentence, storageUri);
    },
    // The chats show it until it is over.
    onTrouble(sentence) {
      if (sentence === undefined) log.info("Conversations are being saved again.");
      else log.error(sentence);
      onTrouble(sentence);
    },
  });
}

async function showProblem(sentence: string, storageUri: vscode.Uri): Promise<void> {
  const show = vscode.l10n.t("Show Folder");
  if ((await showWarningMessage(sentence, show)) === show) await revealStorage(storageUri);
}
