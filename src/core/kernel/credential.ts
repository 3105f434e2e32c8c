/**
 * The kinds of secret that a profile can hold, with the parts of their types: the service that accepts the secret, the
 * parts it consists of (the first one identifies it), and the error reason when it is refused. The names of kinds and
 * parts are stored. Everything else about a kind is in `account/credentialKinds.ts`.
 */
export const credentialForms = {
  /** Interface section 5.1. */
  apiKey: { role: "inference", parts: ["apiKey"], refusedAs: "apiKey" },
  /** Interface section 5.3. */
  accessKey: { role: "gateway", parts: ["accessKey", "apiSecret"], refusedAs: "signature" },
  /** Interface section 5.2. */
  sessionToken: { role: "gateway", parts: ["token"], refusedAs: "sessionToken" },
  /** Interface section 5.4. */
  stsToken: { role: "gateway", parts: ["token"], refusedAs: "stsToken" },
} as const satisfies Readonly<Record<string, CredentialForm>>;

interface CredentialForm {
  readonly role: "inference" | "gateway";
  readonly parts: readonly [string, ...string[]];
  readonly refusedAs: string;
}

type Forms = typeof credentialForms;

/** Each pair of a profile and a kind has its own entry in SecretStorage. */
export type SecretKind = keyof Forms;

/** The credentials that can authenticate a gateway request (interface sections 5.2 to 5.4). */
export type GatewayCredentialKind = {
  [K in SecretKind]: Forms[K]["role"] extends "gateway" ? K : never;
}[SecretKind];

/** The parts of a kind of credential, by name. */
export type CredentialPart<K extends SecretKind = SecretKind> = Forms[K]["parts"][number];

/** The reason of an error when a credential is refused. */
export type RefusalReason = Forms[SecretKind]["refusedAs"];

/** A credential of this kind. */
type CredentialOf<K extends SecretKind> = { readonly kind: K } & {
  readonly [P in CredentialPart<K>]: string;
};

/** A credential of any kind, with its secret parts in plain text: it must not reach a log, a page, or a file. */
export type Credential = { [K in SecretKind]: CredentialOf<K> }[SecretKind];

/** A credential for requests to the GPU gateway. */
export type GatewayCredential = { [K in GatewayCredentialKind]: CredentialOf<K> }[GatewayCredentialKind];

/** The access key and secret that gateway requests are signed with (interface section 5.2). */
export type AccessKeyCredential = CredentialOf<"accessKey">;

/** Gateway credentials that are sent unchanged. */
export type TokenCredential = Extract<GatewayCredential, { readonly token: string }>;

/** Interface section 5.3 leaves both open; the defaults follow a public documentation page. */
export interface SignatureOptions {
  readonly encoding: "hex" | "base64";
  /** Whether parameters with an empty value are part of the string to sign. */
  readonly emptyValues: "omit" | "keep";
}
