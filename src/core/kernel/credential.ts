/** The kinds of secret that a profile can hold; each pair of profile and kind is its own entry in SecretStorage. */
export type SecretKind = "apiKey" | "accessKey" | "sessionToken" | "stsToken";

/** What a gateway request can be authenticated with (interface sections 5.2 to 5.4). */
export type GatewayCredentialKind = "accessKey" | "sessionToken" | "stsToken";

/** Interface section 5.1. */
export interface ApiKeyCredential {
  readonly kind: "apiKey";
  readonly apiKey: string;
}

/** Interface section 5.3. */
export interface AccessKeyCredential {
  readonly kind: "accessKey";
  readonly accessKey: string;
  readonly apiSecret: string;
}

/** Interface section 5.2. */
export interface SessionTokenCredential {
  readonly kind: "sessionToken";
  readonly token: string;
}

/** Interface section 5.4. */
export interface StsTokenCredential {
  readonly kind: "stsToken";
  readonly token: string;
}

export type GatewayCredential = AccessKeyCredential | SessionTokenCredential | StsTokenCredential;
export type Credential = ApiKeyCredential | GatewayCredential;

/** Where a session token travels (interface section 5.2); the header is our default. */
export type SessionTokenCarrier = "header" | "cookie" | "query" | "ouCookie";

/** Where an STS token travels (interface section 5.4); the header is our default. */
export type StsTokenCarrier = "header" | "cookie" | "query";

/** Interface section 5.3 leaves both open; the defaults are what one public documentation page shows. */
export interface SignatureOptions {
  readonly encoding: "hex" | "base64";
  /** Whether parameters with an empty value are part of the message. */
  readonly emptyValues: "omit" | "keep";
}
