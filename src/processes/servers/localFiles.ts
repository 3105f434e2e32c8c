import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import type { Dirent } from "node:fs";
import { lstat, readFile, readdir, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { FolderRules } from "../../core/compose/context/excludeRules.ts";
import type { FileFacts } from "../../core/servers/files/fileFacts.ts";
import { staysInside } from "../../core/servers/files/fileFacts.ts";
import { wholeSeconds } from "../../core/servers/files/remoteFiles.ts";
import { childEnvironment, findProgram, thisPlace } from "../programs/findProgram.ts";

/** What would be uploaded. */
export interface LocalScan {
  readonly entries: readonly FileFacts[];
  /** Number of files that Git ignores, which aren't among the entries. */
  readonly ignored: number;
  /** Names of folders that are never uploaded, as far as there are any. */
  readonly skipped: readonly string[];
  /** Number of links that lead elsewhere, and of devices and the like. */
  readonly unusual: number;
}

/** Port: the files to upload, on this machine or in VS Code's file system. */
export interface UploadSource {
  scan(includesIgnored: boolean): Promise<LocalScan>;
  /** The content from this byte on. */
  read(entry: FileFacts, from: number): AsyncIterable<Uint8Array>;
  /** The entry as it is now; undefined if it is gone or can't be read. */
  look(entry: FileFacts): Promise<FileFacts | undefined>;
}

/** Folders of a size that nobody wants to upload, and that are made anew on the server. */
export const skippedFolders: ReadonlySet<string> = new Set([".git", ".venv"]);
/** More files than this are not a folder of a project. */
const mostEntries = 500_000;
const mostCounted = 200_000;
/** Files that are looked at together. */
const together = 64;

/** What decides in a folder and those below it which files Git ignores. */
interface Ignoring {
  /** The folder to which the paths are relative, itself relative to the root. */
  readonly base: string;
  /** What Git doesn't ignore, files and the folders that they are in; undefined if Git can't tell. */
  readonly listed?: ReadonlySet<string> | undefined;
  readonly rules?: FolderRules | undefined;
}

/** Files and folders of this machine. */
export class LocalFiles implements UploadSource {
  /** By the first part of the paths of the entries; empty for a folder whose content is uploaded. */
  readonly #roots: ReadonlyMap<string, string>;

  /** @param paths One folder, or what is uploaded under its own names. */
  constructor(paths: readonly string[], isContent: boolean) {
    this.#roots = new Map(paths.map((path) => [isContent ? "" : basename(path), path]));
  }

  async scan(includesIgnored: boolean): Promise<LocalScan> {
    const scan = new Scan(includesIgnored);
    for (const [name, path] of this.#roots) {
      const facts = await factsOf(path, name);
      if (facts?.kind === "folder") {
        if (name !== "") scan.add(facts);
        await scan.walk(path, name, { base: name });
      } else if (facts !== undefined) scan.add(facts);
    }
    return scan;
  }

  async *read(entry: FileFacts, from: number): AsyncGenerator<Uint8Array> {
    if (entry.size - from <= 0) return;
    // Reading a small file at once takes a quarter of the time.
    if (entry.size < 1_000_000) yield (await readFile(this.#pathOf(entry))).subarray(from);
    else
      yield* createReadStream(this.#pathOf(entry), {
        ...{ start: from, end: entry.size - 1, highWaterMark: 262_144 },
      });
  }

  async look(entry: FileFacts): Promise<FileFacts | undefined> {
    return await factsOf(this.#pathOf(entry), entry.path);
  }

  #pathOf({ path }: FileFacts): string {
    const content = this.#roots.get("");
    if (content !== undefined) return join(content, path);
    const [name = "", ...rest] = path.split("/");
    return join(this.#roots.get(name) ?? "", ...rest);
  }
}

class Scan implements LocalScan {
  readonly entries: FileFacts[] = [];
  ignored = 0;
  unusual = 0;
  readonly #includesIgnored: boolean;
  readonly #skipped = new Set<string>();

  constructor(includesIgnored: boolean) {
    this.#includesIgnored = includesIgnored;
  }

  get skipped(): readonly string[] {
    return [...this.#skipped];
  }

  add(facts: FileFacts | undefined): void {
    if (facts === undefined || (facts.kind === "link" && !staysInside(facts))) this.unusual++;
    else this.entries.push(facts);
    if (this.entries.length > mostEntries) throw new RangeError("There are too many files.");
  }

  async walk(folder: string, path: string, above: Ignoring): Promise<void> {
    const found = await readdir(folder, { withFileTypes: true });
    const ignoring = await readIgnoring(folder, path, above, found);
    const wanted: Dirent[] = [];
    for (const each of found) {
      if (each.isDirectory() && skippedFolders.has(each.name)) this.#skipped.add(each.name);
      else if (this.#includesIgnored || !isIgnored(ignoring, pathIn(path, each.name), each))
        wanted.push(each);
      else if (!each.isDirectory()) this.ignored++;
      else if ((await this.#count(join(folder, each.name))) === 0) wanted.push(each);
    }
    for (let at = 0; at < wanted.length; at += together) {
      const some = wanted.slice(at, at + together);
      const facts = await Promise.all(
        some.map(({ name }) => factsOf(join(folder, name), pathIn(path, name))),
      );
      for (const each of facts) this.add(each);
    }
    for (const each of wanted)
      if (each.isDirectory()) await this.walk(join(folder, each.name), pathIn(path, each.name), ignoring);
  }

  /** Counts what is in a folder that Git ignores, up to a number that nobody reads exactly. */
  async #count(folder: string): Promise<number> {
    let count = 0;
    for (const each of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (this.ignored >= mostCounted) return count + 1;
      if (each.isDirectory()) count += await this.#count(join(folder, each.name));
      else {
        count++;
        this.ignored++;
      }
    }
    return count;
  }
}

const pathIn = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

async function factsOf(path: string, relative: string): Promise<FileFacts | undefined> {
  try {
    const found = await lstat(path);
    const kind = found.isDirectory() ? "folder" : found.isSymbolicLink() ? "link" : "file";
    if (kind === "file" && !found.isFile()) return undefined;
    // Windows has no such permissions.
    const mode = process.platform === "win32" ? 0o644 : found.mode & 0o777;
    const facts = { path: relative || basename(path), kind, size: found.size, mode } as const;
    const target = kind === "link" ? { target: await readlink(path) } : {};
    return {
      ...facts,
      ...target,
      ...(kind === "folder" ? { mode: mode | 0o700 } : {}),
      modifiedAt: wholeSeconds(found.mtimeMs),
    };
  } catch {
    return undefined;
  }
}

/** What applies in this folder: Git itself where there is a repository, and otherwise the rules in `.gitignore`. */
async function readIgnoring(
  folder: string,
  path: string,
  above: Ignoring,
  found: readonly Dirent[],
): Promise<Ignoring> {
  const isFirst = path === above.base && above.listed === undefined && above.rules === undefined;
  const isRepository = found.some(({ name }) => name === ".git");
  if (isFirst || isRepository) {
    const listed = await askGit(folder);
    if (listed !== undefined) return { base: path, listed };
  } else if (above.listed !== undefined) return above;
  const outer = isRepository ? { base: path } : above;
  const text = found.some(({ name }) => name === ".gitignore")
    ? await readFile(join(folder, ".gitignore"), "utf8").catch(() => "*")
    : undefined;
  if (text === undefined) return outer;
  return { base: outer.base, rules: new FolderRules(text, relativeTo(outer.base, path), outer.rules) };
}

const relativeTo = (base: string, path: string): string => (base === "" ? path : path.slice(base.length + 1));

function isIgnored({ base, listed, rules }: Ignoring, path: string, entry: Dirent): boolean {
  const relative = relativeTo(base, path);
  if (listed !== undefined) return !listed.has(relative.normalize("NFC"));
  return rules?.ignores(entry.isDirectory() ? `${relative}/` : relative) === true;
}

/**
 * What Git doesn't ignore in this folder; undefined if Git isn't there, there is no repository, or it ignores everything:
 * then, the user has chosen a folder that is ignored.
 */
async function askGit(folder: string): Promise<ReadonlySet<string> | undefined> {
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
