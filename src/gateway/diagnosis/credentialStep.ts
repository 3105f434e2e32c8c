import { t } from "@vscode/l10n";
import {
  credentialKinds,
  gatewayKinds,
  isGatewayCredential,
  credentialParts,
  secretTexts,
} from "../../core/account/credentialKinds.ts";
import { tokenPlace } from "../../core/account/credentialPlaces.ts";
import { isRefusal, describeAbsence } from "../../core/account/credentialState.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import { readTokenExpiry, readCredentialExpiry } from "../../core/account/storedSecret.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import type {
  AccessKeyCredential,
  GatewayCredentialKind,
  SignatureOptions,
  TokenCredential,
  GatewayCredential,
  Credential,
  SecretKind,
} from "../../core/kernel/credential.ts";
import { mask, maskSecretText } from "../../core/servers/secretMask.ts";
import { messageToSign } from "../auth/signature.ts";
import { signatureVariants } from "../auth/signatureVariants.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import type { Target } from "./target.ts";
import { formatDuration, formatNumber } from "../../core/kernel/formatTime.ts";
import type { Profile } from "../../core/account/profile.ts";
import { authenticateRequest } from "../auth/gatewayRequest.ts";
import { correctedOffset } from "../auth/clockOffset.ts";
import { takeNonce } from "../auth/gatewaySender.ts";
import { explainRefusal } from "../auth/refusalCause.ts";
import { secretsOfRequest } from "../errors/serverText.ts";
import { readErrorResponse } from "../http/errorResponse.ts";
import { createGatewayClient } from "../servers/gatewayClient.ts";
import { needsApiKey } from "../../core/account/profile.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { createInferenceClient } from "../completion/inferenceClient.ts";
import type { InferenceClient } from "../completion/inferenceClient.ts";
import { failedFinding } from "./runSteps.ts";
import { describeSource } from "../../core/account/formatSource.ts";
import { remedyLabel, setRemedy } from "../../core/account/remedies.ts";

/** Maximum milliseconds of a step that reads a credential: longer than the profile's command may take. */
const longestSourceMs = 90_000;

/** The credential and what can be told about it, or a finding that explains why there is none to send. */
async function readCredential(
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
function credentialRemedies({ profile }: Target, secret: SecretKind): readonly ReportRemedy[] {
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

const question = "Say: ok";
const maxTokens = 16;
/** Models that respond with something other than text. */
const otherModels = /embed|rerank|whisper|tts|speech|image|diffusion|flux|video|moderation|ocr/i;

/** Checks whether a response is streamed, and how fast. */
export const tokenStep: DiagnosisStep<Target> = {
  title: () => t("Streamed response"),
  maxMs: 60_000,
  async run(target, signal): Promise<Finding> {
    const model = chooseModel(target);
    if (model === undefined) return { status: "skipped", summary: t("No model is available.") };
    const asked: Fact = {
      label: t("Request"),
      value: t("{0}: “{1}”, at most {2} tokens", model, question, formatNumber(maxTokens)),
    };
    const begun = performance.now();
    let firstMs: number | undefined;
    const run = inferenceClient(target).complete(
      { model, messages: [{ role: "user", content: question }], maxTokens, stream: true },
      {},
    );
    const stop = (): void => run.stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const { type } of run.events)
        if (type === "text" || type === "reasoning") firstMs ??= performance.now() - begun;
    } catch (error) {
      return { ...failedFinding(error), facts: [asked] };
    } finally {
      signal.removeEventListener("abort", stop);
    }
    signal.throwIfAborted();
    const facts = [asked];
    if (firstMs === undefined)
      return { status: "warning", summary: t("The response ended without any text."), facts };
    const summary = t("First token after {0} ms.", formatNumber(Math.round(firstMs)));
    return { status: "passed", summary, facts };
  },
};

/** The model used last, otherwise the first one that looks like a chat model. */
function chooseModel({ models = [], ports }: Target): string | undefined {
  const ids = models.map(({ id }) => id);
  return ids.find((id) => id === ports.lastModel) ?? ids.find((id) => !otherModels.test(id)) ?? ids[0];
}

/** Number of model names worth listing. */
const shownModels = 5;

/** Checks whether the key is accepted, and which models there are. */
export const apiKeyStep: DiagnosisStep<Target> = {
  title: () => t("API key and models"),
  maxMs: longestSourceMs,
  async run(target, signal): Promise<Finding> {
    const reading = await readCredential(target, "apiKey");
    const isKey = "credential" in reading;
    if (isKey) target.credential = reading.credential;
    // Some servers don't need one.
    else if (reading.status === "failed" || needsApiKey(target.profile)) return reading;
    const shape = isKey ? reading.facts : [];
    try {
      target.models = await inferenceClient(target).listModels(signal);
    } catch (error) {
      signal.throwIfAborted();
      const isKeyWrong =
        error instanceof ServiceError && (error.reason === "apiKey" || error.reason === "missingCredential");
      const remedies = isKeyWrong ? credentialRemedies(target, "apiKey") : [];
      const stops = t("The list of models couldn't be read.");
      return { ...failedFinding(error), facts: shape, remedies, stops };
    }
    const { length } = target.models;
    if (length === 0) {
      const summary = t("The key is valid, but no models are available to it.");
      return { status: "warning", summary, facts: shape, stops: t("No model is available.") };
    }
    const names = target.models.slice(0, shownModels).map(({ id }) => ({ label: t("Model"), value: id }));
    const summary = isKey
      ? t("The key is accepted. Models: {0}.", formatNumber(length))
      : t("No key required. Models: {0}.", formatNumber(length));
    return { status: "passed", summary, facts: [...shape, ...names] };
  },
};

/** The product's own client, with a single attempt. */
function inferenceClient(target: Target): InferenceClient {
  const { ports, profile, credential } = target;
  return createInferenceClient({
    transport: ports.transport,
    baseUrl: profile.inferenceBaseUrl ?? "",
    readApiKey: () => Promise.resolve(credential?.kind === "apiKey" ? credential.apiKey : undefined),
    timeoutMs: () => ports.stepMs,
    headers: profile.headers,
    userAgent: ports.userAgent,
    allowInsecureHttp: profile.allowInsecureHttp,
    isKeyOptional: !needsApiKey(profile),
    retryPolicy: () => ({ maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 0, maxServerWaitMs: 0 }),
  });
}

/** Checks whether the list of servers can be read, and what of it is recognized. */
export const serversStep: DiagnosisStep<Target> = {
  title: () => t("GPU servers"),
  async run(target, signal): Promise<Finding> {
    const { ports, profile, credential } = target;
    const client = createGatewayClient({
      transport: ports.transport,
      profile,
      readCredential: () =>
        Promise.resolve(
          credential === undefined || !isGatewayCredential(credential) ? undefined : credential,
        ),
      clockOffsets: ports.clockOffsets,
      now: () => ports.now(),
      timeoutMs: () => ports.stepMs,
      userAgent: ports.userAgent,
    });
    const list = await client.listServers({ signal, retry: false });
    const { length } = list.servers;
    const summary =
      length === 1 ? t("There is one server.") : t("There are {0} servers.", formatNumber(length));
    const nameless = list.servers.filter(({ id, name }) => id === undefined && name === undefined).length;
    if (nameless === 0) return { status: "passed", summary };
    const facts = [{ label: t("Servers without an ID or name"), value: formatNumber(nameless) }];
    return { status: "warning", summary, facts };
  },
};

/** One request for the list of servers, sent without the client: once, whatever the response is. */
interface Asked {
  /** Includes its signature; use it only to read what was signed. */
  readonly url: URL;
  /** Undefined if the credential was accepted. */
  readonly error?: ServiceError;
  /** The offset to sign with again, if the clock may be why the signature was rejected. */
  readonly otherOffsetMs?: number;
}

/** @param offsetMs Added to our clock for the nonce. */
async function askServers(
  { ports, url }: Target,
  profile: Profile,
  credential: GatewayCredential,
  offsetMs: number,
  signal: AbortSignal,
): Promise<Asked> {
  const clock = ports.clockOffsets.of(url.origin);
  const request = { url, credential, profile };
  const nonce = await takeNonce(clock, request, () => ports.now() + offsetMs, signal);
  const authenticated = authenticateRequest(url, credential, profile, nonce);
  const response = await ports.transport.request({
    method: "GET",
    url: authenticated.url,
    headers: { ...authenticated.headers, accept: "application/json", "user-agent": ports.userAgent },
    signal,
    timeoutMs: ports.stepMs,
    isAuthenticated: true,
    allowInsecureHttp: profile.allowInsecureHttp,
  });
  if (response.statusCode < 300) {
    response.body.destroy();
    return { url: authenticated.url };
  }
  const error = await readErrorResponse(response, {
    kind: "gateway",
    credential: credential.kind,
    method: "GET",
    url: authenticated.url,
    secrets: secretsOfRequest(credential, authenticated.url),
  });
  const isTimed = error.reason === "signature" && credential.kind === "accessKey";
  const otherOffsetMs = isTimed ? correctedOffset(response, offsetMs) : undefined;
  return {
    url: authenticated.url,
    error: explainRefusal(error, credential.kind, response),
    ...(otherOffsetMs === undefined ? {} : { otherOffsetMs }),
  };
}

/** The response in a few words. */
function outcomeOf({ error }: Asked): string {
  if (error === undefined) return "✔";
  return ["✖", error.statusCode, error.code].filter((part) => part !== undefined).join(" ");
}

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
