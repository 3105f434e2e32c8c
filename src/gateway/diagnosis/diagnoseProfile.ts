import { t } from "@vscode/l10n";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import type { BaseUrlRole } from "../../core/account/baseUrl.ts";
import type { Profile } from "../../core/account/profile.ts";
import { secretKinds, secretTexts } from "../../core/account/credentialKinds.ts";
import { checkSettings } from "../../core/diagnosis/checkSettings.ts";
import type {
  Fact,
  Finding,
  ProfileReport,
  SectionReport,
  StepReport,
} from "../../core/diagnosis/diagnosis.ts";
import type { ServiceError } from "../../core/kernel/errors.ts";
import { createServersUrl } from "../auth/gatewayRequest.ts";
import { createInferenceUrl } from "../completion/inferenceUrl.ts";
import { cleanServerText, redactSecrets } from "../errors/serverText.ts";
import { withOwnNetwork } from "../http/transport.ts";
import { openBareSocket, shakeHands } from "../http/openSocket.ts";
import type { Trust } from "../http/openSocket.ts";
import { describeUntrusted } from "../http/certificates.ts";
import { apiKeyStep, tokenStep } from "./apiKeyStep.ts";
import { clockStep } from "./clockStep.ts";
import { credentialStep } from "./credentialStep.ts";
import { httpStep } from "./httpStep.ts";
import { runSteps } from "./runSteps.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import { serversStep } from "./askServers.ts";
import { labelOf, schemeRemedies, trustOf } from "./target.ts";
import type { DiagnosisPorts, Target } from "./target.ts";
import { tcpStep, dnsStep, proxyStep } from "./tcpStep.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";

/** Longer chains are a mistake. */
const maxDepth = 8;

/** What the handshake agreed on, and the certificates that the server sent, its own first. */
function certificateFacts(socket: TLSSocket): readonly Fact[] {
  const chain = certificateChain(socket);
  return [
    { label: t("Protocol"), value: [socket.getProtocol() ?? "TLS", socket.getCipher().name].join(", ") },
    ...chain.map((certificate, index) => describe(certificate, index + 1)),
  ];
}

/** As the server sent it; the types guarantee an issuer, but a server may omit it. */
function certificateChain(socket: TLSSocket): readonly DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.fingerprint256 !== undefined && chain.length < maxDepth) {
    chain.push(next);
    const issuer: DetailedPeerCertificate | undefined = next.issuerCertificate;
    next = issuer?.fingerprint256 === next.fingerprint256 ? undefined : issuer;
  }
  return chain;
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
const tlsStep: DiagnosisStep<Target> = {
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
      target.ports.certificates.secureContext({ ...target.network, useSystemCertificates: true }),
  };
  const socket = await secure(target, trust, signal);
  const { authorized } = socket;
  socket.destroy();
  if (!authorized) return [];
  const label = t("Trust the system's certificates (http.systemCertificates)");
  return [{ remedy: "changeSetting", label, name: "http.systemCertificates", value: true }];
}

const connecting: readonly DiagnosisStep<Target>[] = [
  dnsStep,
  proxyStep,
  tcpStep,
  tlsStep,
  httpStep,
  clockStep,
];
const using: Readonly<Record<BaseUrlRole, readonly DiagnosisStep<Target>[]>> = {
  inference: [apiKeyStep, tokenStep],
  gateway: [credentialStep, serversStep],
};

/** Maximum number of steps for one profile. */
export const stepCount = 1 + 2 * connecting.length + using.inference.length + using.gateway.length;

interface DiagnoseOptions {
  readonly ports: DiagnosisPorts;
  readonly profile: Profile;
  /** The profile's entry in the settings, as the user wrote it. */
  readonly entry: unknown;
  readonly signal: AbortSignal;
  readonly onStep: (title: string) => void;
}

/** Checks everything between this machine and a profile's two services, step by step. Never rejects. */
export async function diagnoseProfile(options: DiagnoseOptions): Promise<ProfileReport> {
  const { ports, profile, entry, signal, onStep } = options;
  const settings: DiagnosisStep<undefined> = {
    title: () => t("Settings and addresses"),
    run: () => Promise.resolve(checkSettings(entry, profile.name)),
  };
  const run = { signal, stepMs: ports.stepMs, onStep };
  const sections: SectionReport[] = [
    { title: t("Settings"), steps: await runSteps([settings], undefined, run) },
  ];
  for (const role of ["inference", "gateway"] as const) {
    const target = createTarget(role, options);
    if (target === undefined) continue;
    const remediesOf = ({ facts }: ServiceError): readonly ReportRemedy[] => schemeRemedies(target, facts);
    const reports = await runSteps([...connecting, ...using[role]], target, { ...run, remediesOf });
    const title = role === "inference" ? t("Inference service") : t("GPU gateway");
    sections.push({ title, address: target.url.origin, steps: reports });
  }
  return { profileName: profile.name, sections: await redactReport(sections, ports, profile) };
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
  const { ports, signal, onStep } = options;
  if (target === undefined) return [];
  const steps = [dnsStep, proxyStep, tcpStep, tlsStep, httpStep];
  return runSteps(steps, target, { signal, stepMs: ports.stepMs, onStep });
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
    return { ports, role, profile, url, network, route: {} };
  } catch {
    return undefined;
  }
}

/**
 * The report without any secret of the profile, even if another response repeated it: each response is only checked for
 * what its own request contained.
 */
async function redactReport(
  sections: readonly SectionReport[],
  ports: DiagnosisPorts,
  profile: Profile,
): Promise<readonly SectionReport[]> {
  const readings = await Promise.all(secretKinds.map((kind) => ports.readSecret(profile, kind)));
  const secrets = readings.flatMap((reading) =>
    reading.state === "present" ? secretTexts(reading.credential) : [],
  );
  const redact = (text: string): string => redactSecrets(text, secrets);
  return sections.map((section) => ({
    ...section,
    steps: section.steps.map((step) => redactStep(step, redact)),
  }));
}

function redactStep(step: StepReport, redact: (text: string) => string): StepReport {
  const { summary, facts } = step;
  return {
    ...step,
    summary: redact(summary),
    ...(facts === undefined
      ? {}
      : { facts: facts.map(({ label, value }) => ({ label, value: redact(value) })) }),
  };
}
