import { t } from "@vscode/l10n";
import type { GatewayCredentialKind, TokenCredential } from "../../core/kernel/credential.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import { formatOffset } from "../auth/clockOffset.ts";
import { isRefusal } from "../../core/account/credentialState.ts";
import { readTokenExpiry } from "../../core/account/tokenExpiry.ts";
import { askServers } from "./askServers.ts";
import { credentialRemedies, readCredential, secretShape } from "./readCredential.ts";
import type { Step } from "./runSteps.ts";
import { trySignature } from "./signatureStep.ts";
import type { Target } from "./target.ts";
import { isGatewayCredential, credentialKinds, gatewayKinds } from "../../core/account/credentialKinds.ts";
import { tokenPlace } from "../../core/account/credentialPlaces.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";

/** Checks whether the gateway accepts the credential; if not, why not, and what it accepts instead. */
export const credentialStep: Step<Target> = {
  title: () => t("Gateway credential"),
  async run(target, signal): Promise<Finding> {
    const kind = target.profile.gatewayCredential;
    const reading = await readCredential(target, kind);
    if (!("kind" in reading)) return reading;
    if (!isGatewayCredential(reading)) return { status: "failed", summary: "" };
    target.credential = reading;
    const finding =
      reading.kind === "accessKey"
        ? await trySignature(target, reading, signal)
        : await tryToken(target, reading, signal);
    if (finding.status !== "failed" || finding.stops === undefined) return finding;
    const other = await tryOtherKinds(target, kind, signal);
    if (other === undefined) return finding;
    return {
      ...finding,
      summary: `${finding.summary} ${t("The stored {0} for this profile is accepted.", credentialKinds[other].noun())}`,
      remedies: [useRemedy(target, other), ...(finding.remedies ?? [])],
    };
  },
};

async function tryToken(target: Target, credential: TokenCredential, signal: AbortSignal): Promise<Finding> {
  const { token, kind } = credential;
  const facts = [
    secretShape(credentialKinds[kind].noun(), token),
    ...carrierFact(kind, target),
    ...expiryFact(target, token),
  ];
  const { error } = await askServers(target, target.profile, credential, 0, signal);
  if (error === undefined) {
    return {
      status: "passed",
      summary: t("The gateway accepts the {0}.", credentialKinds[kind].noun()),
      facts,
    };
  }
  const isRefused = isRefusal(error);
  const expiresAt = readTokenExpiry(token);
  const isOver = expiresAt !== undefined && expiresAt <= target.ports.now();
  const cause = isRefused && isOver ? ` ${t("The token's own expiry time has passed.")}` : "";
  return {
    status: "failed",
    summary: `${error.message}${cause}`,
    facts,
    remedies: isRefused ? credentialRemedies(target, kind) : [],
    stops: isRefused ? t("The gateway rejects the credential.") : t("An earlier step failed."),
  };
}

function carrierFact(kind: TokenCredential["kind"], { profile }: Target): readonly Fact[] {
  const [place] = Object.entries(tokenPlace(kind, profile));
  return place === undefined ? [] : [{ label: t("Sent in"), value: place.join(" ") }];
}

function expiryFact({ ports }: Target, token: string): readonly Fact[] {
  const expiresAt = readTokenExpiry(token);
  if (expiresAt === undefined) return [];
  const leftMs = expiresAt - ports.now();
  const left = leftMs > 0 ? t("in {0}", formatOffset(leftMs)) : t("{0} ago", formatOffset(-leftMs));
  return [{ label: t("Expires"), value: `${new Date(expiresAt).toUTCString()} (${left})` }];
}

/** Tries only kinds that are stored for this address; the first one that is accepted is used. */
async function tryOtherKinds(
  target: Target,
  own: GatewayCredentialKind,
  signal: AbortSignal,
): Promise<GatewayCredentialKind | undefined> {
  for (const kind of gatewayKinds.filter((other) => other !== own)) {
    const reading = await target.ports.readSecret(target.profile, kind);
    if (reading.state !== "present" || !isGatewayCredential(reading.credential)) continue;
    const { offsetMs } = target.ports.clockOffsets.of(target.url.origin);
    const asked = await askServers(target, target.profile, reading.credential, offsetMs, signal);
    if (asked.error === undefined) return kind;
  }
  return undefined;
}

function useRemedy({ profile }: Target, kind: GatewayCredentialKind): ReportRemedy {
  const label = t("Use the {0} for the gateway", credentialKinds[kind].noun());
  return { remedy: "changeProfile", label, profileName: profile.name, change: { gatewayCredential: kind } };
}
