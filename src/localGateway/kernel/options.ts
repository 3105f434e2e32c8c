import type { RequestRecord } from "./requestRecord.ts";

/** The authentication types as the gateway names them (interface section 5). */
export type AuthenticationType = "AK" | "STS_TOKEN" | "SESSION";

export interface LocalGatewayOptions {
  /** 0 selects any free port. */
  readonly port: number;
  /** The same seed produces the same responses and servers. Undefined means 1. */
  readonly seed: number | undefined;
  /** The same seed produces the same credentials, which anyone who has the seed knows. Undefined generates new ones. */
  readonly credentialSeed: string | undefined;
  /** 0 means as fast as possible. */
  readonly tokensPerSecond: number;
  /** Base URL of an OpenAI-style server that responds instead of the demo models. */
  readonly upstream: string | undefined;
  /** Whether `upstream` may be on another machine. */
  readonly allowRemoteUpstream: boolean;
  readonly serverCount: number;
  /** Milliseconds by which the gateway's clock is ahead. Affects the Date header and the nonce check. */
  readonly clockOffsetMs: number;
  /** Interface section 5.3 leaves both open. */
  readonly emptyValues: "omit" | "keep";
  readonly signatureEncoding: "hex" | "base64";
  /** Authentication types that the server list accepts (interface section 5.5). */
  readonly permittedTypes: readonly AuthenticationType[];
  /** Called when a request has been handled or its client has disconnected. */
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
}

export const defaultOptions: LocalGatewayOptions = {
  port: 0,
  seed: undefined,
  credentialSeed: undefined,
  tokensPerSecond: 60,
  upstream: undefined,
  allowRemoteUpstream: false,
  serverCount: 12,
  clockOffsetMs: 0,
  emptyValues: "omit",
  signatureEncoding: "hex",
  permittedTypes: ["AK", "STS_TOKEN", "SESSION"],
  onRequest: undefined,
};
