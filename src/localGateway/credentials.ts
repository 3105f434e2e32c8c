import { createHash, randomBytes } from "node:crypto";

/** Throw-away credentials: they open nothing but this gateway, for as long as it runs. */
export interface DemoCredentials {
  readonly apiKey: string;
  readonly accessKey: string;
  readonly apiSecret: string;
  readonly sessionToken: string;
  readonly stsToken: string;
}

/** Fresh ones, or the same ones for the same seed. */
export function createCredentials(seed: number | undefined): DemoCredentials {
  const material = (name: string): string =>
    seed === undefined
      ? randomBytes(18).toString("base64url")
      : createHash("sha256").update(`${seed}:${name}`).digest("base64url").slice(0, 24);
  return {
    apiKey: `demo-key-${material("apiKey")}`,
    accessKey: `DEMOAK${material("accessKey").replace(/[^A-Za-z0-9]/g, "X")}`,
    apiSecret: `demo-secret-${material("apiSecret")}`,
    sessionToken: `demo-session-${material("sessionToken")}`,
    stsToken: `demo-sts-${material("stsToken")}`,
  };
}
