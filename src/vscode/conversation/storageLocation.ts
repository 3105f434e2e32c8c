import * as vscode from "vscode";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { hasPrivateFile } from "../../storage/files/privateFile.ts";
import { remoteHostName, settingFolder } from "../shell/ownMachine.ts";
import { readSetting } from "../shell/settings.ts";

/** The folder that the user has chosen for the conversations; undefined if it is our own. */
export function chosenFolder(): string | undefined {
  const folder = settingFolder(readSetting("chat.storageFolder"));
  return folder === undefined || folder === "relative" ? undefined : folder.path;
}

/** The path of the database. */
export function conversationFile(storageUri: vscode.Uri): string {
  const folder = chosenFolder();
  return vscode.Uri.joinPath(folder === undefined ? storageUri : vscode.Uri.file(folder), "conversations.db")
    .fsPath;
}

/** Whether there may be conversations, without opening anything, and without waiting for a disk chosen by the user. */
export function hasConversations(storageUri: vscode.Uri): boolean {
  return chosenFolder() !== undefined || hasPrivateFile(conversationFile(storageUri));
}

/** Where the conversations are, in a few words, unless they are in the default location. */
export function storageLabel(): string | undefined {
  const host = remoteHostName();
  if (host !== undefined) return vscode.l10n.t("stored on {0}", sanitizeLabel(host, 60));
  const folder = chosenFolder();
  return folder === undefined ? undefined : vscode.l10n.t("stored in {0}", sanitizeLabel(folder, 60));
}
