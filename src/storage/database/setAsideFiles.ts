import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { removeFile, renameFile } from "../files/heldFile.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { closeQuietly, databaseSuffixes, removeDatabase } from "./journal.ts";
import type { Sqlite } from "./sqlite.ts";

/** Days for which a damaged file is kept, because an expert may find more in it than was recovered. */
export const setAsideDays = 14;
/** Separates the file's name from the time at which it was set aside. */
const setAsideMark = ".damaged-";

/** A damaged database that was set aside, including its log. */
interface SetAside {
  /** Without the suffix of its log. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly setAsideAt: number;
  readonly bytes: number;
}

const isWindows = process.platform === "win32";

interface Replacement {
  readonly path: string;
  /** The `fileIdOf` the file that is to be replaced. */
  readonly formerId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /**
   * Writes the new file, which exists and is empty, and closes it.
   * @param aside The former file, as it is set aside; undefined if nothing is left of it.
   */
  fill(next: string, aside: string | undefined): void;
}

/** Identifies a file on disk. Empty if it doesn't exist or is empty. */
export function fileIdOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined || stat.size === 0n ? "" : `${stat.dev}:${stat.ino}`;
}

/**
 * Replaces a damaged, empty or missing database in one step, so that a process that is killed leaves the former or the
 * new one, and sets the former one aside. Does nothing if another window was faster. Throws SQLite's error that the file
 * is locked while another window does it.
 */
export function replaceFile(sqlite: Sqlite, { path, formerId, now, fill }: Replacement): void {
  // The folder may have been removed under an open window.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mark = `${path}.recovering`;
  const lock = new sqlite.DatabaseSync(mark);
  try {
    // Ends with the process, whatever happens to it.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    try {
      if (fileIdOf(path) === formerId) replaceNow(path, `${path}${setAsideMark}${formatFileTime(now)}`, fill);
    } finally {
      if (!isWindows) removeFile(mark);
    }
  } finally {
    closeQuietly(lock);
    if (isWindows) removeQuietly(mark);
  }
}

/** Windows doesn't remove a file that is open, so that this can't remove what another window has locked by now. */
function removeQuietly(mark: string): void {
  try {
    removeFile(mark);
  } catch {
    // That window removes it.
  }
}

function replaceNow(path: string, aside: string, fill: Replacement["fill"]): void {
  const next = `${path}.new`;
  removeDatabase(next);
  try {
    const kept = ["", "-wal", "-journal"].filter((suffix) => existsSync(path + suffix));
    for (const suffix of kept) keep(path + suffix, aside + suffix);
    createPrivateFile(next);
    fill(next, kept.length === 0 ? undefined : aside);
    // The log is removed first: a new database must never be combined with the log of the old one.
    for (const suffix of databaseSuffixes.slice(1)) removeFile(path + suffix);
    renameFile(next, path);
  } catch (error) {
    for (const left of [next, aside]) removeDatabase(left);
    throw error;
  }
}

/** A second name takes no space, but not every file system allows it. */
function keep(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** The damaged files next to the database at `path`, the latest first. */
export function listSetAside(path: string): readonly SetAside[] {
  const found = new Map<string, SetAside>();
  for (const end of endsBeside(path, setAsideMark)) {
    const setAsideAt = parseFileTime(end);
    if (setAsideAt === undefined) continue;
    const aside = `${path}${setAsideMark}${end.slice(0, timeLength)}`;
    const size = statSync(`${path}${setAsideMark}${end}`, { throwIfNoEntry: false })?.size ?? 0;
    found.set(aside, { path: aside, setAsideAt, bytes: size + (found.get(aside)?.bytes ?? 0) });
  }
  return [...found.values()].toSorted((left, right) => right.setAsideAt - left.setAsideAt);
}

/** How the names of the files go on that begin like that of the database at `path`, followed by this mark. */
export function endsBeside(path: string, mark: string): readonly string[] {
  const prefix = `${basename(path)}${mark}`;
  const names = existsSync(dirname(path)) ? readdirSync(dirname(path)) : [];
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/**
 * Deletes the damaged files that are old enough, because they may contain data deleted since they were set aside.
 * @param now Milliseconds since 1970.
 */
export function deleteSetAside(path: string, now: number): void {
  for (const aside of listSetAside(path))
    if (now - aside.setAsideAt > setAsideDays * 86_400_000) removeDatabase(aside.path);
}

const timeLength = "2026-01-31T12-00-00-000Z".length;

/** A time in milliseconds since 1970 as a part of a file's name. */
export function formatFileTime(time: number): string {
  return new Date(time).toISOString().replace(/[:.]/gu, "-");
}

/** The time at the start of this part of a file's name, in milliseconds since 1970; undefined if it isn't a time. */
export function parseFileTime(suffix: string): number | undefined {
  const written = suffix.slice(0, timeLength).replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/u, "T$1:$2:$3.$4Z");
  const time = Date.parse(written);
  return Number.isNaN(time) ? undefined : time;
}
