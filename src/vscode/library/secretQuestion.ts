import * as vscode from "vscode";
import { shortenSecret } from "../../core/compose/send/secretFinding.ts";
import type { SecretFinding } from "../../core/compose/send/secretFinding.ts";
import { showWarningMessage } from "../shell/window.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/** Whether the user wants secrets to be masked in what is written to a file; undefined if the user cancels. */
export async function asksToMask(
  findings: readonly SecretFinding[],
  { mask, keep }: { readonly mask: string; readonly keep: string },
): Promise<boolean | undefined> {
  const question =
    findings.length === 1
      ? vscode.l10n.t("The conversation contains a value that looks like a secret.")
      : vscode.l10n.t(
          "The conversation contains {0} values that look like secrets.",
          formatNumber(findings.length),
        );
  const detail = findings
    .slice(0, 10)
    .map(({ kind, value }) => `${kind}: ${shortenSecret(value)}`)
    .join("\n");
  const picked = await showWarningMessage(question, { modal: true, detail }, mask, keep);
  return picked === undefined ? undefined : picked === mask;
}
