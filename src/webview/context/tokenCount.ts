import { t } from "@vscode/l10n";
import { estimateTokenCount } from "tokenx";
import { formatNumber } from "../../core/usage/formatNumber.ts";

/** About how many tokens the text is, such as `≈ 1.2k tokens`. Every model counts a little differently. */
export function describeTokens(text: string): string {
  const count = estimateTokenCount(text);
  return count === 1 ? t("≈ 1 token") : t("≈ {0} tokens", shortNumber(count));
}

function shortNumber(count: number): string {
  if (count < 1_000) return String(count);
  const thousands = count / 1_000;
  return `${formatNumber(thousands, undefined, { maximumFractionDigits: thousands < 100 ? 1 : 0 })}k`;
}
