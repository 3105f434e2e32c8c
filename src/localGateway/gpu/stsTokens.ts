import { errors, jwtVerify, SignJWT } from "jose";
import { randomBytes, randomUUID } from "node:crypto";
import { HttpFailure } from "../http/reply.ts";

/** The caller of a request whose credential was accepted. */
export interface Identity {
  readonly userId: string;
  readonly account: string;
}

const issuer = "local-token-service";
const audience = "gpu-gateway";
const algorithm = "HS256";

/**
 * The token service of interface section 5.4. A token contains its own expiry and is signed with a key that only this
 * service has; nothing is stored. The service uses the gateway's clock.
 */
export class StsTokens {
  readonly #key = randomBytes(32);
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A token that is valid for this many seconds from now. */
  issue(identity: Identity, lifetimeSeconds: number): Promise<string> {
    const issuedAt = Math.floor(this.#now() / 1000);
    return new SignJWT({ account: identity.account })
      .setProtectedHeader({ alg: algorithm })
      .setSubject(identity.userId)
      .setIssuer(issuer)
      .setAudience(audience)
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimeSeconds)
      .sign(this.#key);
  }

  /** Rejects with ERR_STS_UNAUTHORIZED for a token that is from elsewhere or has expired. */
  async validate(token: string): Promise<Identity> {
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        issuer,
        audience,
        algorithms: [algorithm],
        requiredClaims: ["sub", "exp", "account"],
        currentDate: new Date(this.#now()),
      });
      return { userId: payload.sub ?? "", account: String(payload["account"]) };
    } catch (error) {
      const problem = error instanceof errors.JWTExpired ? "has expired" : "is invalid";
      throw credentialRefusal("ERR_STS_UNAUTHORIZED", `The STS token ${problem}.`);
    }
  }
}

/** The four codes of interface section 7; the status is 401 for all of them. */
type RefusalCode = "ERR_UNAUTHORIZED" | "ERR_STS_UNAUTHORIZED" | "ERR_AUTHTYPE" | "ERR_SIGNATURE";

/** The interface doesn't specify the format of the body; this one is ours. */
export function credentialRefusal(code: RefusalCode, message: string): HttpFailure {
  return new HttpFailure(401, { code, message });
}
