import * as vscode from "vscode";
import { isSecretFile } from "../../../core/compose/context/secretFile.ts";
import { passBoundary } from "../../shell/fileBoundary.ts";
import type { FileOrigin, ResolvedFile } from "../../shell/fileBoundary.ts";
import { IgnoreFiles, isHidden } from "./ignoreFiles.ts";
import { showWarningMessage } from "../../shell/window.ts";

/**
 * The files that may be attached, with where their links lead: the user is asked about those outside the workspace, and
 * about those that hold secrets or are meant to stay out of sight.
 */
export async function guardFiles(
  uris: readonly vscode.Uri[],
  origin: FileOrigin,
): Promise<readonly ResolvedFile[]> {
  const files = await passBoundary(uris, origin);
  const ignored = new IgnoreFiles();
  const doubts = await Promise.all(
    files.map(async (file) => ({ file, doubt: await findDoubt(file, ignored) })),
  );
  const doubtful = doubts.filter(({ doubt }) => doubt !== undefined);
  if (doubtful.length === 0 || (await isWanted(doubtful.map(({ doubt }) => doubt)))) return files;
  return doubts.filter(({ doubt }) => doubt === undefined).map(({ file }) => file);
}

/** Whether a file of which only the name is known may be attached. */
export async function guardForeignFile(name: string): Promise<boolean> {
  return !isSecretFile(name) || (await isWanted([secretDoubt(name)]));
}

async function isWanted(doubts: readonly (string | undefined)[]): Promise<boolean> {
  const attach = vscode.l10n.t("Attach");
  const answer = await showWarningMessage(
    doubts.length === 1
      ? vscode.l10n.t("Attach a file that usually contains secrets?")
      : vscode.l10n.t("Attach {0} files that usually contain secrets?", doubts.length),
    { modal: true, detail: doubts.join("\n") },
    // The first button is the one that Enter presses.
    vscode.l10n.t("Don't Attach"),
    attach,
  );
  return answer === attach;
}

/** What a link is called says nothing of what it leads to: both are looked at. */
async function findDoubt({ uri, real }: ResolvedFile, ignored: IgnoreFiles): Promise<string | undefined> {
  const isSame = uri.toString() === real.toString();
  return (await findDoubtOf(uri, ignored)) ?? (isSame ? undefined : await findDoubtOf(real, ignored));
}

async function findDoubtOf(uri: vscode.Uri, ignored: IgnoreFiles): Promise<string | undefined> {
  const name = vscode.workspace.asRelativePath(uri);
  if (isSecretFile(uri.path)) return secretDoubt(name);
  if (await ignored.isIgnored(uri)) return vscode.l10n.t("{0} is ignored by Git.", name);
  return isHidden(uri) ? vscode.l10n.t("{0} is hidden by the setting files.exclude.", name) : undefined;
}

function secretDoubt(name: string): string {
  return vscode.l10n.t("{0} looks like a file with keys or passwords.", name);
}
