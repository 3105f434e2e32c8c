import { t } from "@vscode/l10n";
import type { Fact } from "../../core/diagnosis/diagnosis.ts";

/** What can be said about a secret without revealing any of it: its length, and typical paste errors. */
export function secretShape(label: string, secret: string): Fact {
  const oddities = [
    secret !== secret.trim() ? t("leading or trailing whitespace") : undefined,
    /\s/.test(secret.trim()) ? t("whitespace inside") : undefined,
    /^["'`<].*["'`>]$/s.test(secret.trim()) ? t("surrounding quotes") : undefined,
    /^(?:Bearer|Basic)\s/i.test(secret) ? t("starts with “Bearer”, which is added automatically") : undefined,
    /[^\x20-\x7e\s]/.test(secret) ? t("invalid characters") : undefined,
  ].filter((oddity) => oddity !== undefined);
  return { label, value: [t("{0} characters", secret.length), ...oddities].join(", ") };
}
