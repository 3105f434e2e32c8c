import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { redactionMark } from "../../../core/account/redaction.ts";
import type { Redaction } from "../../../core/account/redaction.ts";
import { logFailure } from "../../../core/kernel/errors.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { ExchangeLog } from "../../../core/responses/exchange/exchangeLog.ts";
import { Ledger } from "../../../core/responses/usage/ledger.ts";
import { keepSetting } from "../../../core/responses/usage/ledgerDocument.ts";
import { ledgerExchanges } from "../../../core/responses/usage/ledgerRow.ts";
import { sqliteTrouble } from "../../../storage/database/sqliteTrouble.ts";
import { ExchangeFiles } from "../../../storage/files/exchangeFiles.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { showWarningMessage } from "../../shell/window.ts";

/** Creates the usage records that all windows share. Their file is opened with the first request. */
export function createUsageLedger(
  { globalStorageUri: storageUri, subscriptions }: vscode.ExtensionContext,
  redaction: Redaction,
  log: Log,
): Ledger {
  const exchanges = createRequestLog(storageUri, redaction, log);
  deleteUnkeptContent(storageUri, log, false);
  subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(keepSetting)) deleteUnkeptContent(storageUri, log, true);
    }),
  );
  const file = vscode.Uri.joinPath(storageUri, "usage.db").fsPath;
  return new Ledger({
    open: async (mustCheck) => {
      const { openLedger } = await import("../../../storage/usage/sqliteLedger.ts");
      const { loadSqlite } = await import("../../../storage/database/sqlite.ts");
      return openLedger(loadSqlite(), file, {
        mustCheck,
        now: () => Date.now(),
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
    record: (id, model, purpose) => exchanges.record(ledgerExchanges, id, model, purpose),
    locale: vscode.env.language,
  });
}

/** Fewer than those of conversations, because nothing else refers to them. */
const limits = { files: 1_000, bytes: 50 * 1024 * 1024 };

/** The wire traffic of the requests that no conversation records, shared by all windows. */
function createRequestLog(storageUri: vscode.Uri, redaction: Redaction, log: Log): ExchangeLog {
  return new ExchangeLog({
    store: new ExchangeFiles(vscode.Uri.joinPath(storageUri, "requests").fsPath, limits),
    now: () => Date.now(),
    monotonic: () => performance.now(),
    reportError: (error) => logFailure(log, error),
    maxBodies: 4 * 1024 * 1024,
    keepsContent: () => chatSettings.keptContent() === "all",
    // Nothing else stores what VS Code's own chat and other extensions send.
    mask: (body) => redaction.find(body).reduce((text, form) => text.replaceAll(form, redactionMark), body),
  });
}

/**
 * Deletes the stored content of the requests that the setting no longer lets us keep. Called when it changes, and for
 * changes that no window has noticed.
 * @param mustRead Whether the setting has just changed, so that another window may still be writing.
 */
function deleteUnkeptContent(storageUri: vscode.Uri, log: Log, mustRead: boolean): void {
  const kept = chatSettings.keptContent();
  const folders = kept === "all" ? [] : kept === "none" ? ["requests", "exchanges"] : ["requests"];
  for (const name of folders) {
    const files = new ExchangeFiles(vscode.Uri.joinPath(storageUri, name).fsPath);
    files.deleteContent(mustRead).catch((error: unknown) => logFailure(log, error));
  }
}
