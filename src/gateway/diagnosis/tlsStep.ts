import { t } from "@vscode/l10n";
import type { TLSSocket } from "node:tls";
import type { Finding, Remedy } from "../../core/diagnosis/diagnosis.ts";
import { openBareSocket, shakeHands } from "../http/openSocket.ts";
import type { Trust } from "../http/openSocket.ts";
import { describeUntrusted } from "../http/untrusted.ts";
import { certificateFacts } from "./certificateFacts.ts";
import type { Step } from "./runSteps.ts";
import type { Target } from "./target.ts";
import { labelOf, trustOf } from "./target.ts";

/** Whether the server proves who it is; where not, whose signature is missing. */
export const tlsStep: Step<Target> = {
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
      const summary = `${problem} ${t("It is accepted anyway because http.proxyStrictSSL is off.")}`;
      return { status: "warning", summary, facts };
    }
    const remedies = await systemRemedy(target, signal);
    const stops = t("The certificate is not trusted, so nothing is sent.");
    return { status: "failed", summary: problem, facts, remedies, stops };
  },
};

function plainHttp({ url, profile }: Target): Finding {
  const isAccepted = profile.allowInsecureHttp;
  return {
    status: isAccepted ? "warning" : "passed",
    summary: isAccepted
      ? t("{0} is plain http: the credentials can be intercepted.", url.host)
      : t("{0} is plain http: there is nothing to check.", url.host),
  };
}

async function secure(target: Target, trust: Trust, signal: AbortSignal): Promise<TLSSocket> {
  const label = labelOf(target);
  const bare = await openBareSocket(label, target.route, trust, signal);
  signal.addEventListener("abort", () => bare.destroy(), { once: true });
  return shakeHands(bare, target.url, trust, label);
}

/** The system may know an issuer that VS Code was told not to ask it about. */
async function systemRemedy(target: Target, signal: AbortSignal): Promise<readonly Remedy[]> {
  if (target.network.useSystemCertificates) return [];
  const trust = { isStrict: true, secureContext: () => target.ports.certificates.secureContext(true) };
  const socket = await secure(target, trust, signal);
  const { authorized } = socket;
  socket.destroy();
  if (!authorized) return [];
  const label = t("Trust the certificates of the system (http.systemCertificates)");
  return [{ kind: "setting", label, name: "http.systemCertificates", value: true }];
}
