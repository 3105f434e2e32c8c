import { t } from "@vscode/l10n";
import { estimateTokenCount } from "tokenx";

/** About how many tokens the text is, such as `≈ 1.2k tokens`. Every model counts a little differently. */
export function describeTokens(text: string): string {
  const count = estimateTokenCount(text);
  return count === 1 ? t("≈ 1 token") : t("≈ {0} tokens", shortNumber(count));
}

function shortNumber(count: number): string {
  if (count < 1_000) return String(count);
  const thousands = count / 1_000;
  return `${thousands < 100 ? thousands.toFixed(1).replace(/\.0$/, "") : Math.round(thousands)}k`;
}
