import type { DemoCredentials } from "../credentials.ts";
import type { AuthenticationType } from "../options.ts";
import { checkSignature } from "./accessKeySignature.ts";
import type { SignatureRules } from "./accessKeySignature.ts";
import { lookUpSessionToken, lookUpStsToken } from "./credentialLookup.ts";
import type { CredentialSources } from "./credentialLookup.ts";
import type { Identity } from "./identity.ts";
import { refusal } from "./refusal.ts";
import type { StsTokens } from "./stsTokens.ts";

export interface AuthenticationContext {
  readonly credentials: DemoCredentials;
  readonly owner: Identity;
  readonly stsTokens: StsTokens;
  readonly signature: SignatureRules;
  readonly permittedTypes: readonly AuthenticationType[];
  /** Milliseconds since 1970 by the gateway's own clock. */
  now(): number;
  validateSession(token: string): Promise<Identity | undefined>;
}

/**
 * Finds out who asks (interface section 5), or throws one of the four refusals. Where a request carries several
 * kinds, the interface is silent; here `X-AUTH-TYPE: AK` goes before an STS token, and that before a session token.
 */
export async function authenticate(
  sources: CredentialSources,
  context: AuthenticationContext,
): Promise<Identity> {
  if (sources.header("X-AUTH-TYPE") === "AK") {
    requirePermitted("AK", context);
    checkSignature(sources.query, context.credentials, context.now(), context.signature);
    return context.owner;
  }
  const stsToken = lookUpStsToken(sources);
  if (stsToken !== undefined) {
    requirePermitted("STS_TOKEN", context);
    return context.stsTokens.validate(stsToken, context.now());
  }
  const sessionToken = lookUpSessionToken(sources);
  if (sessionToken === undefined) throw refusal("ERR_UNAUTHORIZED", "The request carries no credentials.");
  requirePermitted("SESSION", context);
  const identity = await context.validateSession(sessionToken);
  if (identity === undefined) throw refusal("ERR_UNAUTHORIZED", "The session token is invalid.");
  return identity;
}

function requirePermitted(type: AuthenticationType, { permittedTypes }: AuthenticationContext): void {
  if (permittedTypes.includes(type)) return;
  throw refusal("ERR_AUTHTYPE", `This endpoint does not permit ${type}.`);
}
