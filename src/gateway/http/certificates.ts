import { createSecureContext, getCACertificates } from "node:tls";
import type { SecureContext } from "node:tls";

/** Reads the certificates of trusted issuers as PEM. */
export type ReadCertificates = (useSystemCertificates: boolean) => readonly string[];

/**
 * Node's own issuers with NODE_EXTRA_CA_CERTS, and those of the system, which Node omits by default. Reading hundreds
 * of certificates takes tens of milliseconds, so it is done once, for the first https connection.
 */
export class Certificates {
  readonly #read: ReadCertificates;
  readonly #contexts = new Map<boolean, SecureContext>();

  constructor(read: ReadCertificates = readCertificates) {
    this.#read = read;
  }

  secureContext(useSystemCertificates: boolean): SecureContext {
    const known = this.#contexts.get(useSystemCertificates);
    if (known !== undefined) return known;
    const context = createSecureContext({ ca: [...new Set(this.#read(useSystemCertificates))] });
    this.#contexts.set(useSystemCertificates, context);
    return context;
  }
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
