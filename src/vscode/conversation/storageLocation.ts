import * as vscode from "vscode";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { hasPrivateFile } from "../../storage/files/privateFile.ts";
import { remoteHostName } from "../shell/ownMachine.ts";

/** The path of the database. */
export function conversationFile(storageUri: vscode.Uri): string {
  return vscode.Uri.joinPath(storageUri, "conversations.db").fsPath;
}

/** Whether there may be conversations, without opening anything. */
export function hasConversations(storageUri: vscode.Uri): boolean {
  return hasPrivateFile(conversationFile(storageUri));
}

/** Where the conversations are, in a few words, unless they are on the user's own machine. */
export function storageLabel(): string | undefined {
  const host = remoteHostName();
  return host === undefined ? undefined : vscode.l10n.t("stored on {0}", sanitizeLabel(host, 60));
}
