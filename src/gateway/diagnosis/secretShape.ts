import { t } from "@vscode/l10n";
import type { Fact } from "../../core/diagnosis/diagnosis.ts";

/** What can be told of a secret without telling any of it: its length, and what a careless paste brings along. */
export function secretShape(label: string, secret: string): Fact {
  const oddities = [
    secret !== secret.trim() ? t("white space around it") : undefined,
    /\s/.test(secret.trim()) ? t("white space inside") : undefined,
    /^["'`<].*["'`>]$/s.test(secret.trim()) ? t("quotation marks around it") : undefined,
    /^(?:Bearer|Basic)\s/i.test(secret) ? t("begins with “Bearer”, which is added anyway") : undefined,
    /[^\x20-\x7e\s]/.test(secret) ? t("characters that no key has") : undefined,
  ].filter((oddity) => oddity !== undefined);
  return { label, value: [t("{0} characters", secret.length), ...oddities].join(", ") };
}
