/** The throw-away credentials of a running local gateway, one for each way in (interface section 5). */
export interface LocalGatewayCredentials {
  readonly apiKey: string;
  readonly accessKey: string;
  readonly apiSecret: string;
  readonly sessionToken: string;
  readonly stsToken: string;
}

/** A local gateway that listens on loopback. */
export interface LocalGateway {
  readonly inferenceBaseUrl: string;
  readonly gatewayUrl: string;
  readonly credentials: LocalGatewayCredentials;
  stop(): Promise<void>;
}

export interface LocalGatewayOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Base URL of the server that gives real answers; the demo models answer if there is none. */
  readonly upstream?: string;
  /** 0 means as fast as possible. */
  readonly tokensPerSecond: number;
  readonly seed: number;
}

/** Port: starts the server side, which is loaded only then. Rejects when it can't listen. */
export type StartLocalGateway = (options: LocalGatewayOptions) => Promise<LocalGateway>;

/** A model server found on this machine. */
export interface Upstream {
  readonly name: string;
  /** Base URL with its `/v1`. */
  readonly url: string;
  readonly models: readonly string[];
}

/** Port: looks for model servers at their usual loopback ports; only when the user asks. */
export type FindUpstreams = () => Promise<readonly Upstream[]>;

/** What is kept from one session to the next; no secrets. */
export interface LocalGatewayMemory {
  /** The port it had last, so that open conversations continue after a restart; 0 for none. */
  readonly port: number;
  /** The setting of the active profile before the local gateway took its place. */
  readonly previousProfile?: string;
}
