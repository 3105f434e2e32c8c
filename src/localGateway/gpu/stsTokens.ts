import type { Identity } from "./identity.ts";
import { refusal } from "./refusal.ts";

interface IssuedToken {
  readonly identity: Identity;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The token service of interface section 5.4: tokens with a built-in expiry. */
export class StsTokens {
  readonly #tokens = new Map<string, IssuedToken>();

  issue(token: string, identity: Identity, expiresAt: number): void {
    this.#tokens.set(token, { identity, expiresAt });
  }

  /** Throws ERR_STS_UNAUTHORIZED for a token that is unknown or expired. */
  validate(token: string, now: number): Identity {
    const issued = this.#tokens.get(token);
    if (issued === undefined) throw refusal("ERR_STS_UNAUTHORIZED", "The STS token is invalid.");
    if (now >= issued.expiresAt) throw refusal("ERR_STS_UNAUTHORIZED", "The STS token has expired.");
    return issued.identity;
  }
}
