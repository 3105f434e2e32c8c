import { createHash, randomBytes } from "node:crypto";

/** Throwaway credentials, valid only for this gateway and only while it runs. */
export interface DemoCredentials {
  readonly apiKey: string;
  readonly accessKey: string;
  readonly apiSecret: string;
  readonly sessionToken: string;
  /** Expires after a while (interface section 5.4). */
  readonly stsToken: string;
}

/** The credentials that remain valid while the gateway runs. */
export type LastingCredentials = Omit<DemoCredentials, "stsToken">;

/**
 * Unguessable unless a seed is given. With a seed, they are the same every time and known to anyone who knows the seed.
 * It is never the seed for the responses, which has a public default.
 */
export function createCredentials(seed: string | undefined): LastingCredentials {
  const material = (name: string): string =>
    seed === undefined
      ? randomBytes(18).toString("base64url")
      : createHash("sha256").update(`${seed}:${name}`).digest("base64url").slice(0, 24);
  return {
    apiKey: `demo-key-${material("apiKey")}`,
    accessKey: `DEMOAK${material("accessKey").replace(/[^A-Za-z0-9]/g, "X")}`,
    apiSecret: `demo-secret-${material("apiSecret")}`,
    sessionToken: `demo-session-${material("sessionToken")}`,
  };
}
