import { t } from "@vscode/l10n";
import { formatNumber } from "../../core/kernel/formatTime.ts";

const oneDigit = { maximumFractionDigits: 1 };

/** A duration in words, such as "0.3 s", "12 s" or "2 min 5 s". */
export function describeTime(milliseconds: number): string {
  if (milliseconds < 950)
    return t("{0} s", formatNumber(Math.max(100, milliseconds) / 1000, undefined, oneDigit));
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60
    ? t("{0} s", String(seconds))
    : t("{0} min {1} s", String(Math.floor(seconds / 60)), String(seconds % 60));
}
