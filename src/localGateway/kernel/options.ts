import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** The authentication types as the gateway names them (interface section 5). */
export type AuthenticationType = "AK" | "STS_TOKEN" | "SESSION";

/** Everything that can be set on the command line or by a test. The product sets only a few of these. */
export interface ServiceOptions {
  /** 0 selects any free port. */
  readonly port: number;
  /** The same seed produces the same responses and servers. Undefined means 1. */
  readonly seed: number | undefined;
  /** 0 means as fast as possible. */
  readonly tokensPerSecond: number;
  readonly serverCount: number;
  /** Milliseconds by which the gateway's clock is ahead. Affects the Date header and the nonce check. */
  readonly clockOffsetMs: number;
  /** Interface section 5.3 leaves both open. */
  readonly emptyValues: "omit" | "keep";
  readonly signatureEncoding: "hex" | "base64";
  /** Authentication types that the server list accepts (interface section 5.5). */
  readonly permittedTypes: readonly AuthenticationType[];
  /** Called when a request has been handled or its client has disconnected. */
  readonly onRequest: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

/** What applies unless it is set: a gateway that follows the interface and works at the speed of a fast model. */
export const defaultOptions: ServiceOptions = {
  port: 0,
  seed: undefined,
  tokensPerSecond: 200,
  serverCount: 12,
  clockOffsetMs: 0,
  emptyValues: "omit",
  signatureEncoding: "hex",
  permittedTypes: ["AK", "STS_TOKEN", "SESSION"],
  onRequest: undefined,
};

/** Throwaway credentials, valid only for this gateway and only while it runs. */
export interface DemoCredentials {
  readonly apiKey: string;
  readonly accessKey: string;
  readonly apiSecret: string;
  readonly sessionToken: string;
  /** Contains its own expiry (interface section 5.4), which is a year after the start. */
  readonly stsToken: string;
}

/** The credentials that remain valid while the gateway runs. */
export type LastingCredentials = Omit<DemoCredentials, "stsToken">;

/** Unguessable credentials. They have nothing to do with the seed for the responses, which has a public default. */
export function createCredentials(): LastingCredentials {
  const material = (): string => randomBytes(18).toString("base64url");
  return {
    apiKey: `demo-key-${material()}`,
    accessKey: `DEMOAK${material().replace(/[^A-Za-z0-9]/g, "X")}`,
    apiSecret: `demo-secret-${material()}`,
    sessionToken: `demo-session-${material()}`,
  };
}
