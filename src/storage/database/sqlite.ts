import { t } from "@vscode/l10n";
import type * as nodeSqlite from "node:sqlite";
import { ServiceError } from "../../core/kernel/errors.ts";

export type Sqlite = typeof nodeSqlite;

/**
 * Loads the SQLite that Node brings along, at its first use. Every VS Code that the manifest allows has it, with
 * full-text search, so no second one is shipped for hosts that can't load the extension anyway. Older hosts warn that it is experimental: that says
 * nothing to a user, so this one warning is kept out of the log.
 *
 * Throws a ServiceError `configuration` where the host has none.
 */
export function loadSqlite(): Sqlite {
  const emitWarning = process.emitWarning;
  // The module is loaded synchronously, so no one else's warning can come in between.
  process.emitWarning = () => undefined;
  try {
    // Undefined, not a failure, in a Node that has no such module.
    const sqlite: Sqlite | undefined = process.getBuiltinModule("node:sqlite");
    if (sqlite !== undefined) return sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
  throw new ServiceError({
    reason: "configuration",
    message: t("This version of VS Code has no SQLite, so conversations can't be kept. Update VS Code."),
  });
}
