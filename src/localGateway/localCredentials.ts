import { randomBytes } from "node:crypto";
import { createRandom, randomInteger } from "./random.ts";

/** Credentials of the one demo user. Worth nothing anywhere else, and nothing after the gateway has stopped. */
export interface LocalCredentials {
  readonly apiKey: string;
  readonly accessKey: string;
  readonly apiSecret: string;
  readonly sessionToken: string;
  /** Expires by itself (interface section 5.4). */
  readonly stsToken: string;
}

/** Those that last as long as the gateway runs. */
export type LastingCredentials = Omit<LocalCredentials, "stsToken">;

/** Unguessable unless a seed is given: then whoever knows the seed knows them, which is for tests only. */
export function createCredentials(seed: string | undefined): LastingCredentials {
  const bytes = seed === undefined ? randomBytes : seededBytes(seed);
  return {
    apiKey: `sk-local-${bytes(24).toString("base64url")}`,
    accessKey: `AKLOCAL${bytes(10).toString("hex").toUpperCase()}`,
    apiSecret: bytes(30).toString("base64url"),
    sessionToken: `user-${bytes(30).toString("base64url")}`,
  };
}

function seededBytes(seed: string): (length: number) => Buffer {
  const random = createRandom(`credentials ${seed}`);
  return (length) => Buffer.from(Array.from({ length }, () => randomInteger(random, 0, 255)));
}
