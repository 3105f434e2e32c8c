import { t } from "@vscode/l10n";
import { credentialKinds, credentialParts, secretTexts } from "../../core/account/credentialKinds.ts";
import { describeAbsence } from "../../core/account/credentialState.ts";
import { describeSource } from "../../core/account/formatSource.ts";
import { remedyLabel, setRemedy } from "../../core/account/remedies.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import { readCredentialExpiry } from "../../core/account/storedSecret.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import type { Credential, SecretKind } from "../../core/kernel/credential.ts";
import { formatNumber, formatDuration } from "../../core/kernel/formatTime.ts";
import type { Target } from "./target.ts";

/** Maximum milliseconds of a step that reads a credential: longer than the profile's command may take. */
export const longestSourceMs = 90_000;

/** The credential and what can be told about it, or a finding that explains why there is none to send. */
export async function readCredential(
  target: Target,
  kind: SecretKind,
): Promise<{ readonly credential: Credential; readonly facts: readonly Fact[] } | Finding> {
  const reading = await target.ports.readSecret(target.profile, kind);
  const source = target.profile.credentialSources?.[kind];
  const origin = source === undefined ? [] : [{ label: t("Supplied by"), value: describeSource(source) }];
  if (reading.state !== "present")
    return {
      status: reading.state === "missing" && source === undefined ? "skipped" : "failed",
      summary: describeAbsence(reading, target.profile, kind) ?? "",
      facts: origin,
      remedies: credentialRemedies(target, kind),
      stops: t("No credential is set."),
    };
  const { credential, expiresAt = readCredentialExpiry(credential) } = reading;
  const names = credentialParts(kind).length > 1 ? [t("Access key"), t("API secret")] : [];
  const shapes = secretTexts(credential).map((text, index) =>
    secretShape(names[index] ?? credentialKinds[kind].noun(), text),
  );
  return { credential, facts: [...origin, ...shapes, ...expiryFact(target, expiresAt)] };
}

function expiryFact({ ports }: Target, expiresAt: number | undefined): readonly Fact[] {
  if (expiresAt === undefined) return [];
  const leftMs = expiresAt - ports.now();
  const left = leftMs > 0 ? t("in {0}", formatDuration(leftMs)) : t("{0} ago", formatDuration(-leftMs));
  return [{ label: t("Expires"), value: `${new Date(expiresAt).toUTCString()} (${left})` }];
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
function secretShape(label: string, secret: string): Fact {
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
