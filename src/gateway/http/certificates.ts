import { t } from "@vscode/l10n";
import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createSecureContext, getCACertificates } from "node:tls";
import type { SecureContext } from "node:tls";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { NetworkSettings } from "./networkSettings.ts";

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
 * doesn't wait for the disk, because this is asked for with every request.
 */
export async function caFileVersion(path: string): Promise<string> {
  try {
    const { mtimeMs, size } = await stat(resolveHome(path));
    return `${path} ${mtimeMs} ${size}`;
  } catch {
    // Reading it will report why.
    return path;
  }
}

function readCaFile(path: string): readonly string[] {
  try {
    const file = resolveHome(path);
    if (statSync(file).size > largestCaFile) throw caFileError(path, t("it is too large"));
    const certificates = readFileSync(file, "latin1").match(certificateBlocks) ?? [];
    if (certificates.length === 0) throw caFileError(path, t("it has no certificate in PEM format"));
    for (const certificate of certificates) new X509Certificate(certificate);
    return certificates;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
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

function resolveHome(path: string): string {
  return /^~[\\/]/.test(path) ? join(homedir(), path.slice(2)) : path;
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
