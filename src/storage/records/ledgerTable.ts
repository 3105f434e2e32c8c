import { defaultPurpose, parsePurpose } from "../../core/conversation/requestPurpose.ts";
import type { RequestTotal } from "../../core/conversation/requestTotal.ts";
import { pickFields } from "../../core/conversation/messageDetails.ts";
import { errorReasons } from "../../core/kernel/errors.ts";
import { numberField, stringField } from "../../core/kernel/json.ts";
import { ledgerOutcomes } from "../../core/responses/usage/ledgerRow.ts";
import type { LedgerRow } from "../../core/responses/usage/ledgerRow.ts";
import { numberColumn, textColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";

/** Creates the table of a new file. Run it in a transaction. */
export const createLedgerTable = `
  CREATE TABLE IF NOT EXISTS request (
    id TEXT PRIMARY KEY,
    started_at INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    extension TEXT,
    profile TEXT NOT NULL,
    model TEXT NOT NULL,
    workspace TEXT,
    conversation_id TEXT,
    message_id TEXT,
    outcome TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    is_estimated INTEGER NOT NULL,
    prompt_tokens INTEGER,
    cached_tokens INTEGER,
    completion_tokens INTEGER,
    reasoning_tokens INTEGER,
    amount REAL,
    currency TEXT,
    reason TEXT,
    request_id TEXT,
    received REAL,
    window TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS request_by_time ON request (started_at);
  CREATE INDEX IF NOT EXISTS request_by_model ON request (model, started_at);
  CREATE INDEX IF NOT EXISTS running_request ON request (started_at) WHERE outcome = 'running';`;

/**
 * A request that was rejected, or that failed before any output, costs nothing, and one that was refused isn't a request.
 * What is reserved for those in progress isn't spent.
 */
export const ledgerSums = `
  SELECT started_at / 3600000 * 3600000 AS hour, profile, model, workspace, currency,
    count(*) AS requests,
    total(prompt_tokens) AS prompt_tokens,
    total(completion_tokens) AS completion_tokens,
    total(amount IS NULL AND prompt_tokens + completion_tokens IS NOT NULL) AS unpriced,
    sum(amount) FILTER (WHERE outcome <> 'running' AND NOT is_estimated) AS amount,
    sum(amount) FILTER (WHERE outcome <> 'running' AND is_estimated) AS estimated_amount
  FROM request WHERE started_at >= ? AND outcome <> 'refused'
  GROUP BY hour, profile, model, workspace, currency
  ORDER BY hour, requests DESC, model`;

/** Parses a row of the totals, which are by hour, profile, model, workspace, and currency. */
export function parseTotal(row: Row): RequestTotal {
  const [amount, currency] = [numberField(row, "estimated_amount"), stringField(row, "currency")];
  return {
    ...(amount === undefined || currency === undefined ? {} : { estimatedCost: { amount, currency } }),
    ...parseSource(row),
    at: numberColumn(row, "hour"),
    requests: numberColumn(row, "requests"),
    promptTokens: numberColumn(row, "prompt_tokens"),
    completionTokens: numberColumn(row, "completion_tokens"),
    unpriced: numberColumn(row, "unpriced"),
  };
}

/** Other versions may have written the row, so unknown values count as missing. */
export function parseRow(row: Row): LedgerRow {
  const fields = camelCased(row);
  const reason = errorReasons.find((known) => known === row["reason"]);
  const tokens = ["promptTokens", "cachedTokens", "completionTokens", "reasoningTokens"] as const;
  return {
    ...parseSource(row),
    ...pickFields(fields, ["extension", "conversationId", "messageId", "requestId"], stringField),
    purpose: parsePurpose(row["purpose"]) ?? defaultPurpose,
    id: textColumn(row, "id"),
    startedAt: numberColumn(row, "started_at"),
    outcome: ledgerOutcomes.find((known) => known === row["outcome"]) ?? "complete",
    attempts: numberColumn(row, "attempts"),
    durationMs: numberColumn(row, "duration_ms"),
    isEstimated: row["is_estimated"] === 1,
    usage: pickFields(fields, tokens, numberField),
    ...(reason === undefined ? {} : { reason }),
  };
}

function parseSource(row: Row): Pick<LedgerRow, "profile" | "model" | "workspace" | "cost"> {
  const [amount, currency] = [numberField(row, "amount"), stringField(row, "currency")];
  return {
    ...pickFields(row, ["workspace"], stringField),
    profile: textColumn(row, "profile"),
    model: textColumn(row, "model"),
    ...(amount === undefined || currency === undefined ? {} : { cost: { amount, currency } }),
  };
}

function camelCased(row: Row): Row {
  const name = (column: string): string =>
    column.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [name(column), value]));
}
