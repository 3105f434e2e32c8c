import { existsSync } from "node:fs";
import * as vscode from "vscode";
import type { ConversationStore } from "../../core/conversationStore.ts";
import { ServiceError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { showWarningMessage } from "../window.ts";

export interface StorePlace {
  readonly storageUri: vscode.Uri;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
}

function conversationFile(storageUri: vscode.Uri): string {
  return vscode.Uri.joinPath(storageUri, "conversations.db").fsPath;
}

/** Whether there may be conversations, without opening anything. */
export function hasConversations(storageUri: vscode.Uri): boolean {
  return existsSync(conversationFile(storageUri));
}

/** Opens the conversations on disk. Where that can't be done the user is told, and chats go on in memory. */
export async function openStore({ storageUri, extensionUri, log }: StorePlace): Promise<ConversationStore> {
  const onProblem = (sentence: string): void => {
    log.error(sentence);
    void showWarningMessage(sentence);
  };
  try {
    const { openConversationStore } = await import("../../storage/openConversationStore.ts");
    return await openConversationStore(conversationFile(storageUri), {
      now: () => Date.now(),
      onProblem,
      vacuumThread: vscode.Uri.joinPath(extensionUri, "dist", "vacuumThread.js").fsPath,
    });
  } catch (error) {
    const reason =
      error instanceof ServiceError
        ? error.message
        : vscode.l10n.t("The conversations on disk can't be opened.");
    onProblem(vscode.l10n.t("{0} Chats are kept in memory only until this window closes.", reason));
    const { VolatileConversationStore } = await import("../../core/volatileConversationStore.ts");
    return new VolatileConversationStore();
  }
}
