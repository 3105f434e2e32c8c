import { randomBytes } from "node:crypto";
import {
  access,
  chmod,
  constants,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname } from "node:path";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
import { removeFile, renameFile } from "../../storage/files/heldFile.ts";

/** An SSH configuration file as it is on disk. */
export interface ConfigFile {
  /** The actual path, with symbolic links resolved. */
  readonly path: string;
  /** Empty if the file doesn't exist. */
  readonly text: string;
  readonly exists: boolean;
}

/**
 * Why a file is left unchanged: it isn't UTF-8 text, isn't a file, isn't writable, was changed in the meantime, or the
 * system reported an error.
 */
export type ConfigFileProblem = "notText" | "notFile" | "readOnly" | "changed" | "failed";

/** Reads the file, or the file that it links to. */
export async function readConfigFile(path: string): Promise<ConfigFile | ConfigFileProblem> {
  const real = await resolveLink(path);
  if (real === undefined) return "notFile";
  try {
    const bytes = await readFile(real);
    const text = bytes.toString("utf8");
    return Buffer.from(text, "utf8").equals(bytes) ? { path: real, text, exists: true } : "notText";
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return { path: real, text: "", exists: false };
    return systemCodeOf(error) === "EISDIR" ? "notFile" : "failed";
  }
}

/**
 * Writes the file to where it was read from. Its permissions and owner are kept, and a file that its owner has made
 * read-only isn't written. Elsewhere than on Windows, it is written completely or not at all. Undefined if it was written.
 */
export async function writeConfigFile(
  file: ConfigFile,
  text: string,
  platform = process.platform,
): Promise<ConfigFileProblem | undefined> {
  try {
    if (!file.exists) return await createFile(file.path, text);
    const { mode, uid, nlink } = await stat(file.path);
    if ((mode & 0o200) === 0 || !(await isWritable(file.path))) return "readOnly";
    const now = await readConfigFile(file.path);
    if (typeof now === "string" || now.text !== file.text) return "changed";
    const isOwn = process.getuid === undefined || process.getuid() === uid;
    // A new file on Windows would get the permissions of its folder instead of those that the user has given to this
    // one, and ssh ignores a configuration that others can change.
    const mayReplace = platform !== "win32" && isOwn && nlink === 1;
    if (mayReplace && (await replace(file.path, text, mode))) return undefined;
    // Also if it is owned by another user, hard-linked, or in a folder that doesn't allow new files.
    await overwrite(file.path, text);
    return undefined;
  } catch {
    return "failed";
  }
}

/** Writes a file that only its owner can read, as SSH requires. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const mayReplace = process.platform !== "win32";
  if (!mayReplace || !(await replace(path, text, 0o600))) await writeFile(path, text, { mode: 0o600 });
  await chmod(path, 0o600);
}

/** The text of such a file; empty if it doesn't exist or can't be read. */
export async function readPrivateFile(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}

async function createFile(path: string, text: string): Promise<ConfigFileProblem | undefined> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return undefined;
  } catch (error) {
    return systemCodeOf(error) === "EEXIST" ? "changed" : "failed";
  }
}

/** With one write, so that a process that is killed never leaves an empty file. */
async function overwrite(path: string, text: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    const bytes = Buffer.from(text, "utf8");
    await file.write(bytes, 0, bytes.length, 0);
    await file.truncate(bytes.length);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** False if no file could be created next to it. */
async function replace(path: string, text: string, mode: number): Promise<boolean> {
  const beside = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(beside, "wx", mode & 0o777);
    try {
      await file.writeFile(text);
      await file.chmod(mode & 0o777);
      await file.sync();
    } finally {
      await file.close();
    }
    renameFile(beside, path);
    return true;
  } catch {
    removeFile(beside);
    return false;
  }
}

/** The path itself if nothing exists there yet; undefined for a dangling link. */
async function resolveLink(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    const isLink = await lstat(path).then(
      (status) => status.isSymbolicLink(),
      () => false,
    );
    return isLink ? undefined : path;
  }
}

async function isWritable(path: string): Promise<boolean> {
  return await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
