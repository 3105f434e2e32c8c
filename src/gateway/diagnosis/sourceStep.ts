import { t } from "@vscode/l10n";
import { credentialKinds } from "../../core/account/credentialKinds.ts";
import { describeSource } from "../../core/account/formatSource.ts";
import type { CredentialSource } from "../../core/account/credentialSource.ts";
import { describeAbsence } from "../../core/account/credentialState.ts";
import type { Finding } from "../../core/diagnosis/diagnosis.ts";
import type { SecretKind } from "../../core/kernel/credential.ts";
import { formatOffset } from "../auth/clockOffset.ts";
import { credentialRemedies } from "./readCredential.ts";
import type { Step } from "./runSteps.ts";
import type { Target } from "./target.ts";

/** Longer than a command may take, in milliseconds. */
const longestMs = 90_000;

/** Checks whether the command, file or variable in the profile supplies the credential; undefined if there is none. */
export function sourceStep({ role, profile }: Pick<Target, "role" | "profile">): Step<Target> | undefined {
  const kind = role === "inference" ? "apiKey" : profile.gatewayCredential;
  const source = profile.credentialSources?.[kind];
  if (source === undefined) return undefined;
  return {
    title: () => t("Source of the {0}", credentialKinds[kind].noun()),
    maxMs: longestMs,
    run: (target) => checkSource(target, kind, source),
  };
}

async function checkSource(target: Target, kind: SecretKind, source: CredentialSource): Promise<Finding> {
  const reading = await target.ports.readSecret(target.profile, kind);
  const origin = { label: t("Supplied by"), value: describeSource(source) };
  if (reading.state !== "present") {
    return {
      status: "failed",
      summary: describeAbsence(reading, target.profile, kind) ?? "",
      facts: [origin],
      remedies: credentialRemedies(target, kind),
      stops: t("No credential is set."),
    };
  }
  const { expiresAt } = reading;
  const leftMs = expiresAt === undefined ? undefined : expiresAt - target.ports.now();
  return {
    status: "passed",
    summary:
      leftMs === undefined
        ? t("A credential is supplied. It doesn't say when it expires, so it is renewed when it is rejected.")
        : t("A credential is supplied and renewed before it expires, which is in {0}.", formatOffset(leftMs)),
    facts: [origin],
  };
}
