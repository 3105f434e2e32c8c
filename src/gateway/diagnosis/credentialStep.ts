import { t } from "@vscode/l10n";
import { credentialKinds, gatewayKinds, isGatewayCredential } from "../../core/account/credentialKinds.ts";
import { tokenPlace } from "../../core/account/credentialPlaces.ts";
import { isRefusal } from "../../core/account/credentialState.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import { readTokenExpiry } from "../../core/account/storedSecret.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import type {
  AccessKeyCredential,
  GatewayCredentialKind,
  SignatureOptions,
  TokenCredential,
} from "../../core/kernel/credential.ts";
import { mask, maskSecretText } from "../../core/servers/secretMask.ts";
import { messageToSign } from "../auth/signature.ts";
import { signatureVariants } from "../auth/signatureVariants.ts";
import { askServers, outcomeOf } from "./askServers.ts";
import type { Asked } from "./askServers.ts";
import { credentialRemedies, longestSourceMs, readCredential } from "./credentials.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import type { Target } from "./target.ts";
import { formatDuration } from "../../core/kernel/formatTime.ts";

/** Signs as the profile specifies; if that is refused, in every other way that the interface leaves open. */
async function trySignature(
  target: Target,
  credential: AccessKeyCredential,
  shapes: readonly Fact[],
  signal: AbortSignal,
): Promise<Finding> {
  const { signature } = target.profile;
  const clock = target.ports.clockOffsets.of(target.url.origin);
  const asked = await ask(target, credential, signature, clock.offsetMs, signal);
  const offsetMs = asked.otherOffsetMs ?? clock.offsetMs;
  const first =
    asked.otherOffsetMs === undefined ? asked : await ask(target, credential, signature, offsetMs, signal);
  const facts = [
    { label: t("String to sign"), value: shownMessage(first.url, signature) },
    { label: t("Signed as"), value: listVariants(signature) },
    ...shapes,
    ...(offsetMs === 0
      ? []
      : [{ label: t("Clock correction used for signing"), value: formatDuration(offsetMs) }]),
  ];
  if (first.error === undefined) {
    clock.offsetMs = offsetMs;
    return { status: "passed", summary: t("The gateway accepts the signature."), facts };
  }
  if (first.error.reason !== "signature") {
    return { status: "failed", summary: first.error.message, facts, stops: refused() };
  }
  const trials: Fact[] = [trial(signature, first)];
  for (const options of signatureVariants(signature, first.url.searchParams)) {
    const variant = await ask(target, credential, options, offsetMs, signal);
    trials.push(trial(options, variant));
    if (variant.error !== undefined) continue;
    clock.offsetMs = offsetMs;
    return found(target, options, [...facts, ...trials, acceptedMessage(variant.url, options)]);
  }
  const isSwapped =
    first.error.facts.culprit === undefined && credential.accessKey.length > credential.apiSecret.length;
  const swapped = t("The access key is longer than the API secret. They may have been swapped.");
  const remedies = credentialRemedies(target, "accessKey");
  return {
    status: "failed",
    summary: isSwapped ? `${first.error.message} ${swapped}` : first.error.message,
    facts: [...facts, ...trials],
    remedies,
    stops: refused(),
  };
}

function ask(
  target: Target,
  credential: AccessKeyCredential,
  signature: SignatureOptions,
  offsetMs: number,
  signal: AbortSignal,
): Promise<Asked> {
  return askServers(target, { ...target.profile, signature }, credential, offsetMs, signal);
}

function refused(): string {
  return t("The gateway rejects the credential.");
}

function found(target: Target, options: SignatureOptions, facts: readonly Fact[]): Finding {
  const { profile } = target;
  target.profile = { ...profile, signature: options };
  const label = t("Sign as {0}", listVariants(options));
  const change = { signatureEncoding: options.encoding, signatureEmptyValues: options.emptyValues };
  return {
    status: "failed",
    summary: t("The gateway expects a different signature format: {0}.", listVariants(options)),
    facts,
    remedies: [{ remedy: "changeProfile", label, profileName: profile.name, change }],
  };
}

function acceptedMessage(url: URL, options: SignatureOptions): Fact {
  return { label: t("Accepted string to sign"), value: shownMessage(url, options) };
}

function trial(options: SignatureOptions, asked: Asked): Fact {
  return { label: t("Tried"), value: `${listVariants(options)}: ${outcomeOf(asked)}` };
}

function listVariants({ encoding, emptyValues }: SignatureOptions): string {
  return emptyValues === "keep"
    ? t("{0}, empty values kept", encoding)
    : t("{0}, empty values left out", encoding);
}

/** The complete message except for the access key at its end (interface section 5.3, step 3). */
function shownMessage(url: URL, options: SignatureOptions): string {
  const nonce = url.searchParams.get("nonce") ?? "";
  const parameters = [...url.searchParams].map(([name, value]) => [name, maskSecretText(value)] as const);
  return messageToSign({
    parameters,
    nonce,
    credential: { kind: "accessKey", accessKey: mask, apiSecret: "" },
    options,
  });
}

/** Checks whether the gateway accepts the credential; if not, why not, and what it accepts instead. */
export const credentialStep: DiagnosisStep<Target> = {
  title: () => t("Gateway credential"),
  maxMs: longestSourceMs,
  async run(target, signal): Promise<Finding> {
    const kind = target.profile.gatewayCredential;
    const reading = await readCredential(target, kind);
    if (!("credential" in reading)) return reading;
    const { credential, facts } = reading;
    if (!isGatewayCredential(credential)) return { status: "failed", summary: "" };
    target.credential = credential;
    const finding =
      credential.kind === "accessKey"
        ? await trySignature(target, credential, facts, signal)
        : await tryToken(target, credential, facts, signal);
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

async function tryToken(
  target: Target,
  credential: TokenCredential,
  shapes: readonly Fact[],
  signal: AbortSignal,
): Promise<Finding> {
  const { token, kind } = credential;
  const facts = [...shapes, ...carrierFact(kind, target)];
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
