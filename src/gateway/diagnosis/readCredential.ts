import { t } from "@vscode/l10n";
import type { Credential, SecretKind } from "../../core/kernel/credential.ts";
import type { Finding } from "../../core/diagnosis/diagnosis.ts";
import { describeAbsence } from "../../core/account/credentialState.ts";
import type { Target } from "./target.ts";
import { credentialKinds } from "../../core/account/credentialKinds.ts";
import { setRemedy } from "../../core/account/remedies.ts";

/** The stored credential, or the finding that says why there is none to send. */
export async function readCredential(target: Target, kind: SecretKind): Promise<Credential | Finding> {
  const reading = await target.ports.readSecret(target.profile, kind);
  if (reading.state === "present") return reading.credential;
  const summary = describeAbsence(reading, target.profile, kind) ?? "";
  return {
    status: reading.state === "missing" ? "skipped" : "failed",
    summary,
    remedies: [credentialRemedy(target, kind)],
    stops: t("No credential is set."),
  };
}

/** Asks for the credential of this profile. */
export function credentialRemedy({ profile }: Target, secret: SecretKind) {
  const label = credentialKinds[secret].setLabel();
  return { remedy: setRemedy(secret), label, profileName: profile.name } as const;
}
