import { t } from "@vscode/l10n";
import { estimateTokenCount } from "tokenx";
import { formatNumber } from "../../../core/kernel/formatNumber.ts";

/** UTF-16 code units of a text that are counted. The rest of a longer text is assumed to be similar. */
const countedLength = 40_000;

/** Estimates the number of tokens in the text. A long text takes no longer than a short one. */
export function estimateTokens(text: string): number {
  if (text.length <= countedLength) return estimateTokenCount(text);
  return Math.round((estimateTokenCount(text.slice(0, countedLength)) * text.length) / countedLength);
}

/** About how many tokens the text is, such as `≈ 1.2k tokens`. Every model counts a little differently. */
export function describeTokens(text: string): string {
  const count = estimateTokens(text);
  return count === 1 ? t("≈ 1 token") : t("≈ {0} tokens", shortNumber(count));
}

function shortNumber(count: number): string {
  if (count < 1_000) return String(count);
  const thousands = count / 1_000;
  return `${formatNumber(thousands, undefined, { maximumFractionDigits: thousands < 100 ? 1 : 0 })}k`;
}
