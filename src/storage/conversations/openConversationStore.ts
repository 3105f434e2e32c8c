import { t } from "@vscode/l10n";
import { setTimeout } from "node:timers/promises";
import type { ConversationArchive } from "../../core/conversation/conversationStore.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { DatabaseFile, isWritable } from "../database/databaseFile.ts";
import { NewerSchemaError } from "../database/schema.ts";
import { SearchIndex } from "../search/searchIndex.ts";
import { loadSqlite } from "../database/sqlite.ts";
import { SqliteConversationStore } from "./sqliteConversationStore.ts";
import type { StoreOptions } from "./storeOptions.ts";
import { readOnlyMessage, sqliteTrouble, troubleMessage } from "../database/sqliteTrouble.ts";

/** Another window needs only milliseconds to create or migrate the file. The host stays responsive between attempts. */
const attempts = 50;
const pauseMs = 100;

/**
 * Opens the conversations in this file, creating it if it doesn't exist. A damaged file is set aside, everything
 * readable is recovered from it, and `onProblem` reports it. Rejects with a ServiceError `configuration` if the host
 * has no SQLite, if the file was written by a newer version, or if the file can't be opened; the file is then left
 * unchanged.
 */
export async function openConversationStore(
  file: string,
  options: StoreOptions,
): Promise<ConversationArchive> {
  const sqlite = loadSqlite();
  const databaseFile = new DatabaseFile(sqlite, file, options);
  // Next to the database. The number is the version of the index format, which other versions of the extension may not
  // support.
  const index = new SearchIndex(sqlite, `${file}.search1`);
  for (let attempt = 1; ; attempt++) {
    try {
      return new SqliteConversationStore(databaseFile, index, options);
    } catch (error) {
      if (sqliteTrouble(error) !== "busy" || attempt === attempts) throw cannotOpen(file, error);
      await setTimeout(pauseMs);
    }
  }
}

function cannotOpen(file: string, error: unknown): ServiceError {
  const message =
    error instanceof NewerSchemaError
      ? t(
          "The conversations were saved by a newer version of Inference Gateway. Update the extension to open them. Nothing was changed.",
        )
      : t(
          "The conversation file {0} can't be opened: {1}.",
          file,
          isWritable(file) ? troubleMessage(error) : readOnlyMessage(),
        );
  return new ServiceError({ reason: "configuration", message }, error);
}
