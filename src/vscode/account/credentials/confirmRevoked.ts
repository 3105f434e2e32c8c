import * as vscode from "vscode";
import { credentialNoun } from "../../../core/account/credentialRow.ts";
import type { StoredSecret } from "../../../core/account/storedSecret.ts";
import { secretOrigin } from "../../../core/account/secretEntries.ts";
import type { CheckVerdict } from "../../../core/account/secretCheck.ts";
import { checkWithProgress } from "./checkCredential.ts";
import type { CredentialContext } from "./checkCredential.ts";
import { showConfirmation, showWarningMessage } from "../../shell/window.ts";

/**
 * Deletes the old secret of a rotation once the user says that it is revoked. A request checks whether that is so. If
 * the server still accepts the secret, the user is informed and decides. True once the old secret is deleted.
 */
export async function confirmRevoked(context: CredentialContext, secret: StoredSecret): Promise<boolean> {
  const { profileName, kind } = secret;
  const verdict = await askServer(context, secret);
  if (verdict === undefined) return false;
  if (verdict !== "wrong" && !(await forgetAnyway(secret, verdict))) return false;
  await context.vault.removeSlot(profileName, kind, "previous");
  context.log.info(`The old ${kind} of “${profileName}” is revoked (${verdict}) and was deleted`);
  const message = vscode.l10n.t("Removed the old {0} for “{1}”.", credentialNoun(secret), profileName);
  showConfirmation(message);
  return true;
}

/** Checks whether the server still accepts the old secret. Undefined if the user cancels. */
async function askServer(
  { profiles, vault, check }: CredentialContext,
  { profileName, kind }: StoredSecret,
): Promise<CheckVerdict["verdict"] | undefined> {
  const profile = profiles.find(profileName);
  const origin = profile === undefined ? undefined : secretOrigin(profile, kind);
  if (profile === undefined || origin === undefined) return "unclear";
  const reading = await vault.read(profile, kind, "previous");
  if (reading.state !== "present") return "unclear";
  return (await checkWithProgress(check, profile, reading.credential, origin))?.verdict;
}

async function forgetAnyway(
  secret: StoredSecret,
  verdict: "valid" | "unreachable" | "unclear",
): Promise<boolean> {
  const noun = credentialNoun(secret);
  const question =
    verdict === "valid"
      ? vscode.l10n.t("The server still accepts the old {0} for “{1}”.", noun, secret.profileName)
      : vscode.l10n.t(
          "Couldn't determine whether the old {0} for “{1}” is revoked.",
          noun,
          secret.profileName,
        );
  const detail =
    verdict === "valid"
      ? vscode.l10n.t("Revoke it in the console first. After it's removed here, you won't be reminded again.")
      : vscode.l10n.t(
          "Have you revoked it in the console? After it's removed here, you won't be reminded again.",
        );
  const forget = vscode.l10n.t("Remove Old Key");
  return (await showWarningMessage(question, { modal: true, detail }, forget)) === forget;
}
