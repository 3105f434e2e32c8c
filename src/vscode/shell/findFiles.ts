import * as vscode from "vscode";

/** A search for files of the workspace. */
export interface FileQuery {
  readonly glob: string;
  /** A glob; undefined excludes what the settings exclude, null excludes nothing. */
  readonly exclude?: string | null;
  readonly max: number;
  readonly token?: vscode.CancellationToken;
}

/** Maximum number of files and folders read in a workspace folder that can't be searched. */
const [maxFiles, maxFolders] = [2_000, 300];

/**
 * Milliseconds after which a search without any result isn't waited for: VS Code waits for a search provider forever.
 */
const patienceMs = 1_000;

/** Milliseconds for which the files of such a folder are remembered, so that they aren't read with each character. */
const rememberMs = 20_000;

interface Listing {
  readonly at: number;
  /** Undefined if the folder can be searched. */
  readonly files: Promise<readonly vscode.Uri[] | undefined>;
}

const listings = new Map<string, Listing>();

/** Whether there is a file or folder that can be accessed. */
export async function exists(uri: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** Whether the error means that there is no such file, rather than that it can't be read. */
export function isMissing(error: unknown): boolean {
  const codes: readonly string[] = ["FileNotFound", "FileNotADirectory", "FileIsADirectory"];
  return error instanceof vscode.FileSystemError && codes.includes(error.code);
}

/**
 * Where a file with this path may be: on this machine or in the workspace's file systems if it is absolute, otherwise in
 * the workspace folders. Nowhere for network paths.
 */
export function workspaceCandidates(path: string): readonly vscode.Uri[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (/^[\\/]{2}/.test(path)) return [];
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(path)) {
    const file = vscode.Uri.file(path);
    const others = folders.filter(({ uri }) => uri.scheme !== "file");
    return [file, ...others.map(({ uri }) => uri.with({ path: file.path }))];
  }
  const [first = "", ...rest] = path.split("/");
  return folders.flatMap(({ uri, name }) => [
    // In a workspace with several folders, a path starts with the folder's name.
    ...(name === first ? [vscode.Uri.joinPath(uri, ...rest)] : []),
    vscode.Uri.joinPath(uri, path),
  ]);
}

/** Each URI once. */
export function distinctUris(uris: readonly vscode.Uri[]): readonly vscode.Uri[] {
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}

/**
 * Files of the workspace that match. A virtual file system may not support searching; its first files are then all
 * returned, whether they match or not, so the caller has to filter.
 */
export async function findFiles(query: FileQuery): Promise<readonly vscode.Uri[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  if (!folders.some(isVirtual)) return await search(query.glob, query);
  const found = await Promise.all(
    folders.map(async (folder) => {
      const listed = isVirtual(folder) ? await list(folder) : undefined;
      return listed ?? (await search(new vscode.RelativePattern(folder, query.glob), query));
    }),
  );
  return found.flat();
}

async function search(
  glob: vscode.GlobPattern,
  { exclude, max, token }: FileQuery,
): Promise<readonly vscode.Uri[]> {
  return await vscode.workspace.findFiles(glob, exclude, max, token);
}

function isVirtual({ scheme }: vscode.Uri): boolean {
  return scheme !== "file" && scheme !== "vscode-remote";
}

function list(folder: vscode.Uri): Listing["files"] {
  const key = folder.toString();
  const known = listings.get(key);
  if (known !== undefined && Date.now() - known.at < rememberMs) return known.files;
  const files = isSearchable(folder).then((is) => (is ? undefined : walk(folder)));
  listings.set(key, { at: Date.now(), files });
  return files;
}

/** A search that doesn't find any file, however long it is given, wasn't performed. */
async function isSearchable(folder: vscode.Uri): Promise<boolean> {
  const waiting = new vscode.CancellationTokenSource();
  const timer = setTimeout(() => waiting.cancel(), patienceMs);
  const late = new Promise<readonly vscode.Uri[]>((resolve) => {
    waiting.token.onCancellationRequested(() => resolve([]));
  });
  const glob = new vscode.RelativePattern(folder, "**");
  const found = vscode.workspace.findFiles(glob, null, 1, waiting.token);
  try {
    return (await Promise.race([found, late])).length > 0;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    waiting.dispose();
  }
}

/** The files of the folder, the nearest first. Folders that can't be read and links to folders are skipped. */
async function walk(root: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const files: vscode.Uri[] = [];
  const folders = [root];
  for (let read = 0; read < folders.length && read < maxFolders && files.length < maxFiles; read++) {
    const folder = folders[read] ?? root;
    for (const [name, type] of (await readFolder(folder)).slice(0, maxFiles)) {
      const uri = vscode.Uri.joinPath(folder, name);
      if ((type & vscode.FileType.File) !== 0) files.push(uri);
      else if (type === vscode.FileType.Directory && name !== ".git" && name !== "node_modules")
        folders.push(uri);
    }
  }
  return files.slice(0, maxFiles);
}

async function readFolder(folder: vscode.Uri): Promise<readonly [string, vscode.FileType][]> {
  return await vscode.workspace.fs.readDirectory(folder).then(
    (entries) => entries,
    () => [],
  );
}
