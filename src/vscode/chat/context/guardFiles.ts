import * as vscode from "vscode";
import { isSecretFile } from "../../../core/context/secretFile.ts";
import { IgnoreFiles, isHidden } from "./ignoreFiles.ts";
import { showWarningMessage } from "../../window.ts";

/** The files that may be attached: the user is asked about those that hold secrets or are meant to stay out of sight. */
export async function guardFiles(uris: readonly vscode.Uri[]): Promise<readonly vscode.Uri[]> {
  const ignored = new IgnoreFiles();
  const doubts = await Promise.all(uris.map(async (uri) => ({ uri, doubt: await findDoubt(uri, ignored) })));
  const doubtful = doubts.filter(({ doubt }) => doubt !== undefined);
  if (doubtful.length === 0 || (await isWanted(doubtful.map(({ doubt }) => doubt)))) return uris;
  return doubts.filter(({ doubt }) => doubt === undefined).map(({ uri }) => uri);
}

/** Whether a file of which only the name is known may be attached. */
export async function guardForeignFile(name: string): Promise<boolean> {
  return !isSecretFile(name) || (await isWanted([secretDoubt(name)]));
}

async function isWanted(doubts: readonly (string | undefined)[]): Promise<boolean> {
  const attach = vscode.l10n.t("Attach");
  const answer = await showWarningMessage(
    doubts.length === 1
      ? vscode.l10n.t("Attach a file that is usually kept private?")
      : vscode.l10n.t("Attach {0} files that are usually kept private?", doubts.length),
    { modal: true, detail: doubts.join("\n") },
    attach,
  );
  return answer === attach;
}

async function findDoubt(uri: vscode.Uri, ignored: IgnoreFiles): Promise<string | undefined> {
  const name = vscode.workspace.asRelativePath(uri);
  if (isSecretFile(uri.path)) return secretDoubt(name);
  if (await ignored.isIgnored(uri)) return vscode.l10n.t("{0} is ignored by Git.", name);
  return isHidden(uri) ? vscode.l10n.t("{0} is hidden by the setting files.exclude.", name) : undefined;
}

function secretDoubt(name: string): string {
  return vscode.l10n.t("{0} looks like a file with keys or passwords.", name);
}
