import * as vscode from "vscode";
import type { CheckVerdict } from "../../../core/account/secretCheck.ts";
import type { Profiles } from "../profiles/profiles.ts";

/**
 * Writes the way of signing that a check has found into the profile: the key is of no use without it. Resolves with
 * sentences for the user.
 */
export async function adoptSignature(
  profiles: Profiles,
  profileName: string,
  verdict: CheckVerdict | undefined,
): Promise<readonly string[]> {
  if (verdict?.verdict !== "valid" || verdict.signature === undefined) return [];
  const { encoding, emptyValues } = verdict.signature;
  await profiles.put({ name: profileName, signatureEncoding: encoding, signatureEmptyValues: emptyValues });
  const way =
    emptyValues === "keep"
      ? vscode.l10n.t("{0}, empty values kept", encoding)
      : vscode.l10n.t("{0}, empty values left out", encoding);
  return [
    vscode.l10n.t("The gateway expects a different signature format. The profile was updated: {0}.", way),
  ];
}
