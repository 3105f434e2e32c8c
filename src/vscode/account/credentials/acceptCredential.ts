import * as vscode from "vscode";
import { assertNever } from "../../../core/kernel/assertNever.ts";
import { credentialKinds, secretTexts } from "../../../core/account/credentialKinds.ts";
import type { Profile } from "../../../core/account/profile.ts";
import type { CheckedCredential, FailedVerdict } from "../../../core/account/secretCheck.ts";
import type { Credential, SecretKind } from "../../../core/kernel/credential.ts";
import { showErrorMessage, showWarningMessage } from "../../shell/window.ts";
import type { Profiles } from "../profiles/profiles.ts";
import { askCredential } from "./askCredential.ts";
import { checkWithProgress } from "./checkCredential.ts";
import type { CredentialContext } from "./checkCredential.ts";

interface CredentialRequest {
  readonly profile: Profile;
  readonly kind: SecretKind;
  /** Where the credential will be sent. */
  readonly origin: string;
  /** The access key that is kept if the user only enters another API secret. */
  readonly stored?: string | undefined;
}

/** A credential to be stored, with sentences for the user about it. */
export interface AcceptedCredential extends Pick<CheckedCredential, "notes"> {
  readonly credential: Credential;
}

/**
 * Asks for a credential until the server accepts it, the user wants it stored anyway, or the user cancels: then it is
 * undefined. Changes the signature format of the profile if the check has found a different one. The caller then stores
 * the credential.
 */
export async function acceptCredential(
  { profiles, redaction, log, check }: CredentialContext,
  { profile, kind, origin, stored }: CredentialRequest,
): Promise<AcceptedCredential | undefined> {
  for (let kept = stored; ;) {
    const credential = await askCredential(kind, profile, origin, { kept });
    if (credential === undefined) return undefined;
    for (const text of secretTexts(credential)) redaction.remember(text);
    const verdict = await checkWithProgress(check, profile, credential, origin);
    log.info(`${kind} of “${profile.name}” checked at ${origin}: ${verdict?.verdict ?? "canceled"}`);
    if (verdict === undefined) return undefined;
    if (verdict.verdict === "valid") {
      const notes = await adoptSignature(profiles, profile.name, verdict);
      return { credential, notes: [...verdict.notes, ...notes] };
    }
    log.warn(verdict.error.message);
    const decision = await decideVerdict(kind, verdict);
    if (decision === "storeAnyway") return { credential, notes: [] };
    if (decision !== "tryAgain") return undefined;
    kept = credential.kind === "accessKey" ? credential.accessKey : undefined;
  }
}

/**
 * Shows what is wrong with a credential and asks what to do. Modal, because the user is waiting for it and a
 * notification would disappear before it was read. A credential that couldn't be checked may be stored anyway.
 */
async function decideVerdict(
  kind: SecretKind,
  verdict: FailedVerdict,
): Promise<"tryAgain" | "storeAnyway" | undefined> {
  const tryAgain = vscode.l10n.t("Try Again");
  const storeAnyway = vscode.l10n.t("Store Anyway");
  const options = { modal: true, detail: verdict.error.message };
  const text = failureMessage(kind, verdict);
  const isWrong = verdict.verdict === "wrong";
  const picked = isWrong
    ? await showErrorMessage(text, options, tryAgain)
    : await showWarningMessage(text, options, storeAnyway, tryAgain);
  if (picked === storeAnyway && !isWrong) return "storeAnyway";
  return picked === tryAgain ? "tryAgain" : undefined;
}

function failureMessage(kind: SecretKind, { verdict, error }: FailedVerdict): string {
  const noun = credentialKinds[kind].noun();
  switch (verdict) {
    case "wrong":
      if (error.culprit === "apiSecret") {
        return vscode.l10n.t("The API secret doesn't belong to this access key. Nothing was stored.");
      }
      return vscode.l10n.t("Invalid {0}. Nothing was saved.", noun);
    case "unreachable":
      return vscode.l10n.t("The server is unreachable, so the {0} couldn't be checked.", noun);
    case "unclear":
      return vscode.l10n.t("Couldn't determine whether the {0} is valid.", noun);
    default:
      return assertNever(verdict);
  }
}

/**
 * Writes the signature format found by a check to the profile, because the key is useless without it. Resolves with
 * sentences for the user.
 */
async function adoptSignature(
  profiles: Profiles,
  profileName: string,
  { signature }: CheckedCredential,
): Promise<readonly string[]> {
  if (signature === undefined) return [];
  const { encoding, emptyValues } = signature;
  await profiles.put({ name: profileName, signatureEncoding: encoding, signatureEmptyValues: emptyValues });
  const way =
    emptyValues === "keep"
      ? vscode.l10n.t("{0}, empty values kept", encoding)
      : vscode.l10n.t("{0}, empty values left out", encoding);
  return [
    vscode.l10n.t("The gateway expects a different signature format. The profile was updated: {0}.", way),
  ];
}
