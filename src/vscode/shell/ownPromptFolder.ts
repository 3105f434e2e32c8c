import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";

/** The user's own folder; undefined where the setting names none. */
export function ownPromptFolder(): vscode.Uri | undefined {
  const setting: unknown = vscode.workspace.getConfiguration("inferenceGateway").get("chat.promptFolder");
  if (typeof setting !== "string" || setting.trim() === "") return undefined;
  const path = setting.trim().replace(/^~(?=$|[\\/])/, homedir());
  // A network share would be asked each time that `/` is typed.
  return isAbsolute(path) && !/^[\\/]{2}/.test(path) ? vscode.Uri.file(join(path)) : undefined;
}
