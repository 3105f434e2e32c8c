import * as vscode from "vscode";
import type { Log } from "../../core/kernel/log.ts";
import { loadSqlite } from "../../storage/database/sqlite.ts";
import { RecordsFile } from "../../storage/records/recordsFile.ts";
import { showWarningMessage } from "./window.ts";

/** Creates the owner of the file of usage records, requests, lists of servers, and tool permissions. */
export function createRecordsFile(storageUri: vscode.Uri, log: Log): RecordsFile {
  return new RecordsFile({
    sqlite: loadSqlite(),
    path: vscode.Uri.joinPath(storageUri, "records.db").fsPath,
    now: () => Date.now(),
    onStartedOver: () => {
      const sentence = vscode.l10n.t(
        "The file with the usage records, recorded requests, and tool permissions was damaged and has been started over.",
      );
      log.error(sentence);
      void showWarningMessage(sentence);
    },
  });
}
