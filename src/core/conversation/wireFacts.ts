/** Lowercase header names with their values; credentials are redacted. */
export type Headers = Readonly<Record<string, string>>;

/** A request as it was sent, without anything that must stay secret. */
export interface SentRequest {
  readonly method: string;
  /** Without user info; query values that carry credentials are replaced. */
  readonly url: string;
  readonly headers: Headers;
  /** The JSON text exactly as sent. */
  readonly body: string;
}

/** The status and headers of a response. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Headers;
  readonly requestId?: string;
}

/** The connection that a request used. */
export interface ConnectionFacts {
  /** Whether the connection already existed from an earlier request. */
  readonly isReused: boolean;
  /** Origin of the proxy, if there is one. */
  readonly proxy?: string;
}

/** `streaming`: the exchange was still in progress when it was read. */
export type ExchangeOutcome = "streaming" | "complete" | "stopped" | "failed";
