import { existsSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { databaseSuffixes } from "./journal.ts";

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

/** While this file exists, one window is recovering the database. It contains the path of what was set aside. */
export function recoveryMark(path: string): string {
  return `${path}.recovering`;
}

/** The path for a damaged database that is set aside now, in milliseconds since 1970. */
export function setAsidePath(path: string, now: number): string {
  return `${path}${setAsideMark}${formatFileTime(now)}`;
}

/** Whether the path is that of a file that was set aside in place of the database at `path`. */
export function isSetAside(candidate: string, path: string): boolean {
  return candidate.startsWith(`${path}${setAsideMark}`);
}

/** The damaged files next to the database at `path` that no window is recovering, the latest first. */
export function listSetAside(path: string): readonly SetAside[] {
  const folder = dirname(path);
  const prefix = `${basename(path)}${setAsideMark}`;
  const mark = recoveryMark(path);
  const inUse = existsSync(mark) ? readFileSync(mark, "utf8") : "";
  const found = new Map<string, SetAside>();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const setAsideAt = name.startsWith(prefix) ? parseFileTime(name.slice(prefix.length)) : undefined;
    if (setAsideAt === undefined) continue;
    const aside = join(folder, name.slice(0, prefix.length + timeLength));
    if (aside === inUse) continue;
    const size = statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    found.set(aside, { path: aside, setAsideAt, bytes: size + (found.get(aside)?.bytes ?? 0) });
  }
  return [...found.values()].toSorted((left, right) => right.setAsideAt - left.setAsideAt);
}

/** Deletes a damaged file with its log. Throws if it can't be deleted. */
export function deleteSetAside({ path }: Pick<SetAside, "path">): void {
  for (const suffix of databaseSuffixes) rmSync(path + suffix, { force: true });
}

/** Deletes damaged files that were set aside long ago, because they may contain data deleted since then. */
export function deleteOldSetAside(path: string, now: number): void {
  for (const aside of listSetAside(path))
    if (now - aside.setAsideAt > setAsideDays * 86_400_000) deleteSetAside(aside);
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
