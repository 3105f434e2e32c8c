import { t } from "@vscode/l10n";
import { randomBytes } from "node:crypto";
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
import { formatOffset } from "../auth/clockOffset.ts";
import { messageToSign } from "../auth/signature.ts";
import { signatureVariants } from "../auth/signatureVariants.ts";
import { askServers, outcomeOf } from "./askServers.ts";
import type { Asked } from "./askServers.ts";
import { credentialRemedies, readCredential, secretShape } from "./sourceStep.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import type { Target } from "./target.ts";

/** Signs as the profile specifies; if that is refused, in every other way that the interface leaves open. */
async function trySignature(
  target: Target,
  credential: AccessKeyCredential,
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
    secretShape(t("Access key"), credential.accessKey),
    secretShape(t("API secret"), credential.apiSecret),
    ...(offsetMs === 0
      ? []
      : [{ label: t("Clock correction used for signing"), value: formatOffset(offsetMs) }]),
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
  const summary = [first.error.message, await verdictOn(target, credential, first, offsetMs, signal)];
  const remedies = credentialRemedies(target, "accessKey");
  return {
    status: "failed",
    summary: summary.join(" ").trim(),
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

/**
 * Which half of the pair is wrong, unless the gateway has named it or the clock may be the cause. Sends a request with an access key that certainly
 * doesn't exist: if the gateway responds differently than to ours, ours is valid and the API secret is wrong; otherwise,
 * the gateway doesn't reveal which one is wrong.
 */
async function verdictOn(
  target: Target,
  credential: AccessKeyCredential,
  first: Asked,
  offsetMs: number,
  signal: AbortSignal,
): Promise<string> {
  if (first.error?.facts.culprit !== undefined || first.isClockOpen === true) return "";
  if (credential.accessKey.length > credential.apiSecret.length) {
    return t("The access key is longer than the API secret. They may have been swapped.");
  }
  const accessKey = randomBytes(credential.accessKey.length)
    .toString("hex")
    .slice(0, credential.accessKey.length);
  const unknown = await ask(target, { ...credential, accessKey }, target.profile.signature, offsetMs, signal);
  const isKnown = wordsOf(unknown, accessKey) !== wordsOf(first, credential.accessKey);
  return isKnown
    ? t(
        "An unknown access key gets a different response. The access key is valid, so the API secret is wrong.",
      )
    : t(
        "An unknown access key gets the same response, so the gateway doesn't reveal which of the two is wrong: the access key or the API secret.",
      );
}

/** The message without anything that differs from request to request. */
function wordsOf({ error }: Asked, accessKey: string): string {
  const { statusCode, code, serverMessage = "" } = error?.facts ?? {};
  return JSON.stringify([statusCode, code, serverMessage.replaceAll(accessKey, "").replace(/\d+/g, "0")]);
}

/** Checks whether the gateway accepts the credential; if not, why not, and what it accepts instead. */
export const credentialStep: DiagnosisStep<Target> = {
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
