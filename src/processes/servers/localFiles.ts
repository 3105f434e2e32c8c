import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { lstat, readFile, readdir, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { FolderRules } from "../../core/compose/context/excludeRules.ts";
import type { FileFacts } from "../../core/servers/files/fileFacts.ts";
import { isSafePath, staysInside } from "../../core/servers/files/fileFacts.ts";
import { wholeSeconds } from "../../core/servers/files/remoteFiles.ts";
import { childEnvironment, findProgram, thisPlace } from "../programs/findProgram.ts";
import { inOrder } from "./transfer.ts";

/** What would be uploaded. */
export interface LocalScan {
  readonly entries: readonly FileFacts[];
  /** Number of files that Git ignores, which aren't among the entries. */
  readonly ignored: number;
  /** Names of folders that are never uploaded, as far as there are any. */
  readonly skipped: ReadonlySet<string>;
  /** Number of links that lead elsewhere, and of devices and the like. */
  readonly unusual: number;
  /** The paths of folders whose content can't be read. */
  readonly closed: readonly string[];
}

interface FoundName {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Port: files and folders of this machine, or of a file system of VS Code. `T` is how they are named there. */
export interface FileSystem<T> {
  list(folder: T): Promise<readonly FoundName[]>;
  join(folder: T, path: string): T;
  /** Undefined if it is gone, can't be read, or is neither a file, a folder nor a link. */
  look(file: T, path: string): Promise<FileFacts | undefined>;
  /** The content from this byte on, of the size that it had. */
  read(file: T, size: number, from: number): AsyncIterable<Uint8Array>;
  /** What Git doesn't ignore, files and the folders that they are in; undefined if Git can't tell. */
  listWithGit(folder: T): Promise<ReadonlySet<string> | undefined>;
}

/** Folders of a size that nobody wants to upload, and that are made anew on the server. */
const skippedFolders: ReadonlySet<string> = new Set([".git", ".venv"]);

/** What decides in a folder and those below it which files Git ignores. */
interface Ignoring {
  /** The folder to which the paths are relative, itself relative to the root. */
  readonly base: string;
  readonly listed?: ReadonlySet<string> | undefined;
  readonly rules?: FolderRules | undefined;
}

/** Files and folders that are uploaded. */
export class UploadSource<T = unknown> {
  readonly #system: FileSystem<T>;
  readonly #roots: ReadonlyMap<string, T>;

  /** @param roots By the first part of the paths of the entries; empty for a folder whose content is uploaded. */
  constructor(system: FileSystem<T>, roots: ReadonlyMap<string, T>) {
    this.#system = system;
    this.#roots = roots;
  }

  async scan(includesIgnored: boolean): Promise<LocalScan> {
    const scan = new Scan(this.#system, includesIgnored);
    for (const [name, root] of this.#roots) {
      const facts =
        name === "" || !isSafePath(name, "linux") ? undefined : await this.#system.look(root, name);
      if (name !== "") scan.add(facts);
      if (name === "" || facts?.kind === "folder") await scan.walk(root, name, { base: name });
    }
    return scan;
  }

  read(entry: FileFacts, from: number): AsyncIterable<Uint8Array> {
    return this.#system.read(this.#locate(entry), entry.size, from);
  }

  /** The entry as it is now. */
  async look(entry: FileFacts): Promise<FileFacts | undefined> {
    return await this.#system.look(this.#locate(entry), entry.path);
  }

  #locate({ path }: FileFacts): T {
    const content = this.#roots.get("");
    if (content !== undefined) return this.#system.join(content, path);
    const [name = "", ...rest] = path.split("/");
    const root = this.#roots.get(name);
    if (root === undefined) throw new RangeError("An entry of another upload");
    return rest.length === 0 ? root : this.#system.join(root, rest.join("/"));
  }
}

class Scan<T> implements LocalScan {
  readonly entries: FileFacts[] = [];
  readonly skipped = new Set<string>();
  readonly closed: string[] = [];
  ignored = 0;
  unusual = 0;
  readonly #system: FileSystem<T>;
  readonly #includesIgnored: boolean;

  constructor(system: FileSystem<T>, includesIgnored: boolean) {
    this.#system = system;
    this.#includesIgnored = includesIgnored;
  }

  add(facts: FileFacts | undefined): void {
    if (facts === undefined || (facts.kind === "link" && !staysInside(facts))) this.unusual++;
    else this.entries.push(facts);
  }

  async walk(folder: T, path: string, above: Ignoring): Promise<void> {
    const found = await this.#system.list(folder).catch((error: unknown) => {
      if (isFirstOf(path, above)) throw error;
      this.closed.push(path);
      return [];
    });
    const ignoring = await this.#readIgnoring(folder, path, above, found);
    const wanted: FoundName[] = [];
    for (const each of found) {
      // Another file system may give any names.
      if (!isSafePath(each.name, "linux")) this.unusual++;
      else if (each.isFolder && skippedFolders.has(each.name)) this.skipped.add(each.name);
      else if (this.#includesIgnored || !isIgnored(ignoring, pathIn(path, each.name), each.isFolder))
        wanted.push(each);
      else if (!each.isFolder) this.ignored++;
      else if ((await this.#count(this.#system.join(folder, each.name))) === 0) wanted.push(each);
    }
    const look = async ({ name }: FoundName): Promise<FileFacts | undefined> =>
      await this.#system.look(this.#system.join(folder, name), pathIn(path, name));
    for await (const facts of inOrder(wanted, look)) this.add(facts);
    for (const { name, isFolder } of wanted)
      if (isFolder) await this.walk(this.#system.join(folder, name), pathIn(path, name), ignoring);
  }

  /** Counts what is in a folder that Git ignores. */
  async #count(folder: T): Promise<number> {
    let count = 0;
    for (const { name, isFolder } of await this.#system.list(folder).catch(() => []))
      if (isFolder) count += await this.#count(this.#system.join(folder, name));
      else {
        count++;
        this.ignored++;
      }
    return count;
  }

  /** What applies in this folder: Git itself where there is a repository, and otherwise the rules in `.gitignore`. */
  async #readIgnoring(
    folder: T,
    path: string,
    above: Ignoring,
    found: readonly FoundName[],
  ): Promise<Ignoring> {
    const isRepository = found.some(({ name }) => name === ".git");
    if (isFirstOf(path, above) || isRepository) {
      const listed = await this.#system.listWithGit(folder);
      if (listed !== undefined) return { base: path, listed };
    } else if (above.listed !== undefined) return above;
    const outer = isRepository ? { base: path } : above;
    if (!found.some(({ name }) => name === ".gitignore")) return outer;
    const text = await this.#readText(this.#system.join(folder, ".gitignore")).catch(() => "*");
    return { base: outer.base, rules: new FolderRules(text, relativeTo(outer.base, path), outer.rules) };
  }

  async #readText(file: T): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#system.read(file, 0, 0)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }
}

/** Whether the folder is the one that the user has chosen. */
const isFirstOf = (path: string, { base, listed, rules }: Ignoring): boolean =>
  path === base && listed === undefined && rules === undefined;

const pathIn = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

const relativeTo = (base: string, path: string): string => (base === "" ? path : path.slice(base.length + 1));

function isIgnored({ base, listed, rules }: Ignoring, path: string, isFolder: boolean): boolean {
  const relative = relativeTo(base, path);
  if (listed !== undefined) return !listed.has(relative.normalize("NFC"));
  return rules?.ignores(isFolder ? `${relative}/` : relative) === true;
}

/** Files and folders of this machine. */
export const localFiles: FileSystem<string> = {
  async list(folder) {
    const found = await readdir(folder, { withFileTypes: true });
    return found.map((each) => ({ name: each.name, isFolder: each.isDirectory() }));
  },
  join,
  look: lookAtFile,
  async *read(file, size, from) {
    // Reading a small file at once takes a quarter of the time.
    if (size < 1_000_000) yield (await readFile(file)).subarray(from);
    else if (size > from)
      yield* createReadStream(file, { start: from, end: size - 1, highWaterMark: 262_144 });
  },
  listWithGit,
};

/** What is at this path, however it is named there. */
export async function lookAtFile(path: string, relative: string): Promise<FileFacts | undefined> {
  try {
    const found = await lstat(path);
    const kind = found.isDirectory() ? "folder" : found.isSymbolicLink() ? "link" : "file";
    if (kind === "file" && !found.isFile()) return undefined;
    // Windows has no such permissions.
    const mode = process.platform === "win32" ? 0o644 : found.mode & 0o777;
    return {
      ...{ path: relative || basename(path), kind, size: found.size },
      ...(kind === "link" ? { target: await readlink(path) } : {}),
      ...{ mode: kind === "folder" ? mode | 0o700 : mode, modifiedAt: wholeSeconds(found.mtimeMs) },
    };
  } catch {
    return undefined;
  }
}

/**
 * What Git doesn't ignore in this folder; undefined if Git isn't there, there is no repository, or it ignores everything:
 * then, the user has chosen a folder that is ignored.
 */
async function listWithGit(folder: string): Promise<ReadonlySet<string> | undefined> {
  const found = findProgram("git", thisPlace());
  if (found === undefined || !("program" in found)) return undefined;
  const { program } = found;
  // A repository must not be able to run a program, to fetch anything, or to be changed by this.
  const hardened = ["-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"];
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const options = {
    env: { ...childEnvironment(thisPlace()), GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" },
    ...{ timeout: 60_000, maxBuffer: 256_000_000, windowsHide: true },
  };
  return await new Promise((resolve) => {
    execFile(program, ["-C", folder, ...hardened, ...list], options, (error, output) => {
      if (error !== null || output === "") return resolve(undefined);
      const listed = new Set<string>();
      for (const name of output.normalize("NFC").split("\0")) {
        let path = name.replace(/\/$/, "");
        // A repository in this one is listed as a folder.
        while (path !== "" && !listed.has(path)) {
          listed.add(path);
          path = path.slice(0, Math.max(0, path.lastIndexOf("/")));
        }
      }
      resolve(listed);
    });
  });
}
