import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { systemCodeOf } from "../../core/kernel/thrown.ts";

/** More consecutive links than any file system follows. */
const maxLinks = 40;

/**
 * The absolute path that this path leads to after resolving all symbolic links, in the file system's own spelling. A
 * file that doesn't exist yet is named where it would be created, even through a dangling link. Rejects if the links
 * form a loop or a folder can't be read.
 */
export async function realTarget(path: string): Promise<string> {
  let at = resolve(path);
  const missing: string[] = [];
  for (let links = 0; links < maxLinks;) {
    try {
      return join(await realpath(at), ...missing);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    if (await isLink(at)) {
      links++;
      at = resolve(dirname(at), await readlink(at));
    } else {
      if (dirname(at) === at) return join(at, ...missing);
      missing.unshift(basename(at));
      at = dirname(at);
    }
  }
  throw new Error("Too many symbolic links.");
}

/** Whether the path is the folder or lies in it. Both must come from `realTarget`. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

async function isLink(path: string): Promise<boolean> {
  return await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

function isMissing(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
