import { t } from "@vscode/l10n";
import { formatCost } from "../../conversation/prices.ts";
import { purposeLabel } from "../../conversation/requestPurpose.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { exchangeDocument } from "../exchange/exchangeDocument.ts";
import { jsonText, oneLine } from "../exchange/jsonText.ts";
import type { LedgerOutcome, LedgerRow } from "./ledgerRow.ts";

/** Everything that is recorded about a request, as JSON with comments. */
export function ledgerDocument(row: LedgerRow, exchange: Exchange | undefined, locale: string): string {
  const facts = jsonText({ ...shownFacts(row), startedAt: new Date(row.startedAt).toISOString() });
  const note =
    exchange === undefined
      ? t("The request itself isn't available: nothing was sent, or it is too old.")
      : exchange.attempts.some(({ request }) => request.body === "")
        ? t("The content of this request isn't kept. The setting “{0}” controls this.", keepSetting)
        : undefined;
  return [
    `// ${oneLine(t("Entry in the usage records: {0}", describeRow(row, locale)))}`,
    ...(note === undefined ? [] : [`// ${oneLine(note)}`]),
    `${facts.replaceAll(/^/gm, "// ")}`,
    exchange === undefined ? "{}\n" : exchangeDocument([exchange]),
  ].join("\n");
}

/** How a request ended, in the user's language. */
const outcomeLabels: Readonly<Record<LedgerOutcome, () => string>> = {
  running: () => t("In progress"),
  complete: () => t("Complete"),
  stopped: () => t("Stopped"),
  failed: () => t("Failed"),
  refused: () => t("Not sent"),
  lost: () => t("Window closed"),
};

/** The setting that decides what is kept. */
export const keepSetting = "inferenceGateway.requests.keepContent";

/** By name, because rows may have other columns in the future. */
function shownFacts(row: LedgerRow): Readonly<Record<string, unknown>> {
  const { id, purpose, extension, profile, model, workspace, conversationId, messageId } = row;
  const { outcome, attempts, durationMs, usage, isEstimated, cost, reason, requestId } = row;
  return {
    ...{ id, startedAt: undefined, purpose, extension, profile, model, workspace, conversationId, messageId },
    ...{ outcome, reason, attempts, durationMs, usage, isEstimated, cost, requestId },
  };
}

/** The row in a few words: sender, outcome, tokens and cost. */
export function describeRow(row: LedgerRow, locale: string | undefined): string {
  const { purpose, extension, profile, outcome, usage, cost } = row;
  const { promptTokens, completionTokens } = usage;
  return [
    purposeLabel(purpose),
    extension,
    profile,
    outcomeLabels[outcome](),
    promptTokens === undefined || completionTokens === undefined
      ? undefined
      : t("{0} tokens", formatNumber(promptTokens + completionTokens, locale)),
    cost === undefined ? undefined : formatCost(cost, locale),
  ]
    .filter((part) => part !== undefined && part !== "")
    .join(" · ");
}
