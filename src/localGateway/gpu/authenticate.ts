import type { LastingCredentials } from "../kernel/credentials.ts";
import type { AuthenticationType } from "../kernel/options.ts";
import { checkSignature } from "./accessKeySignature.ts";
import type { SignatureRules } from "./accessKeySignature.ts";
import { lookUpSessionToken, lookUpStsToken } from "./credentialLookup.ts";
import type { CredentialSources } from "./credentialLookup.ts";
import type { Identity } from "./identity.ts";
import { refusal } from "./refusal.ts";
import type { StsTokens } from "./stsTokens.ts";

export interface AuthenticationContext {
  readonly credentials: LastingCredentials;
  readonly owner: Identity;
  readonly stsTokens: StsTokens;
  readonly signature: SignatureRules;
  /** Milliseconds since 1970 by the gateway's own clock. */
  now(): number;
  validateSession(token: string): Promise<Identity | undefined>;
}

/**
 * Finds out who asks (interface section 5), or throws one of the four refusals. Where a request carries several
 * kinds, the interface is silent; here what the request says itself (`X-AUTH-TYPE: AK`) goes before what the gateway
 * detects (an STS token), and that before a session token.
 */
export async function authenticate(
  sources: CredentialSources,
  permittedTypes: readonly AuthenticationType[],
  context: AuthenticationContext,
): Promise<Identity> {
  const saidType = sources.header("X-AUTH-TYPE") ?? "";
  if (saidType !== "" && saidType !== "AK") {
    throw refusal("ERR_AUTHTYPE", "The header X-AUTH-TYPE can only be AK.");
  }
  if (saidType === "AK") {
    requirePermitted("AK", permittedTypes);
    checkSignature(sources.query, context.credentials, context.now(), context.signature);
    return context.owner;
  }
  const stsToken = lookUpStsToken(sources);
  if (stsToken !== undefined) {
    requirePermitted("STS_TOKEN", permittedTypes);
    return context.stsTokens.validate(stsToken);
  }
  const sessionToken = lookUpSessionToken(sources);
  if (sessionToken === undefined) throw refusal("ERR_UNAUTHORIZED", "The request carries no credentials.");
  requirePermitted("SESSION", permittedTypes);
  const identity = await context.validateSession(sessionToken);
  if (identity === undefined) throw refusal("ERR_UNAUTHORIZED", "The session token is invalid.");
  return identity;
}

function requirePermitted(type: AuthenticationType, permittedTypes: readonly AuthenticationType[]): void {
  if (permittedTypes.includes(type)) return;
  throw refusal("ERR_AUTHTYPE", `This endpoint does not permit ${type}.`);
}
