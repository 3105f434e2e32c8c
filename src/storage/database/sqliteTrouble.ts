import { t } from "@vscode/l10n";
import { systemCodeOf } from "../../core/kernel/thrown.ts";

/**
 * How to handle a SQLite failure.
 * - `busy` another window has locked the file: try again in a moment.
 * - `damaged` the file isn't, or is no longer, an intact database of this extension.
 * - `refused` the disk is full, read-only or failing: the user has to do something.
 * - `other` a mistake in a single statement: trying again wouldn't help.
 */
export type SqliteTrouble = "busy" | "damaged" | "refused" | "other";

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
  if (error instanceof HeldError) return "refused";
  // A file operation of our own, such as setting the damaged file aside.
  if (error instanceof Error && "syscall" in error) return "refused";
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return "other";
  // Extended codes contain the primary code in their low byte.
  return troubles.get(error.errcode & 0xff) ?? "other";
}

/** The error's message, as the end of a sentence for the user. */
export function troubleMessage(error: unknown): string {
  if (!(error instanceof Error)) return t("unknown error");
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
  const systemCode = systemCodeOf(error);
  if (code === 13 || systemCode === "ENOSPC") return t("the disk is full; free some space");
  if (code === 8 || systemCode === "EROFS") return readOnlyMessage();
  if (code === 10 || systemCode === "EIO") return t("the disk reported an error ({0})", error.message);
  return error.message;
}

/** Why nothing can be written to a read-only database, as the end of a sentence. */
export function readOnlyMessage(): string {
  return t("the disk, the folder, or the file is read-only");
}

/** The sentence for the user about a change that can't be written, permanently or for now. */
export function saveFailureMessage(error: unknown, isLost: boolean): string {
  const words = troubleMessage(error);
  return isLost
    ? t("A change to the conversation couldn't be saved and was lost: {0}.", words)
    : t(
        "The conversations can't be saved to disk: {0}. They are kept in memory, and saving is retried every few seconds.",
        words,
      );
}

/** Damage that we found ourselves: SQLite can read the file, but its contents are wrong. */
export class DamagedError extends Error {}

/** Another window is doing something that only one window may do at a time. */
export class BusyError extends Error {}

/** Another program keeps us from moving the file. The message is for the user. */
export class HeldError extends Error {}
