import { t } from "@vscode/l10n";
import { estimateTokenCount } from "tokenx";
import { formatNumber } from "../../../core/kernel/formatNumber.ts";

/** UTF-16 units that are counted of a text; what a longer one has more is taken to be like it. */
const countedLength = 40_000;

/** About how many tokens the text is. A long text costs no more than a short one. */
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
