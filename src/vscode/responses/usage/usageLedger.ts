import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { logFailure } from "../../../core/kernel/failureMessage.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { Ledger } from "../../../core/responses/usage/ledger.ts";
import { sqliteTrouble } from "../../../storage/database/sqliteTrouble.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { conversationFile } from "../../conversation/storageLocation.ts";
import { showWarningMessage } from "../../shell/window.ts";

/** Creates the usage records that all windows share. Their file is opened with the first request. */
export function createUsageLedger(storageUri: vscode.Uri, log: Log): Ledger {
  const file = vscode.Uri.joinPath(storageUri, "usage.db").fsPath;
  return new Ledger({
    open: async (mustCheck) => {
      const { openLedger } = await import("../../../storage/usage/sqliteLedger.ts");
      const { loadSqlite } = await import("../../../storage/database/sqlite.ts");
      return openLedger(loadSqlite(), file, {
        mustCheck,
        now: () => Date.now(),
        conversations: conversationFile(storageUri),
        prices: () => chatSettings.chatPreferences().prices,
        onSetAside: (path) => {
          const sentence = vscode.l10n.t(
            "The usage records were damaged and have been started over. The damaged file is kept as {0}.",
            path,
          );
          log.error(sentence);
          void showWarningMessage(sentence);
        },
      });
    },
    isBusy: (error) => sqliteTrouble(error) === "busy",
    isDamaged: (error) => sqliteTrouble(error) === "damaged",
    now: () => Date.now(),
    monotonic: () => performance.now(),
    createId: () => randomUUID(),
    budget: chatSettings.budget,
    prices: () => chatSettings.chatPreferences().prices,
    workspace: () => vscode.workspace.name,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    reportError: (error) => logFailure(log, error),
    locale: vscode.env.language,
  });
}
