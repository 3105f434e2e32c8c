import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { redactionMark } from "../../../core/account/redaction.ts";
import type { Redaction } from "../../../core/account/redaction.ts";
import type { Model } from "../../../core/conversation/completion.ts";
import { withPublished } from "../../../core/conversation/prices.ts";
import { logFailure } from "../../../core/kernel/errors.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { ExchangeLog } from "../../../core/responses/exchange/exchangeLog.ts";
import { Ledger } from "../../../core/responses/usage/ledger.ts";
import { keepSetting } from "../../../core/responses/usage/ledgerDocument.ts";
import { ExchangeTable } from "../../../storage/records/exchangeTable.ts";
import type { ExchangeSource } from "../../../storage/records/exchangeTable.ts";
import type { Records } from "../../../storage/records/recordsFile.ts";
import { listedModels } from "../../account/listedModels.ts";
import type { Profiles } from "../../account/profiles/profiles.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";

/** Creates the usage records that all windows share. Their file is opened with the first request. */
export function createUsageLedger(
  records: Records,
  subscriptions: vscode.Disposable[],
  redaction: Redaction,
  log: Log,
  { profiles, globalState }: { readonly profiles: Profiles; readonly globalState: vscode.Memento },
): Ledger {
  const listed = (name: string): readonly Model[] => {
    const profile = profiles.find(name);
    return (profile && listedModels(globalState, profile)) ?? [];
  };
  deleteUnkeptContent(records, log);
  subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(keepSetting)) deleteUnkeptContent(records, log);
    }),
  );
  return new Ledger({
    attempt: (action, isPatient = false) => records.attempt(({ ledger }) => action(ledger), { isPatient }),
    now: () => Date.now(),
    monotonic: () => performance.now(),
    createId: () => randomUUID(),
    budget: chatSettings.budget,
    prices: (profile) => withPublished(chatSettings.chatPreferences().prices, listed(profile)),
    workspace: () => vscode.workspace.name,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    reportError: (error) => logFailure(log, error),
    exchanges: createExchangeLog(records, redaction, log),
    locale: vscode.env.language,
  });
}

/** The wire traffic of all requests. */
function createExchangeLog(records: Records, redaction: Redaction, log: Log): ExchangeLog {
  return new ExchangeLog({
    store: new ExchangeTable(records),
    now: () => Date.now(),
    monotonic: () => performance.now(),
    reportError: (error) => logFailure(log, error),
    keepsContent: ({ conversationId }) =>
      keptSources()[conversationId === undefined ? "request" : "conversation"],
    // Nothing else stores what VS Code's own chat and other extensions send.
    mask: (body, { conversationId }) =>
      conversationId === undefined
        ? redaction.find(body).reduce((text, form) => text.replaceAll(form, redactionMark), body)
        : body,
  });
}

/** Whose content the setting lets us keep. */
function keptSources(): Readonly<Record<ExchangeSource, boolean>> {
  const kept = chatSettings.keptContent();
  return { request: kept === "all", conversation: kept !== "none" };
}

/**
 * Deletes the stored content of the requests that the setting no longer lets us keep. Called when it changes, and for
 * changes that no window has noticed.
 */
function deleteUnkeptContent(records: Records, log: Log): void {
  const table = new ExchangeTable(records);
  const kept = keptSources();
  for (const source of ["request", "conversation"] as const)
    if (!kept[source]) table.deleteContent(source).catch((error: unknown) => logFailure(log, error));
}
