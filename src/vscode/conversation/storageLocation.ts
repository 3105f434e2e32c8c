import * as vscode from "vscode";
import { hasPrivateFile } from "../../storage/files/privateFile.ts";

/** The path of the database. */
export function conversationFile(storageUri: vscode.Uri): string {
  return vscode.Uri.joinPath(storageUri, "conversations.db").fsPath;
}

/** Whether there may be conversations, without opening anything. */
export function hasConversations(storageUri: vscode.Uri): boolean {
  return hasPrivateFile(conversationFile(storageUri));
}
