import * as vscode from "vscode";
import { posix } from "node:path";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { isWithin, realTarget } from "../../storage/files/realTarget.ts";
import { openTexts } from "./lastEditor.ts";
import { settingFolder } from "./ownMachine.ts";
import { confirmRisk } from "./window.ts";

/**
 * The origin of a request for a file: `chosen` in VS Code's own interface (a file dialog, an explorer menu, an editor),
 * or by a `page` or a prompt file, neither of which is trusted.
 */
export type FileOrigin = "chosen" | "page";

/** A file and the target of its links. */
export interface ResolvedFile {
  /** As it was requested. */
  readonly uri: vscode.Uri;
  /** After resolving all symbolic links. Inside a workspace folder, it starts with the folder's own path. */
  readonly real: vscode.Uri;
  /** Whether its target is in the workspace or in the user's own folder of prompts. */
  readonly isInside: boolean;
  /** Whether its name is inside but its target isn't, or isn't known. */
  readonly leavesWorkspace: boolean;
  /** The link on the way to the file whose target isn't known; undefined if there is none. */
  readonly unknownLink?: vscode.Uri;
}

/** Files outside the workspace that the user has allowed in this window, by their resolved URIs. */
const allowed = new Set<string>();

/** Maximum number of files listed in the dialog. No one would read more of them before agreeing. */
const maxListed = 15;

/**
 * The files that may be read. Those inside the workspace are always allowed, and so are files outside it that the user
 * has chosen in VS Code. The user is asked about the others, and about links that lead out of the workspace unnoticed.
 */
export async function passBoundary(
  uris: readonly vscode.Uri[],
  origin: FileOrigin,
): Promise<readonly ResolvedFile[]> {
  const files = await Promise.all(uris.map(resolveFile));
  const isDoubtful = (file: ResolvedFile): boolean => !mayRead(file, origin);
  const doubtful = files.filter(isDoubtful);
  if (doubtful.length === 0) return files;
  if (await isAllowed(doubtful, readAction())) {
    for (const { real } of doubtful) allowed.add(real.toString());
    return files;
  }
  return files.filter((file) => !doubtful.includes(file));
}

/** Whether the file is inside or was allowed before. Doesn't ask the user. */
export async function isWithinBoundary(uri: vscode.Uri): Promise<boolean> {
  const file = await resolveFile(uri);
  return file.isInside || allowed.has(file.real.toString());
}

/** Whether the file may be opened in an editor. The user is asked about files outside the workspace. */
export async function mayOpenFile(uri: vscode.Uri): Promise<boolean> {
  const file = await resolveFile(uri);
  return file.isInside || (await isAllowed([file], openAction()));
}

/**
 * Resolves the links of a file URI. Outside the workspace, it never accesses the network. File systems other than that
 * of this machine report that there is a link, but not its target, so any link counts as leaving the workspace.
 */
export async function resolveFile(requested: vscode.Uri): Promise<ResolvedFile> {
  const uri = withoutDots(requested);
  const roots = trustedRoots();
  const isNamedInside = roots.some((root) => isNamedWithin(uri, root));
  const outside = { uri, real: uri, isInside: false, leavesWorkspace: isNamedInside };
  if (uri.scheme !== "file") {
    const link = isNamedInside ? await findLink(uri) : undefined;
    if (link !== undefined) return { ...outside, unknownLink: link };
    return { ...outside, isInside: isNamedInside, leavesWorkspace: false };
  }
  if (uri.authority !== "" && !isNamedInside) return outside;
  const target = await realTarget(uri.fsPath).catch(() => undefined);
  if (target === undefined) return outside;
  for (const root of roots.filter(({ scheme }) => scheme === "file")) {
    const realRoot = await realTarget(root.fsPath).catch(() => root.fsPath);
    if (!isWithin(target, realRoot)) continue;
    const rest = target.slice(realRoot.length).replaceAll("\\", "/");
    return { uri, real: vscode.Uri.joinPath(root, rest), isInside: true, leavesWorkspace: false };
  }
  return { ...outside, real: vscode.Uri.file(target) };
}

/**
 * Where a change to the file would be written; undefined if a link leads out of the workspace and the user declines.
 */
export async function passBoundaryForWriting(uri: vscode.Uri): Promise<vscode.Uri | undefined> {
  const file = await resolveFile(uri);
  if (!file.leavesWorkspace) return uri;
  return (await isAllowed([file], writeAction())) ? file.real : undefined;
}

/** Folders between a workspace folder and a file, beyond which a path counts as a link instead of being checked. */
const maxDepth = 100;

/** Shows files that are outside the workspace, with their actual locations, and lets the user decide. */
async function isAllowed(files: readonly ResolvedFile[], action: BoundaryAction): Promise<boolean> {
  const lines = files.slice(0, maxListed).map(describe);
  const more = files.length - lines.length;
  const rest = more > 0 ? [vscode.l10n.t("… and {0} more", formatNumber(more))] : [];
  const detail = [...lines, ...rest].join("\n");
  const { question, ...buttons } = action;
  return confirmRisk({ question: question(files.length), detail, ...buttons });
}

interface BoundaryAction {
  question(count: number): string;
  readonly accept: string;
  readonly decline: string;
}

function readAction(): BoundaryAction {
  return {
    question: (count) =>
      count === 1
        ? vscode.l10n.t("Read a file from outside the workspace?")
        : vscode.l10n.t("Read {0} files from outside the workspace?", formatNumber(count)),
    accept: vscode.l10n.t("Read and Attach"),
    decline: vscode.l10n.t("Don't Read"),
  };
}

function openAction(): BoundaryAction {
  return {
    question: () => vscode.l10n.t("Open a file from outside the workspace?"),
    accept: vscode.l10n.t("Open File"),
    decline: vscode.l10n.t("Don't Open"),
  };
}

function writeAction(): BoundaryAction {
  return {
    question: () => vscode.l10n.t("Apply the code to a file outside the workspace?"),
    accept: vscode.l10n.t("Show Changes"),
    decline: vscode.l10n.t("Don't Apply"),
  };
}

function describe({ uri, real, unknownLink }: ResolvedFile): string {
  const path = (address: vscode.Uri): string => sanitizeLabel(pathOf(address), 400);
  if (unknownLink !== undefined)
    return vscode.l10n.t(
      "{0} is reached through the link {1}, whose target VS Code doesn't report for this file system",
      path(uri),
      path(unknownLink),
    );
  return uri.toString() === real.toString()
    ? path(real)
    : vscode.l10n.t("{0} is a link to {1}", path(uri), path(real));
}

function pathOf(uri: vscode.Uri): string {
  return uri.scheme === "file" ? uri.fsPath : uri.toString(true);
}

function mayRead({ uri, real, isInside, leavesWorkspace }: ResolvedFile, origin: FileOrigin): boolean {
  if (isInside || allowed.has(real.toString())) return true;
  if (leavesWorkspace) return false;
  return origin === "chosen" || uri.scheme === "untitled" || isOpen(uri);
}

/** Files in tabs were opened by the user: pages can't open anything outside the workspace. */
function isOpen(uri: vscode.Uri): boolean {
  const isSame = (open: vscode.Uri): boolean => open.toString() === uri.toString();
  const visible = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
  return openTexts().some((open) => isSame(open.uri)) || visible.some(isSame);
}

function trustedRoots(): readonly vscode.Uri[] {
  const own = ownPromptFolder();
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  return own === undefined ? folders : [...folders, own];
}

function isNamedWithin(uri: vscode.Uri, root: vscode.Uri): boolean {
  if (vscode.workspace.getWorkspaceFolder(uri) !== undefined) return true;
  if (uri.scheme !== root.scheme || uri.authority !== root.authority) return false;
  return uri.scheme === "file" && isWithin(uri.fsPath, root.fsPath);
}

/** The first link on the way from the workspace folder to the file, or the file itself if it is one. */
async function findLink(uri: vscode.Uri): Promise<vscode.Uri | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  if (root === undefined) return undefined;
  const path = uri.path.slice(root.path.length);
  const names = path.split("/").filter((name) => name !== "");
  // To a remote machine with Windows, `\\` is a separator, after which `..` leads out of the folder.
  if (names.length > maxDepth || path.includes("\\")) return uri;
  const steps = names.map((_, count) => vscode.Uri.joinPath(root, ...names.slice(0, count + 1)));
  const links = await Promise.all(steps.map(isLink));
  return steps.find((_, step) => links[step]);
}

async function isLink(uri: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(uri).then(
    ({ type }) => (type & vscode.FileType.SymbolicLink) !== 0,
    () => false,
  );
}

/** `..` would lead out of a workspace folder whose path the address starts with. The local file system resolves it. */
function withoutDots(uri: vscode.Uri): vscode.Uri {
  const isPlain = uri.scheme === "file" || !/\/\.{0,2}(?:\/|$)/.test(uri.path);
  return isPlain ? uri : uri.with({ path: posix.normalize(uri.path) });
}

/** The user's own folder; undefined if the setting is empty. */
export function ownPromptFolder(): vscode.Uri | undefined {
  const setting: unknown = vscode.workspace.getConfiguration("inferenceGateway").get("chat.promptFolder");
  const folder = settingFolder(setting);
  if (folder === undefined || folder === "relative") return undefined;
  // A network share would be accessed each time `/` is typed.
  return /^[\\/]{2}/.test(folder.path) ? undefined : vscode.Uri.file(folder.path);
}
