import { t } from "@vscode/l10n";
import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { createSecureContext, getCACertificates } from "node:tls";
import type { DetailedPeerCertificate, SecureContext, TLSSocket } from "node:tls";
import { ServiceError } from "../../core/kernel/errors.ts";
import { expandHome } from "../../core/kernel/homeFolder.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
import { cleanServerText } from "../errors/serverText.ts";
import type { NetworkSettings } from "./transport.ts";

type TrustSettings = Pick<NetworkSettings, "useSystemCertificates" | "caFile">;

/** Reads the certificates of trusted issuers as PEM. */
export type ReadCertificates = (useSystemCertificates: boolean) => readonly string[];

/**
 * Node's own issuers with NODE_EXTRA_CA_CERTS, and those of the system, which Node omits by default. Reading hundreds
 * of certificates takes tens of milliseconds, so it is done once, for the first https connection.
 */
export class Certificates {
  readonly #read: ReadCertificates;
  readonly #contexts = new Map<string, SecureContext>();

  constructor(read: ReadCertificates = readCertificates) {
    this.#read = read;
  }

  /**
   * Throws `configuration` if the file of a profile can't be read.
   * @param version The version of that file. Without it, the file is read again.
   */
  secureContext({ useSystemCertificates, caFile }: TrustSettings, version?: string): SecureContext {
    const key = `${useSystemCertificates} ${version ?? ""}`;
    const isCached = caFile === undefined || version !== undefined;
    const known = isCached ? this.#contexts.get(key) : undefined;
    if (known !== undefined) return known;
    const own = caFile === undefined ? [] : readCaFile(caFile);
    const context = createSecureContext({ ca: [...new Set([...this.#read(useSystemCertificates), ...own])] });
    if (isCached) this.#contexts.set(key, context);
    return context;
  }
}

const largestCaFile = 4 * 1024 * 1024;

/**
 * Identifies the contents of the file, so that connections made with an older version are no longer used. The host
 * doesn't wait for the disk, because this is determined for every request.
 */
export async function caFileVersion(path: string): Promise<string> {
  try {
    const { mtimeMs, size } = await stat(expandHome(path, homedir()));
    return `${path} ${mtimeMs} ${size}`;
  } catch {
    // Reading it will report why.
    return path;
  }
}

function readCaFile(path: string): readonly string[] {
  try {
    const file = expandHome(path, homedir());
    if (statSync(file).size > largestCaFile) throw caFileError(path, t("it is too large"));
    const certificates = readFileSync(file, "latin1").match(certificateBlocks) ?? [];
    if (certificates.length === 0) throw caFileError(path, t("it has no certificate in PEM format"));
    for (const certificate of certificates) new X509Certificate(certificate);
    return certificates;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const isMissing = systemCodeOf(error) === "ENOENT";
    throw caFileError(path, isMissing ? t("it doesn't exist") : t("it can't be read"));
  }
}

const certificateBlocks = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]{1,100000}-----END CERTIFICATE-----/g;

function caFileError(path: string, problem: string): ServiceError {
  return new ServiceError({
    reason: "configuration",
    message: t(
      "Nothing was sent: the certificates in {0} can't be used: {1}. Check “caFile” in the profile.",
      path,
      problem,
    ),
  });
}

const readCertificates: ReadCertificates = (useSystemCertificates) => [
  ...getCACertificates("default"),
  ...(useSystemCertificates ? readSystemCertificates() : []),
];

/** A system whose store can't be read still has Node's own issuers. */
function readSystemCertificates(): readonly string[] {
  try {
    return getCACertificates("system");
  } catch {
    return [];
  }
}

/** Why the certificate of a finished handshake isn't acceptable, including its issuer, and what to do. */
export function describeUntrusted(socket: TLSSocket, host: string): string {
  const code = String(socket.authorizationError);
  const certificate = socket.getPeerCertificate(true);
  const issuer = issuerName(socket);
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

/** Longer chains are a mistake. */
const maxDepth = 8;

/** The certificates that the server sent, its own first. The types guarantee an issuer, but a server may omit it. */
export function certificateChain(socket: TLSSocket): readonly DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.fingerprint256 !== undefined && chain.length < maxDepth) {
    chain.push(next);
    const issuer: DetailedPeerCertificate | undefined = next.issuerCertificate;
    next = issuer?.fingerprint256 === next.fingerprint256 ? undefined : issuer;
  }
  return chain;
}

/** The issuer at the end of the chain: its certificate is the one that would have to be installed. */
function issuerName(socket: TLSSocket): string {
  const { CN, O } = certificateChain(socket).at(-1)?.issuer ?? {};
  const name = [CN ?? O ?? t("an unnamed issuer")].flat().join(", ");
  return t("“{0}”", cleanServerText(name));
}

function otherNames({ subjectaltname, subject }: DetailedPeerCertificate): string {
  const names = subjectaltname ?? [subject.CN].flat().join(", ");
  return cleanServerText(names.replace(/\b(?:DNS|IP Address):/g, ""));
}
