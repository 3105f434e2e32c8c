import type { RequestRecord } from "./requestRecord.ts";

/** The kinds of authentication as the gateway names them (interface section 5). */
export type AuthenticationType = "AK" | "STS_TOKEN" | "SESSION";

export interface LocalGatewayOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** The same seed gives the same responses and servers; undefined is 1. */
  readonly seed: number | undefined;
  /** The same seed gives the same credentials, known to anyone who knows it. Undefined generates fresh ones. */
  readonly credentialSeed: string | undefined;
  /** 0 is as fast as possible. */
  readonly tokensPerSecond: number;
  /** Base URL of an OpenAI-style server that responds instead of the demo models. */
  readonly upstream: string | undefined;
  /** Whether `upstream` may be on another machine. */
  readonly allowRemoteUpstream: boolean;
  readonly serverCount: number;
  /** Milliseconds by which the gateway's clock is ahead: moves the Date header and the check of the nonce. */
  readonly clockOffsetMs: number;
  /** Interface section 5.3 leaves both open. */
  readonly emptyValues: "omit" | "keep";
  readonly signatureEncoding: "hex" | "base64";
  /** Types that the server list permits (interface section 5.5). */
  readonly permittedTypes: readonly AuthenticationType[];
  /** Called when a request has been answered or its client has gone. */
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
