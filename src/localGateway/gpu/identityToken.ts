import { jwtVerify, SignJWT } from "jose";

const issuer = "local-gateway";
const audience = "gpu-backend";
const algorithm = "HS256";

/** Signs the internal token that the backend accepts (interface section 5.2); valid for half a minute. */
export function signIdentity(identity: Identity, key: Uint8Array): Promise<string> {
  return new SignJWT({ account: identity.account })
    .setProtectedHeader({ alg: algorithm })
    .setSubject(identity.userId)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime("30s")
    .sign(key);
}

/** Rejects for a token that is forged, expired or meant for another audience. */
export async function verifyIdentity(token: string, key: Uint8Array): Promise<Identity> {
  const { payload } = await jwtVerify(token, key, { issuer, audience, algorithms: [algorithm] });
  const account = payload["account"];
  if (payload.sub === undefined || typeof account !== "string")
    throw new Error("The token contains no identity.");
  return { userId: payload.sub, account };
}
/** The caller of a request whose credential was accepted. */
export interface Identity {
  readonly userId: string;
  readonly account: string;
}
