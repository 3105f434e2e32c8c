import { t } from "@vscode/l10n";
import { credentialKinds } from "../../core/account/credentialKinds.ts";
import type { CredentialSource } from "../../core/account/credentialSource.ts";
import { describeAbsence } from "../../core/account/credentialState.ts";
import { describeSource } from "../../core/account/formatSource.ts";
import { remedyLabel, setRemedy } from "../../core/account/remedies.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import type { Credential, SecretKind } from "../../core/kernel/credential.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { formatOffset } from "../auth/clockOffset.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import type { Target } from "./target.ts";

/** Longer than a command may take, in milliseconds. */
const longestMs = 90_000;

/** Checks whether the command, file or variable in the profile supplies the credential; undefined if there is none. */
export function sourceStep({
  role,
  profile,
}: Pick<Target, "role" | "profile">): DiagnosisStep<Target> | undefined {
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
        ? t("The credential was obtained. It has no expiry time, so it is renewed when it is rejected.")
        : t(
            "The credential was obtained. It expires in {0} and is renewed before then.",
            formatOffset(leftMs),
          ),
    facts: [origin],
  };
}

/** The stored credential, or a finding that explains why there is none to send. */
export async function readCredential(target: Target, kind: SecretKind): Promise<Credential | Finding> {
  const reading = await target.ports.readSecret(target.profile, kind);
  if (reading.state === "present") return reading.credential;
  const summary = describeAbsence(reading, target.profile, kind) ?? "";
  return {
    status: reading.state === "missing" ? "skipped" : "failed",
    summary,
    remedies: credentialRemedies(target, kind),
    stops: t("No credential is set."),
  };
}

/** Offers to set the credential of this profile, and to create a key. */
export function credentialRemedies({ profile }: Target, secret: SecretKind): readonly ReportRemedy[] {
  const { setLabel, lifetime } = credentialKinds[secret];
  const { name: profileName, consoleUrl } = profile;
  const set = { remedy: setRemedy(secret), label: setLabel(), profileName };
  const isInConsole = consoleUrl !== undefined && lifetime === "key";
  return isInConsole ? [set, { remedy: "createKey", label: remedyLabel("createKey"), profileName }] : [set];
}

/** What can be said about a secret without revealing any of it: its length, and typical paste errors. */
export function secretShape(label: string, secret: string): Fact {
  const oddities = [
    secret !== secret.trim() ? t("leading or trailing whitespace") : undefined,
    /\s/.test(secret.trim()) ? t("whitespace inside") : undefined,
    /^["'`<].*["'`>]$/s.test(secret.trim()) ? t("surrounding quotes") : undefined,
    /^(?:Bearer|Basic)\s/i.test(secret) ? t("starts with “Bearer”, which is added automatically") : undefined,
    /[^\x20-\x7e\s]/.test(secret) ? t("invalid characters") : undefined,
  ].filter((oddity) => oddity !== undefined);
  const length = secret.length === 1 ? t("1 character") : t("{0} characters", formatNumber(secret.length));
  return { label, value: [length, ...oddities].join(", ") };
}
