import { t } from "@vscode/l10n";
import { systemCodeOf } from "../../core/kernel/thrown.ts";

/**
 * How to handle a SQLite failure.
 * - `busy` another window has locked the file: try again in a moment.
 * - `damagedIndex` only the full-text index is damaged, which can be created again.
 * - `damaged` the file isn't, or is no longer, an intact database of this extension.
 * - `refused` the disk is full, read-only or failing: the user has to do something.
 * - `other` anything else, such as a mistake in a statement.
 */
type SqliteTrouble = "busy" | "damagedIndex" | "damaged" | "refused" | "other";

const troubles: ReadonlyMap<number, SqliteTrouble> = new Map([
  [5, "busy"], // SQLITE_BUSY
  [6, "busy"], // SQLITE_LOCKED
  [11, "damaged"], // SQLITE_CORRUPT
  [26, "damaged"], // SQLITE_NOTADB
  [7, "refused"], // SQLITE_NOMEM
  [8, "refused"], // SQLITE_READONLY
  [10, "refused"], // SQLITE_IOERR
  [13, "refused"], // SQLITE_FULL
  [14, "refused"], // SQLITE_CANTOPEN
]);

/** Classifies a failure of the database or of its file. */
export function sqliteTrouble(error: unknown): SqliteTrouble {
  if (error instanceof DamagedError) return "damaged";
  if (error instanceof BusyError) return "busy";
  // A file operation of our own, such as setting the damaged file aside.
  if (error instanceof Error && "syscall" in error) return "refused";
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return "other";
  if (error.errcode === 267) return "damagedIndex"; // SQLITE_CORRUPT_VTAB
  // Something else was written over the file while it was open.
  if (error.errcode === 1 && error.message.startsWith("no such table")) return "damaged";
  // Extended codes contain the primary code in their low byte.
  return troubles.get(error.errcode & 0xff) ?? "other";
}

/** Whether a change can never be written, because of what it contains. */
export function isInvalid(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  return [18, 19, 20].includes(error.errcode & 0xff); // SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH
}

/** The error's message, as the end of a sentence for the user. */
export function troubleMessage(error: unknown): string {
  if (!(error instanceof Error)) return t("unknown error");
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
  const systemCode = systemCodeOf(error);
  if (code === 5 || code === 6) return t("another program or a suspended window has locked the file");
  if (code === 13 || systemCode === "ENOSPC") return t("the disk is full; free some space");
  if (code === 8 || systemCode === "EROFS") return t("the disk, the folder, or the file is read-only");
  if (code === 10 || systemCode === "EIO") return t("the disk reported an error ({0})", error.message);
  // Windows doesn't let a damaged file be set aside while another window has it open.
  if (systemCode === "EBUSY" || systemCode === "EPERM")
    return t(
      "another program has the file open; close the other VS Code windows so that it can be set aside",
    );
  return error.message;
}

/** The sentence for the user about a single change that can't be written. */
export function saveFailureMessage(error: unknown): string {
  return t("A change to the conversation couldn't be saved and was lost: {0}.", troubleMessage(error));
}

/** Damage that we found ourselves: SQLite can read the file, but its contents are wrong. */
export class DamagedError extends Error {}

/** Another window is doing something that only one window may do at a time. */
export class BusyError extends Error {}
