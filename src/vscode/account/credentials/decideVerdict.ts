import * as vscode from "vscode";
import { assertNever } from "../../../core/kernel/assertNever.ts";
import type { SecretKind } from "../../../core/kernel/credential.ts";
import type { Decision, FailedVerdict } from "../../../core/account/setCredential.ts";
import { showErrorMessage, showWarningMessage } from "../../shell/window.ts";
import { credentialKinds } from "../../../core/account/credentialKinds.ts";

/**
 * Says what is wrong with a credential, and asks what to do. Modal: the user waits for this response, and a
 * notification would hide before it was read.
 * @param mayStore Whether one that could not be checked may be stored nevertheless.
 */
export async function decideVerdict(
  kind: SecretKind,
  verdict: FailedVerdict,
  mayStore: boolean,
): Promise<Decision> {
  const tryAgain = vscode.l10n.t("Try Again");
  const tryOtherSecret = vscode.l10n.t("Enter Another API Secret");
  const storeAnyway = vscode.l10n.t("Store Anyway");
  const options = { modal: true, detail: verdict.error.message };
  const text = failureMessage(kind, verdict);
  const { reason, culprit } = verdict.error;
  const isSecretOpen = kind === "accessKey" && reason === "signature" && culprit !== "accessKey";
  const again = [...(isSecretOpen ? [tryOtherSecret] : []), tryAgain];
  const picked =
    verdict.verdict === "wrong" || !mayStore
      ? await showErrorMessage(text, options, ...again)
      : await showWarningMessage(text, options, storeAnyway, ...again);
  if (picked === tryOtherSecret) return "tryOtherSecret";
  if (picked === storeAnyway) return "storeAnyway";
  return picked === tryAgain ? "tryAgain" : "cancel";
}

function failureMessage(kind: SecretKind, { verdict, error }: FailedVerdict): string {
  const label = credentialKinds[kind].label();
  switch (verdict) {
    case "wrong":
      if (error.culprit === "apiSecret") {
        return vscode.l10n.t("The API secret doesn't belong to this access key. Nothing was stored.");
      }
      return vscode.l10n.t("Invalid {0}. It was not saved.", label);
    case "unreachable":
      return vscode.l10n.t("The server is unreachable, so the {0} could not be checked.", label);
    case "unclear":
      return vscode.l10n.t("Couldn't determine whether the {0} is valid.", label);
    default:
      return assertNever(verdict);
  }
}
