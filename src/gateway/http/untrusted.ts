import { t } from "@vscode/l10n";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { cleanServerText } from "../errors/serverText.ts";

/** Why the certificate of a finished handshake isn't acceptable, including its issuer, and what to do. */
export function describeUntrusted(socket: TLSSocket, host: string): string {
  const code = String(socket.authorizationError);
  const certificate = socket.getPeerCertificate(true);
  const issuer = issuerName(certificate);
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return t(
        "The certificate of {0}, issued by {1}, has expired ({2}). Check this machine's clock. If it's correct, the server needs a new certificate.",
        host,
        issuer,
        certificate.valid_to,
      );
    case "CERT_NOT_YET_VALID":
      return t(
        "The certificate of {0}, issued by {1}, isn't valid before {2}. Check this machine's clock.",
        host,
        issuer,
        certificate.valid_from,
      );
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return t(
        "The certificate of {0}, issued by {1}, was issued for other names: {2}. Check the address.",
        host,
        issuer,
        otherNames(certificate),
      );
    default:
      return t(
        "The certificate of {0} isn't trusted because this machine doesn't recognize its issuer, {1} ({2}). If the issuer is your organization, install its certificate. Otherwise, the connection may be intercepted.",
        host,
        issuer,
        cleanServerText(code),
      );
  }
}

/** The end of the chain as the server sent it: the certificate that would have to be installed. */
function issuerName(certificate: DetailedPeerCertificate): string {
  let last = certificate;
  for (let depth = 0; depth < 10; depth++) {
    const next = issuerOf(last);
    if (next === undefined || next.fingerprint256 === last.fingerprint256) break;
    last = next;
  }
  const { CN, O } = last.issuer;
  const name = [CN ?? O ?? t("an unnamed issuer")].flat().join(", ");
  return t("“{0}”", cleanServerText(name));
}

/** The types guarantee an issuer, but a server may omit it. */
function issuerOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate | undefined {
  return certificate.issuerCertificate;
}

function otherNames({ subjectaltname, subject }: DetailedPeerCertificate): string {
  const names = subjectaltname ?? [subject.CN].flat().join(", ");
  return cleanServerText(names.replace(/\b(?:DNS|IP Address):/g, ""));
}
