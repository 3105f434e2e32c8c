import * as vscode from "vscode";
import {
  excludeGlobs,
  excludeRules,
  FolderRules,
  isSecretFile,
  joinGlobs,
  parseDiff,
  splitSecretFiles,
} from "../../../core/compose/context/excludeRules.ts";
import { passBoundary } from "../../shell/fileBoundary.ts";
import type { FileOrigin, ResolvedFile } from "../../shell/fileBoundary.ts";
import { exists, isMissing } from "../../shell/findFiles.ts";
import { showErrorMessage, showWarningMessage } from "../../shell/window.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";

/** Maximum number of parent folders searched for the root of the workspace's repository. */
const maxParents = 12;

/** Determines what Git ignores. Each file is read only once, so discard the instance after use. */
export class IgnoreFiles {
  /** By folder: its rules, and those of the folders above. */
  readonly #rules = new Map<string, Promise<FolderRules>>();
  readonly #roots = new Map<string, Promise<vscode.Uri>>();

  async isIgnored(uri: vscode.Uri): Promise<boolean> {
    const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
    if (folder === undefined || folder.path === uri.path) return false;
    const root = await this.#rootOf(folder);
    const path = uri.path.slice(root.path.replace(/\/$/, "").length + 1);
    return (await this.#rulesOf(root, folderOf(path))).ignores(path);
  }

  /** The folder that contains `.git`, otherwise the workspace folder. */
  #rootOf(folder: vscode.Uri): Promise<vscode.Uri> {
    const key = folder.toString();
    const root = this.#roots.get(key) ?? findRoot(folder);
    this.#roots.set(key, root);
    return root;
  }

  #rulesOf(root: vscode.Uri, folder: string): Promise<FolderRules> {
    const key = vscode.Uri.joinPath(root, folder).toString();
    const rules = this.#rules.get(key) ?? this.#read(root, folder);
    this.#rules.set(key, rules);
    return rules;
  }

  async #read(root: vscode.Uri, folder: string): Promise<FolderRules> {
    const above =
      folder === ""
        ? new FolderRules((await readFile(root, ".git/info/exclude")) ?? "")
        : await this.#rulesOf(root, folderOf(folder));
    const text = await readFile(root, folder, ".gitignore");
    return text === undefined ? above : new FolderRules(text, folder, above);
  }
}

/** Empty for what lies in the root. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

async function findRoot(folder: vscode.Uri): Promise<vscode.Uri> {
  let at = folder;
  for (let step = 0; step < maxParents; step++) {
    if (await exists(vscode.Uri.joinPath(at, ".git"))) return at;
    const parent = vscode.Uri.joinPath(at, "..");
    if (parent.path === at.path) break;
    at = parent;
  }
  return folder;
}

/** Undefined if the file doesn't exist. One that can't be read may ignore anything. */
async function readFile(root: vscode.Uri, ...names: readonly string[]): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, ...names)));
  } catch (error) {
    return isMissing(error) ? undefined : "*";
  }
}

/** Whether the explorer hides the file. */
function isHidden(uri: vscode.Uri): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (folder === undefined) return false;
  const globs = excludeGlobs(vscode.workspace.getConfiguration("files", uri).get("exclude"));
  const path = uri.path.slice(folder.uri.path.replace(/\/$/, "").length + 1);
  return excludeRules(globs).ignores(path);
}

/** Everything excluded from searches, as one glob. */
export function searchExclude(): string | undefined {
  return joinGlobs(searchGlobs());
}

/** Whether the file is excluded from searches. */
export function isOutOfSearch(path: string): boolean {
  return excludeRules(searchGlobs()).ignores(path);
}

function searchGlobs(): readonly string[] {
  const get = (section: string): unknown => vscode.workspace.getConfiguration(section).get("exclude");
  return excludeGlobs(get("files"), get("search"));
}

/**
 * The files that may be attached, with their links resolved. The user is asked about files outside the workspace, and
 * about those that contain secrets or are meant to stay hidden.
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

/**
 * The parts of these diffs that may be sent, in the same order: the user is asked once about all files that contain
 * secrets. Undefined if canceled, or if they can't be read.
 */
export async function guardDiffs(texts: readonly string[]): Promise<readonly string[] | undefined> {
  const diffs = texts.flatMap((text) => parseDiff(text) ?? []);
  if (diffs.length < texts.length) {
    void showErrorMessage(
      vscode.l10n.t("The changes weren't sent, because they aren't in the format of a Git diff."),
    );
    return undefined;
  }
  const split = diffs.map(splitSecretFiles);
  const secret = [...new Set(split.flatMap((diff) => diff.secret))];
  if (secret.length === 0) return diffs;
  const [leaveOut, send] = [vscode.l10n.t("Leave Out"), vscode.l10n.t("Send")];
  const answer = await showWarningMessage(
    secret.length === 1
      ? vscode.l10n.t("Send changes from a file that usually contains secrets?")
      : vscode.l10n.t(
          "Send changes from {0} files that usually contain secrets?",
          formatNumber(secret.length),
        ),
    { modal: true, detail: secret.join("\n") },
    // Enter presses the first button.
    leaveOut,
    send,
  );
  if (answer === undefined) return undefined;
  return answer === send ? diffs : split.map(({ others }) => others);
}

/** Whether a file may be attached if only its name is known. */
export async function guardForeignFile(name: string): Promise<boolean> {
  return !isSecretFile(name) || (await isWanted([secretDoubt(name)]));
}

async function isWanted(doubts: readonly (string | undefined)[]): Promise<boolean> {
  const attach = vscode.l10n.t("Attach");
  const answer = await showWarningMessage(
    doubts.length === 1
      ? vscode.l10n.t("Attach a file that usually contains secrets?")
      : vscode.l10n.t("Attach {0} files that usually contain secrets?", formatNumber(doubts.length)),
    { modal: true, detail: doubts.join("\n") },
    // Enter presses the first button.
    vscode.l10n.t("Don't Attach"),
    attach,
  );
  return answer === attach;
}

/** A link's name says nothing about its target, so both are checked. */
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
