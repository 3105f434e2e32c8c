import { t } from "@vscode/l10n";
import type { GatewayCredential } from "../../core/kernel/credential.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Profile } from "../../core/account/profile.ts";
import { carryCredential } from "./credentialCarrier.ts";
import { createQuery, wellFormed } from "./query.ts";
import type { Parameter } from "./signature.ts";
import { credentialNames } from "../../core/account/credentialKinds.ts";

/** Where a request goes and what travels with it: what was signed is what is sent. */
export interface AuthenticatedRequest {
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that are credentials, or that belong to the connection. */
const refusedHeaders: ReadonlySet<string> = new Set([
  ...credentialNames.headers,
  "authorization",
  "proxy-authorization",
  "cookie",
  "x-auth-type",
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
]);

/**
 * Puts the profile's own parameters and headers and its credential onto the URL (interface sections 5.2 to 5.4).
 * `nonce` is in Unix seconds, taken for this very attempt.
 */
export function authenticateRequest(
  url: URL,
  credential: GatewayCredential,
  profile: Profile,
  nonce: number,
): AuthenticatedRequest {
  const parameters = readParameters(url, profile.serverListQuery);
  const carried = carryCredential(credential, profile, parameters, nonce);
  const authenticated = new URL(url);
  authenticated.search = createQuery([...parameters, ...carried.parameters]);
  return { url: authenticated, headers: { ...readHeaders(profile.headers), ...carried.headers } };
}

/** All parameters that the signature covers: those of the URL itself and those of the setting. */
function readParameters(url: URL, query: Profile["serverListQuery"]): readonly Parameter[] {
  const all = [...url.searchParams, ...Object.entries(query)];
  const credential = all.find(([name]) => credentialNames.parameters.has(name.toLowerCase()));
  if (credential !== undefined) {
    throw new ServiceError({
      reason: "configuration",
      message: t(
        "Nothing was sent: the query parameter {0} is part of a credential and can't be set in the profile. Remove it from serverListQuery or gatewayUrl.",
        credential[0],
      ),
    });
  }
  return all.map(([name, value]) => [wellFormed(name), wellFormed(value)]);
}

function readHeaders(headers: Profile["headers"]): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(entries.filter(([name]) => !refusedHeaders.has(name)));
}
