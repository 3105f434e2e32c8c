import * as vscode from "vscode";
import type { ConversationArchive } from "../../core/conversation/conversationStore.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { StoreOptions } from "../../storage/conversations/storeOptions.ts";
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
 * Opens the conversations on disk. If that fails, chats continue in memory, and opening is retried.
 * @param onTrouble Called with the reason while nothing can be stored, and with undefined once it can.
 */
export async function openStore(
  location: StoreLocation,
  onTrouble: (sentence: string | undefined) => void,
): Promise<ConversationArchive> {
  const { storageUri, extensionUri, log } = location;
  const onProblem = (sentence: string): void => {
    log.error(sentence);
    void showProblem(sentence, storageUri);
  };
  let isNotified = false;
  const options: StoreOptions = {
    now: () => Date.now(),
    onProblem,
    onTrouble,
    recoveryThread: vscode.Uri.joinPath(extensionUri, "dist", "recoveryThread.cjs").fsPath,
    vacuumThread: vscode.Uri.joinPath(extensionUri, "dist", "vacuumThread.cjs").fsPath,
  };
  const { RetryingConversationStore } =
    await import("../../storage/conversations/retryingConversationStore.ts");
  const store = new RetryingConversationStore({
    async open() {
      const { openConversationStore } = await import("../../storage/conversations/openConversationStore.ts");
      return await openConversationStore(conversationFile(storageUri), options);
    },
    // The user is notified once about each period in which the conversations can't be stored.
    onTrouble(sentence) {
      if (sentence !== undefined && !isNotified) onProblem(sentence);
      if (sentence === undefined && isNotified)
        log.info(vscode.l10n.t("Conversations are being saved again."));
      isNotified = sentence !== undefined;
      onTrouble(sentence);
    },
  });
  await store.start();
  return store;
}

async function showProblem(sentence: string, storageUri: vscode.Uri): Promise<void> {
  const show = vscode.l10n.t("Show Folder");
  if ((await showWarningMessage(sentence, show)) === show) await revealStorage(storageUri);
}
