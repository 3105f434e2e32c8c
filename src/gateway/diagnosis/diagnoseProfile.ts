import { t } from "@vscode/l10n";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import type { BaseUrlRole } from "../../core/account/baseUrl.ts";
import type { Profile } from "../../core/account/profile.ts";
import { checkSettings, changeRemedy } from "../../core/diagnosis/checkSettings.ts";
import type {
  Fact,
  Finding,
  ProfileReport,
  SectionReport,
  StepReport,
} from "../../core/diagnosis/diagnosis.ts";
import { createServersUrl } from "../auth/gatewayRequest.ts";
import { createInferenceUrl } from "../completion/inferenceUrl.ts";
import { cleanServerText, parseErrorText } from "../errors/serverText.ts";
import { withOwnNetwork } from "../http/transport.ts";
import { openBareSocket, shakeHands, bareHost } from "../http/openSocket.ts";
import type { Trust } from "../http/openSocket.ts";
import { Certificates, certificateChain, describeUntrusted } from "../http/certificates.ts";
import { apiKeyStep, credentialStep, serversStep, tokenStep } from "./credentialStep.ts";
import { runSteps, failedFinding } from "./runSteps.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import { labelOf, schemeRemedies, trustOf, requestBare } from "./target.ts";
import type { DiagnosisPorts, Target } from "./target.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import { createResponseError, readErrorText, readRequestId } from "../http/errorResponse.ts";
import type { HttpResponse, NetworkSettings } from "../http/transport.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { describeCorrection, describeOffset, readClockOffset } from "../auth/clockOffset.ts";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isLoopbackHost } from "../../core/kernel/httpAddress.ts";
import { findRoute, noProxyEntries, isExcludedFromProxy } from "../http/route.ts";
import type { ProxyRoute, Route } from "../http/route.ts";
import { connectionFailure } from "../http/transportErrors.ts";

/** Determines which proxy is used, and why. */
const proxyStep: DiagnosisStep = {
  title: () => t("Proxy"),
  run(target): Promise<Finding> {
    target.route = findRoute(target.url, target.network);
    return Promise.resolve({ status: "passed", summary: explainRoute(target), facts: facts(target) });
  },
};

function facts({ route: { proxy }, network }: Target): readonly Fact[] {
  const { noProxy, environment } = network;
  const variables = environment["NO_PROXY"] ?? environment["no_proxy"];
  const isOverruled = noProxy.length > 0 && variables !== undefined && variables !== "";
  return [
    ...(proxy === undefined ? [] : [{ label: t("Proxy"), value: proxy.url.origin }]),
    ...(proxy?.authorization === undefined
      ? []
      : [{ label: t("Proxy user name and password"), value: t("set") }]),
    ...(isOverruled ? [{ label: t("Not checked"), value: t("NO_PROXY, because http.noProxy is set") }] : []),
  ];
}

/** Checks whether the host name can be resolved on this machine. */
const dnsStep: DiagnosisStep = {
  title: () => t("Name lookup (DNS)"),
  async run(target): Promise<Finding> {
    const host = bareHost(target.url);
    if (isIP(host) !== 0) {
      return { status: "passed", summary: t("The host is an IP address; no DNS lookup is needed.") };
    }
    try {
      const addresses = await lookup(host, { all: true });
      return {
        status: "passed",
        summary: t("{0} resolves.", host),
        facts: addresses.map(({ address }) => ({ label: t("Address"), value: address })),
      };
    } catch (error) {
      if (target.route.proxy !== undefined) {
        const summary = t("{0} doesn't resolve on this machine; the proxy resolves it.", host);
        return { status: "passed", summary };
      }
      const summary = connectionFailure(error, labelOf(target)).message;
      // A proxy that is bypassed for this address may be able to resolve the name, as the connection step will show.
      if (unusedProxy(target.url, target.network) !== undefined) return { status: "failed", summary };
      return { status: "failed", summary, stops: t("The host name doesn't resolve.") };
    }
  },
};

/**
 * Checks whether the server can be reached, through the proxy if one is used; if not, whether the other route works.
 */
const tcpStep: DiagnosisStep = {
  title: () => t("Connection (TCP)"),
  async run(target, signal): Promise<Finding> {
    const { route } = target;
    try {
      const peer = await connect(target, route, signal);
      const summary =
        route.proxy === undefined
          ? t("The server accepts connections.")
          : t("The proxy allows the connection.");
      return { status: "passed", summary, facts: [{ label: t("Connected to"), value: peer }] };
    } catch (error) {
      signal.throwIfAborted();
      const failed = failedFinding(error);
      const detour = await findDetour(target, signal);
      return {
        ...failed,
        summary: detour === undefined ? failed.summary : `${failed.summary} ${detour.sentence}`,
        ...(detour?.remedy === undefined ? {} : { remedies: [detour.remedy] }),
        stops: t("No connection."),
      };
    }
  },
};

/** The address that was reached. */
async function connect(target: Target, route: Route, signal: AbortSignal): Promise<string> {
  const socket = await openBareSocket(labelOf(target), route, trustOf(target), signal);
  const { remoteAddress = "", remotePort = 0 } = socket;
  socket.destroy();
  return `${remoteAddress}, ${t("port {0}", String(remotePort))}`;
}

interface Detour {
  readonly sentence: string;
  readonly remedy?: ReportRemedy;
}

/** A proxy that must not be used, or one that should be. */
async function findDetour(target: Target, signal: AbortSignal): Promise<Detour | undefined> {
  const host = bareHost(target.url);
  const isProxied = target.route.proxy !== undefined;
  const proxy = isProxied ? undefined : unusedProxy(target.url, target.network);
  // Over plain HTTP, a proxy accepts the connection regardless of whether it can reach the server.
  if (!isProxied && (proxy === undefined || target.url.protocol === "http:")) return undefined;
  try {
    await connect(target, proxy === undefined ? {} : { proxy }, signal);
  } catch {
    return undefined;
  }
  if (proxy === undefined) {
    return {
      sentence: t("{0} is reachable without the proxy. Add it to http.noProxy.", host),
      remedy: { remedy: "bypassProxy", label: t("Bypass the proxy for {0}", host), host },
    };
  }
  const sentence = t(
    "{1} is reachable through the proxy {0}. Remove {1} from the proxy exclusions.",
    proxy.url.host,
    host,
  );
  if (target.network.proxySupport !== "off") return { sentence };
  const label = t("Set {0} to “{1}”", "http.proxySupport", "override");
  return {
    sentence,
    remedy: { remedy: "changeSetting", label, name: "http.proxySupport", value: "override" },
  };
}

/** Which proxy is used, or why none is, in a full sentence. */
function explainRoute({ url, network, route: { proxy } }: Target): string {
  if (proxy !== undefined) return t("Using the proxy {0} (from {1}).", proxy.url.host, proxy.source);
  if (network.ownProxy === "direct") return t("The profile doesn't use a proxy.");
  if (isLoopbackHost(url.hostname)) return t("Connections to this machine never use a proxy.");
  if (network.proxySupport === "off")
    return t("The setting http.proxySupport is “off”, so no proxy is used.");
  const excluding = noProxyEntries(network).find((entry) => isExcludedFromProxy(url, [entry]));
  if (excluding === undefined) return t("No proxy is configured in VS Code's settings or the environment.");
  const source =
    network.noProxy.length > 0 ? t("The setting http.noProxy") : t("The environment variable NO_PROXY");
  return t("{0} contains “{1}”, so no proxy is used.", source, excluding);
}

/** The configured proxy, if something excludes this address from it. */
function unusedProxy(url: URL, settings: NetworkSettings): ProxyRoute | undefined {
  const environment = { ...settings.environment, no_proxy: undefined, NO_PROXY: undefined };
  try {
    return findRoute(url, { ...settings, noProxy: [], proxySupport: "override", environment }).proxy;
  } catch {
    return undefined;
  }
}

/** How far a signature may be off (interface section 5.3), in milliseconds. */
const allowedOffsetMs = 30_000;

/** Checks how far the server's clock is from ours. */
const clockStep: DiagnosisStep = {
  title: () => t("Clock"),
  async run({ url, role, profile, answer: response }): Promise<Finding> {
    if (response === undefined) return { status: "skipped", summary: t("An earlier step failed.") };
    const offsetMs = readClockOffset(response);
    // Only signed requests contain the time (interface section 5.3).
    const isSigned = role === "gateway" && profile.gatewayCredential === "accessKey";
    if (offsetMs === undefined) {
      const summary =
        response.headers["date"] === undefined
          ? t(
              "The server sends no Date header, so the clocks can't be compared. It rejects signatures that are more than 30 s off.",
            )
          : t("The clocks can't be compared by the Date header of this response.");
      return { status: isSigned ? "warning" : "passed", summary };
    }
    return isSigned && Math.abs(offsetMs) > allowedOffsetMs
      ? { status: "warning", summary: describeCorrection(offsetMs, url.host) }
      : { status: "passed", summary: describeOffset(offsetMs, url.host) };
  },
};

/** Checks whether the service is what responds: without a credential, it should require one. */
const httpStep: DiagnosisStep = {
  title: () => t("HTTP response"),
  async run(target, signal): Promise<Finding> {
    const response = await requestBare(target, target.url, signal);
    const text = await readErrorText(response);
    target.answer = response;
    const facts = factsOf(response);
    const { statusCode } = response;
    const { pageTitle } = parseErrorText(text);
    if (statusCode < 300 && pageTitle === undefined) {
      return {
        status: "passed",
        summary: t("Reachable without authentication ({0}).", String(statusCode)),
        facts,
      };
    }
    if (statusCode === 401) {
      return {
        status: "passed",
        summary: t("Reachable; requires authentication ({0}).", String(statusCode)),
        facts,
      };
    }
    const error = createResponseError(response, parseErrorText(text), text, {
      kind: target.role,
      method: "GET",
      url: target.url,
    });
    const { message, reason } = error;
    const remedies =
      reason === "notFound" || (reason !== "wrongScheme" && pageTitle !== undefined)
        ? await otherPlaces(target, signal)
        : schemeRemedies(target, error.facts);
    const isLost =
      reason === "wrongScheme" || reason === "notFound" || reason === "malformed" || reason === "redirected";
    // A server may behave differently with a credential, as the next steps show.
    return {
      status: isLost ? "failed" : "warning",
      summary: message,
      facts,
      remedies,
      ...(isLost && statusCode !== 404
        ? { stops: t("The responding server isn't the expected service.") }
        : {}),
    };
  },
};

/** What the summary doesn't say. */
function factsOf({ headers, sentAt, receivedAt }: HttpResponse): readonly Fact[] {
  const all: readonly (readonly [string, string | undefined])[] = [
    [t("Round trip"), t("{0} ms", formatNumber(Math.round(receivedAt - sentAt)))],
    [t("Server"), headers["server"]],
    [t("Proxies (Via)"), headers["via"]],
    [t("Content type"), headers["content-type"]],
    [t("Request ID"), readRequestId(headers)],
  ];
  return all.flatMap(([label, value]) =>
    value === undefined || value === "" ? [] : [{ label, value: cleanServerText(value) }],
  );
}

/**
 * Other locations of the service on the same origin, requested without a credential; the first one that responds is
 * offered.
 */
async function otherPlaces(target: Target, signal: AbortSignal): Promise<readonly ReportRemedy[]> {
  const { role, url, profile } = target;
  const option = role === "inference" ? "inferenceBaseUrl" : "gatewayUrl";
  const end = role === "inference" ? "/models" : "/gpu/api/v1/servers";
  const bases = role === "inference" ? ["/v1", "/api/v1", "/openai/v1"] : ["", "/api"];
  for (const base of bases) {
    const candidate = new URL(`${url.origin}${base}${end}`);
    if (candidate.pathname === url.pathname) continue;
    const isThere = await isService(target, candidate, signal).catch(() => false);
    if (isThere) return [changeRemedy(profile.name, option, `${url.origin}${base}`)];
  }
  return [];
}

async function isService(target: Target, url: URL, signal: AbortSignal): Promise<boolean> {
  const response = await requestBare(target, url, signal);
  const text = await readErrorText(response);
  const isResponse = response.statusCode < 300 || response.statusCode === 401;
  return isResponse && parseErrorText(text).pageTitle === undefined;
}

/** What the handshake agreed on, and the certificates that the server sent, its own first. */
function certificateFacts(socket: TLSSocket): readonly Fact[] {
  return [
    { label: t("Protocol"), value: [socket.getProtocol() ?? "TLS", socket.getCipher().name].join(", ") },
    ...certificateChain(socket).map((certificate, index) => describe(certificate, index + 1)),
  ];
}

/** What identifies it, who issued it, and until when it is valid. */
function describe(certificate: DetailedPeerCertificate, position: number): Fact {
  const { subject, issuer, valid_to, subjectaltname } = certificate;
  const names = position === 1 && subjectaltname !== undefined ? ` (${subjectaltname})` : "";
  const value = t(
    "{0}, issued by {1}, valid until {2}",
    `${nameOf(subject)}${names}`,
    nameOf(issuer),
    valid_to,
  );
  return { label: t("Certificate {0}", String(position)), value: cleanServerText(value) };
}

function nameOf(name: DetailedPeerCertificate["subject"]): string {
  const parts = [name.CN, name.O].flat().filter((part) => typeof part === "string" && part !== "");
  return parts.length === 0 ? t("an unnamed issuer") : parts.join(", ");
}

/** Checks whether the server proves its identity; if not, which certificate isn't trusted. */
const tlsStep: DiagnosisStep = {
  title: () => t("Encryption (TLS)"),
  async run(target, signal): Promise<Finding> {
    if (target.url.protocol === "http:") return plainHttp(target);
    const socket = await secure(target, trustOf(target), signal);
    const facts = certificateFacts(socket);
    const { authorized } = socket;
    const problem = authorized ? "" : describeUntrusted(socket, target.url.host);
    socket.destroy();
    if (authorized) {
      return { status: "passed", summary: t("The certificate of {0} is trusted.", target.url.host), facts };
    }
    if (!target.network.strictSsl) {
      const summary = `${problem} ${t("The certificate is accepted anyway because http.proxyStrictSSL is off.")}`;
      return { status: "warning", summary, facts };
    }
    const remedies = await systemRemedy(target, signal);
    const stops = t("The certificate isn't trusted, so nothing is sent.");
    return { status: "failed", summary: problem, facts, remedies, stops };
  },
};

function plainHttp({ url, profile }: Target): Finding {
  const isAccepted = profile.allowInsecureHttp;
  return {
    status: isAccepted ? "warning" : "passed",
    summary: isAccepted
      ? t("{0} uses plain HTTP, so the credentials can be intercepted.", url.host)
      : t("{0} uses plain HTTP, so there is no certificate to check.", url.host),
  };
}

async function secure(target: Target, trust: Trust, signal: AbortSignal): Promise<TLSSocket> {
  const label = labelOf(target);
  const bare = await openBareSocket(label, target.route, trust, signal);
  signal.addEventListener("abort", () => bare.destroy(), { once: true });
  return shakeHands(bare, target.url, trust, label);
}

/** The system may trust an issuer that VS Code is configured not to check there. */
async function systemRemedy(target: Target, signal: AbortSignal): Promise<readonly ReportRemedy[]> {
  if (target.network.useSystemCertificates) return [];
  const trust = {
    isStrict: true,
    secureContext: () =>
      target.certificates.secureContext({ ...target.network, useSystemCertificates: true }),
  };
  const socket = await secure(target, trust, signal);
  const { authorized } = socket;
  socket.destroy();
  if (!authorized) return [];
  const label = t("Trust the system's certificates (http.systemCertificates)");
  return [{ remedy: "changeSetting", label, name: "http.systemCertificates", value: true }];
}

const connecting: readonly DiagnosisStep[] = [proxyStep, dnsStep, tcpStep, tlsStep, httpStep, clockStep];
const using: Readonly<Record<BaseUrlRole, readonly DiagnosisStep[]>> = {
  inference: [apiKeyStep, tokenStep],
  gateway: [credentialStep, serversStep],
};

interface DiagnoseOptions {
  readonly ports: DiagnosisPorts;
  readonly profile: Profile;
  /** The profile's entry in the settings, as the user wrote it. */
  readonly entry: unknown;
  readonly signal: AbortSignal;
  readonly onStep: (title: string) => void;
}

/**
 * Checks everything between this machine and a profile's two services, step by step. Never rejects. A server may repeat
 * any secret of the profile, so whoever shows the report masks them.
 */
export async function diagnoseProfile(options: DiagnoseOptions): Promise<ProfileReport> {
  const { profile, entry } = options;
  const settings = { title: t("Settings and addresses"), ...checkSettings(entry, profile.name) };
  const sections: SectionReport[] = [{ title: t("Settings"), steps: [settings] }];
  for (const role of ["inference", "gateway"] as const) {
    const target = createTarget(role, options);
    if (target === undefined) continue;
    const reports = await runSteps([...connecting, ...using[role]], target, options);
    const title = role === "inference" ? t("Inference service") : t("GPU gateway");
    sections.push({ title, address: target.url.origin, steps: reports });
  }
  return { profileName: profile.name, sections };
}

/**
 * Checks whether a profile's address can be reached and is the expected service, without sending any credential: one
 * report per step. Empty for an address that can't be used. Never rejects.
 */
export async function checkAddress(
  role: BaseUrlRole,
  options: Omit<DiagnoseOptions, "entry">,
): Promise<readonly StepReport[]> {
  const target = createTarget(role, options);
  if (target === undefined) return [];
  return runSteps([proxyStep, dnsStep, tcpStep, tlsStep, httpStep], target, options);
}

/** Undefined if the profile has no such address, or one that can't be used, as the settings step has reported. */
function createTarget(
  role: BaseUrlRole,
  { ports, profile }: Pick<DiagnoseOptions, "ports" | "profile">,
): Target | undefined {
  const network = withOwnNetwork(ports.network(), profile);
  try {
    const url =
      role === "inference"
        ? createInferenceUrl(profile.inferenceBaseUrl ?? "", "/models")
        : createServersUrl(profile.gatewayUrl);
    return {
      ports,
      role,
      profile,
      url,
      network,
      certificates: ports.certificates ?? new Certificates(),
      route: {},
    };
  } catch {
    return undefined;
  }
}
