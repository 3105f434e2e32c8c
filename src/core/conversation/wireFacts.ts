/** Header names in lower case with their values; what carries a credential is redacted. */
export type Headers = Readonly<Record<string, string>>;

/** A request as it was put on the wire, without what must stay secret. */
export interface SentRequest {
  readonly method: string;
  /** Without user info; query values that carry credentials are replaced. */
  readonly url: string;
  readonly headers: Headers;
  /** The JSON text exactly as sent. */
  readonly body: string;
}

/** The head of a response. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Headers;
  readonly requestId?: string;
}

/** Over which connection a request went. */
export interface ConnectionFacts {
  /** Whether the connection was there already, from an earlier request. */
  readonly isReused: boolean;
  /** Origin of the proxy, if there is one. */
  readonly proxy?: string;
}

/** `streaming`: it was looked at while it went on. */
export type ExchangeOutcome = "streaming" | "complete" | "stopped" | "failed";
