import { t } from "@vscode/l10n";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import type { Fact } from "../../core/diagnosis/diagnosis.ts";
import { cleanServerText } from "../errors/serverText.ts";

/** Longer chains are a mistake of somebody. */
const maxDepth = 8;

/** What the handshake agreed on, and the certificates that the server sent, its own first. */
export function certificateFacts(socket: TLSSocket): readonly Fact[] {
  const chain = certificateChain(socket);
  return [
    { label: t("Protocol"), value: [socket.getProtocol() ?? "TLS", socket.getCipher().name].join(", ") },
    ...chain.flatMap((certificate, index) => describe(certificate, index + 1)),
    ...(isSelfSigned(chain.at(-1)) ? [] : [missingIssuer(chain.at(-1))]),
  ];
}

/** As the server sent it; the types promise an issuer, a server need not send it. */
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

function describe(certificate: DetailedPeerCertificate, position: number): readonly Fact[] {
  const { subject, issuer, valid_from, valid_to, fingerprint256, subjectaltname } = certificate;
  const label = t("Certificate {0}", position);
  const names = position === 1 && subjectaltname !== undefined ? ` (${subjectaltname})` : "";
  return [
    { label, value: cleanServerText(`${nameOf(subject)}${names}`) },
    { label: t("{0}, issued by", label), value: cleanServerText(nameOf(issuer)) },
    { label: t("{0}, valid", label), value: cleanServerText(`${valid_from} – ${valid_to}`) },
    { label: t("{0}, SHA-256", label), value: fingerprint256 },
  ];
}

function isSelfSigned(certificate: DetailedPeerCertificate | undefined): boolean {
  return (
    certificate !== undefined && JSON.stringify(certificate.subject) === JSON.stringify(certificate.issuer)
  );
}

function missingIssuer(certificate: DetailedPeerCertificate | undefined): Fact {
  return {
    label: t("Not sent by the server"),
    value: certificate === undefined ? "" : cleanServerText(nameOf(certificate.issuer)),
  };
}

function nameOf(name: DetailedPeerCertificate["subject"]): string {
  const parts = [name.CN, name.O].flat().filter((part) => typeof part === "string" && part !== "");
  return parts.length === 0 ? t("an unnamed issuer") : parts.join(", ");
}
