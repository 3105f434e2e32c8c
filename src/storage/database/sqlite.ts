import { t } from "@vscode/l10n";
import type * as nodeSqlite from "node:sqlite";
import { ServiceError } from "../../core/kernel/errors.ts";

/** Node's built-in SQLite, passed on as a value because it is loaded at its first use. */
export type Sqlite = typeof nodeSqlite;

/**
 * Loads Node's built-in SQLite at its first use. Every VS Code version that the manifest allows has it, with full-text
 * search, so shipping another one would only help hosts that can't load the extension anyway. Older hosts warn that it
 * is experimental, which is of no use to users, so this one warning is kept out of the log. Throws a ServiceError
 * `configuration` if the host doesn't have it.
 */
export function loadSqlite(): Sqlite {
  const emitWarning = process.emitWarning;
  // The module is loaded synchronously, so no other warning can be lost.
  process.emitWarning = () => undefined;
  try {
    // Returns undefined instead of failing if this version of Node doesn't have the module.
    const sqlite: Sqlite | undefined = process.getBuiltinModule("node:sqlite");
    if (sqlite !== undefined) return sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
  throw new ServiceError({
    reason: "configuration",
    message: t(
      "This version of VS Code doesn't include SQLite, so conversations can't be saved. Update VS Code.",
    ),
  });
}
