import { t } from "@vscode/l10n";
import { formatNumber } from "../../kernel/formatTime.ts";

/** A file, folder or symbolic link that is transferred, on either side. */
export interface FileFacts {
  /** Relative to the folder that is transferred, with slashes. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly size: number;
  /** In whole seconds since 1970, because archives don't store more. */
  readonly modifiedAt: number;
  /** The permissions. */
  readonly mode: number;
  /** Where a link leads. */
  readonly target?: string;
}

/** What a transfer would do to the files on the other side. */
export interface FileComparison {
  /** What is transferred: what isn't there, or differs. */
  readonly entries: readonly FileFacts[];
  /** The paths of those that replace something. */
  readonly replaced: readonly string[];
  /** The paths of those that replace something newer. */
  readonly newer: readonly string[];
  /** Paths at which there is something of another kind, which is never replaced. */
  readonly conflicts: readonly string[];
}

/** Seconds by which file systems round times. */
const roundedSeconds = 2;

/** Whether they are the same file, judged as other tools do: by size and time. */
export function isSameFile(first: FileFacts, second: FileFacts): boolean {
  if (first.kind !== second.kind) return false;
  if (first.kind !== "file") return first.kind === "folder" || first.size === second.size;
  return first.size === second.size && Math.abs(first.modifiedAt - second.modifiedAt) <= roundedSeconds;
}

/** Whether an earlier attempt has transferred all of it: a file has its time only then. */
export function isComplete({ kind, size, modifiedAt }: FileFacts, there: FileFacts | undefined): boolean {
  return (
    there?.kind === kind && (kind !== "file" || (there.size === size && there.modifiedAt === modifiedAt))
  );
}

/** Compares what is to be transferred with what is at the same paths on the other side. */
export function compareFiles(
  source: readonly FileFacts[],
  existing: ReadonlyMap<string, FileFacts>,
): FileComparison {
  const entries: FileFacts[] = [];
  const replaced: string[] = [];
  const newer: string[] = [];
  const conflicts: string[] = [];
  for (const entry of source) {
    const there = existing.get(entry.path);
    if (there !== undefined && there.kind !== entry.kind) conflicts.push(entry.path);
    if (there !== undefined && (there.kind !== entry.kind || isSameFile(entry, there))) continue;
    entries.push(entry);
    if (there === undefined) continue;
    replaced.push(entry.path);
    if (there.modifiedAt > entry.modifiedAt + roundedSeconds) newer.push(entry.path);
  }
  return { entries, replaced, newer, conflicts };
}

/** Number of bytes in these files. */
export function bytesOf(entries: readonly FileFacts[]): number {
  return entries.reduce((sum, { kind, size }) => sum + (kind === "file" ? size : 0), 0);
}

/** Such as `412 files`. Folders aren't counted. */
export function fileCount(entries: readonly FileFacts[]): string {
  const count = entries.filter(({ kind }) => kind !== "folder").length;
  return count === 1 ? t("1 file") : t("{0} files", formatNumber(count));
}

/** The folders that a path is in, such as `a` and `a/b` for `a/b/c`. */
export function* foldersOf(path: string): Generator<string> {
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) yield path.slice(0, at);
}

/** Names that mean a device in every folder of Windows, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Whether a path is safe in a folder of another machine, and can be written there. */
export function isSafePath(path: string, platform: string): boolean {
  return path.split("/").every((name) => {
    // A name that isn't UTF-8 couldn't be requested again.
    if (/^\.{0,2}$|[\0\ufffd]/.test(name)) return false;
    return platform !== "win32" || !(/[\u0001-\u001f<>:"|?*\\]|[. ]$/.test(name) || deviceName.test(name));
  });
}

/**
 * Whether a link stays in the folder that is transferred, whatever other links there are: going up is only allowed at
 * the start of its target, where there are real folders.
 */
export function staysInside({ path, target = "" }: FileFacts): boolean {
  const [, ups = "", rest = ""] = /^((?:\.\.(?:\/|$))*)(.*)$/s.exec(target) ?? [];
  const depth = path.split("/").length - 1;
  return target !== "" && ups.split("..").length - 1 <= depth && !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(rest);
}

/**
 * What a server has listed, without what can't be written here: unsafe names, and names that are the same file on a
 * system that ignores letter case. What is left out is named.
 */
export function checkListed(
  listed: readonly FileFacts[],
  platform: string,
): { readonly entries: readonly FileFacts[]; readonly refused: readonly string[] } {
  const ignoresCase = platform === "win32" || platform === "darwin";
  const spelled = new Map<string, string>();
  const files = new Set(listed.flatMap(({ path, kind }) => (kind === "folder" ? [] : [path])));
  const isSpelledOnce = (path: string): boolean => {
    const folded = path.normalize("NFC").toLowerCase();
    if (!spelled.has(folded)) spelled.set(folded, path);
    return spelled.get(folded) === path;
  };
  const isFree = (path: string): boolean => {
    for (const folder of foldersOf(path))
      if (files.has(folder) || (ignoresCase && !isSpelledOnce(folder))) return false;
    return !ignoresCase || isSpelledOnce(path);
  };
  const refused: string[] = [];
  const entries = listed.filter((entry) => {
    if (isSafePath(entry.path, platform) && isFree(entry.path)) return true;
    refused.push(entry.path);
    return false;
  });
  return { entries, refused };
}

/** The folder with `~` for the home folder, which is empty if it isn't known. */
export function shortFolder(folder: string, home: string): string {
  const isInside = home.length > 1 && (folder === home || folder.startsWith(`${home}/`));
  return isInside ? `~${folder.slice(home.length)}` : folder;
}

/** A command or another text that contains paths, with `~` for the home folder. */
export function shortPaths(text: string, home: string): string {
  return text
    .split(/(?<=[\s'"=:])/)
    .map((part) => shortFolder(part, home))
    .join("");
}
