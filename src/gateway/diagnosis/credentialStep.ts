import { t } from "@vscode/l10n";
import { credentialKinds, gatewayKinds, isGatewayCredential } from "../../core/account/credentialKinds.ts";
import { tokenPlace } from "../../core/account/credentialPlaces.ts";
import { isRefusal, describeAbsence } from "../../core/account/credentialState.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import { readCredentialExpiry } from "../../core/account/storedSecret.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import type {
  GatewayCredentialKind,
  SignatureOptions,
  GatewayCredential,
  Credential,
  SecretKind,
} from "../../core/kernel/credential.ts";
import { mask, maskSecretText } from "../../core/servers/secretMask.ts";
import { messageToSign } from "../auth/signature.ts";
import { findSignature } from "../auth/signatureVariants.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import { stepMs } from "./target.ts";
import type { Target } from "./target.ts";
import { formatDuration, formatNumber } from "../../core/kernel/formatTime.ts";
import type { Profile } from "../../core/account/profile.ts";
import { requestServerList } from "../servers/gatewayClient.ts";
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
  return { credential, facts: [...origin, ...expiryFact(expiresAt)] };
}

function expiryFact(expiresAt: number | undefined): readonly Fact[] {
  if (expiresAt === undefined) return [];
  const leftMs = expiresAt - Date.now();
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

const question = "Say: ok";
const maxTokens = 16;
/** Models that respond with something other than text. */
const otherModels = /embed|rerank|whisper|tts|speech|image|diffusion|flux|video|moderation|ocr/i;

/** Checks whether a response is streamed, and how fast. */
export const tokenStep: DiagnosisStep = {
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
export const apiKeyStep: DiagnosisStep = {
  title: () => t("API key and models"),
  maxMs: longestSourceMs,
  async run(target, signal): Promise<Finding> {
    const reading = await readCredential(target, "apiKey");
    const isKey = "credential" in reading;
    if (isKey) target.credential = reading.credential;
    // Some servers don't need one.
    else if (reading.status === "failed" || needsApiKey(target.profile)) return reading;
    const facts = isKey ? reading.facts : [];
    try {
      target.models = await inferenceClient(target).listModels(signal);
    } catch (error) {
      signal.throwIfAborted();
      const isKeyWrong =
        error instanceof ServiceError && (error.reason === "apiKey" || error.reason === "missingCredential");
      const remedies = isKeyWrong ? credentialRemedies(target, "apiKey") : [];
      const stops = t("The list of models couldn't be read.");
      return { ...failedFinding(error), facts, remedies, stops };
    }
    const { length } = target.models;
    if (length === 0) {
      const summary = t("The key is valid, but no models are available to it.");
      return { status: "warning", summary, facts, stops: t("No model is available.") };
    }
    const names = target.models.slice(0, shownModels).map(({ id }) => ({ label: t("Model"), value: id }));
    const summary = isKey
      ? t("The key is accepted. Models: {0}.", formatNumber(length))
      : t("No key required. Models: {0}.", formatNumber(length));
    return { status: "passed", summary, facts: [...facts, ...names] };
  },
};

/** The product's own client, with a single attempt. */
function inferenceClient(target: Target): InferenceClient {
  const { ports, profile, credential } = target;
  return createInferenceClient({
    transport: ports.transport,
    baseUrl: profile.inferenceBaseUrl ?? "",
    readApiKey: () => Promise.resolve(credential?.kind === "apiKey" ? credential.apiKey : undefined),
    timeoutMs: () => stepMs,
    headers: profile.headers,
    userAgent: ports.userAgent,
    allowInsecureHttp: profile.allowInsecureHttp,
    isKeyOptional: !needsApiKey(profile),
    retryPolicy: () => ({ maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 0, maxServerWaitMs: 0 }),
  });
}

/** Shows whether the list of servers could be read, and what of it is recognized. */
export const serversStep: DiagnosisStep = {
  title: () => t("GPU servers"),
  run({ servers }): Promise<Finding> {
    if (servers === undefined || "error" in servers) return Promise.reject(servers?.error ?? new Error());
    const all = servers.list.servers;
    const summary =
      all.length === 1 ? t("There is one server.") : t("There are {0} servers.", formatNumber(all.length));
    const nameless = all.filter(({ id, name }) => id === undefined && name === undefined).length;
    if (nameless === 0) return Promise.resolve({ status: "passed", summary });
    const facts = [{ label: t("Servers without an ID or name"), value: formatNumber(nameless) }];
    return Promise.resolve({ status: "warning", summary, facts });
  },
};

/** Lists the servers once with this credential, as the product does, and keeps the list for the next step. */
async function listOnce(
  target: Target,
  profile: Profile,
  credential: GatewayCredential,
  signal: AbortSignal,
): Promise<void> {
  const { ports } = target;
  const sender = {
    transport: ports.transport,
    profile,
    readCredential: () => Promise.resolve(credential),
    clockOffsets: ports.clockOffsets,
    now: Date.now,
    timeoutMs: () => stepMs,
    userAgent: ports.userAgent,
  };
  try {
    target.servers = { list: await requestServerList(sender, { signal }) };
  } catch (error) {
    // The credential was accepted: what can't be read is the subject of the next step.
    if (!(error instanceof ServiceError) || error.reason !== "malformed") throw error;
    target.servers = { error };
  }
}

/** What is sent along with the request because of the credential. */
function sentFacts({ profile, ports, url }: Target, credential: GatewayCredential): readonly Fact[] {
  if (credential.kind !== "accessKey") {
    const [place] = Object.entries(tokenPlace(credential.kind, profile));
    return place === undefined ? [] : [{ label: t("Sent in"), value: place.join(" ") }];
  }
  const { offsetMs } = ports.clockOffsets.of(url.origin);
  return [
    { label: t("String to sign"), value: shownMessage(profile, url, Date.now() + offsetMs) },
    { label: t("Signed as"), value: listVariants(profile.signature) },
    ...(offsetMs === 0
      ? []
      : [{ label: t("Clock correction used for signing"), value: formatDuration(offsetMs) }]),
  ];
}

function listVariants({ encoding, emptyValues }: SignatureOptions): string {
  return emptyValues === "keep"
    ? t("{0}, empty values kept", encoding)
    : t("{0}, empty values left out", encoding);
}

/** The complete message except for the access key at its end (interface section 5.3, step 3). */
function shownMessage({ serverListQuery, signature }: Profile, url: URL, now: number): string {
  const parameters = [...url.searchParams, ...Object.entries(serverListQuery)].map(
    ([name, value]) => [name, maskSecretText(value)] as const,
  );
  return messageToSign({
    parameters,
    nonce: Math.floor(now / 1_000),
    credential: { kind: "accessKey", accessKey: mask, apiSecret: "" },
    options: signature,
  });
}

/** Checks whether the gateway accepts the credential; if not, why not, and what it accepts instead. */
export const credentialStep: DiagnosisStep = {
  title: () => t("Gateway credential"),
  maxMs: longestSourceMs,
  async run(target, signal): Promise<Finding> {
    const kind = target.profile.gatewayCredential;
    const reading = await readCredential(target, kind);
    if (!("credential" in reading)) return reading;
    const { credential, facts } = reading;
    if (!isGatewayCredential(credential)) return { status: "failed", summary: "" };
    try {
      const found = await findSignature(target.profile, (as) => listOnce(target, as, credential, signal));
      if (found !== undefined) return otherSignature(target, found, facts);
      const summary = t("The gateway accepts the {0}.", credentialKinds[kind].noun());
      return { status: "passed", summary, facts: [...facts, ...sentFacts(target, credential)] };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      const finding = refusedFinding(target, credential, error, facts);
      const other = isRefusal(error) ? await tryOtherKinds(target, kind, signal) : undefined;
      if (other === undefined) return finding;
      return {
        ...finding,
        summary: `${finding.summary} ${t("The stored {0} for this profile is accepted.", credentialKinds[other].noun())}`,
        remedies: [useRemedy(target, other), ...(finding.remedies ?? [])],
      };
    }
  },
};

function otherSignature(target: Target, options: SignatureOptions, facts: readonly Fact[]): Finding {
  const before = listVariants(target.profile.signature);
  target.profile = { ...target.profile, signature: options };
  const { profile, url, ports } = target;
  const { offsetMs } = ports.clockOffsets.of(url.origin);
  const accepted = shownMessage(profile, url, Date.now() + offsetMs);
  const change = { signatureEncoding: options.encoding, signatureEmptyValues: options.emptyValues };
  return {
    status: "failed",
    summary: t("The gateway expects a different signature format: {0}.", listVariants(options)),
    facts: [
      { label: t("Signed as"), value: before },
      { label: t("Accepted string to sign"), value: accepted },
      ...facts,
    ],
    remedies: [
      {
        ...{ remedy: "changeProfile", label: t("Sign as {0}", listVariants(options)) },
        ...{ profileName: profile.name, change },
      },
    ],
  };
}

function refusedFinding(
  target: Target,
  credential: GatewayCredential,
  error: ServiceError,
  facts: readonly Fact[],
): Finding {
  const isRefused = isRefusal(error);
  const isSwapped =
    credential.kind === "accessKey" &&
    error.reason === "signature" &&
    error.facts.culprit === undefined &&
    credential.accessKey.length > credential.apiSecret.length;
  const swapped = t("The access key is longer than the API secret. They may have been swapped.");
  return {
    status: "failed",
    summary: isSwapped ? `${error.message} ${swapped}` : error.message,
    facts: [...facts, ...sentFacts(target, credential)],
    remedies: isRefused ? credentialRemedies(target, credential.kind) : [],
    stops: isRefused ? t("The gateway rejects the credential.") : t("An earlier step failed."),
  };
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
    const { credential } = reading;
    const isAccepted = await listOnce(target, target.profile, credential, signal).then(
      () => true,
      () => false,
    );
    if (isAccepted) return kind;
  }
  return undefined;
}

function useRemedy({ profile }: Target, kind: GatewayCredentialKind): ReportRemedy {
  const label = t("Use the {0} for the gateway", credentialKinds[kind].noun());
  return { remedy: "changeProfile", label, profileName: profile.name, change: { gatewayCredential: kind } };
}
