/**
 * The kinds of secret that a profile can hold, with what their types are made of: the service that takes the secret, the
 * texts it consists of (the first one identifies it), and the error reason that refuses it. The names of kinds and texts
 * are stored. Everything else about a kind is in `account/credentialKinds.ts`.
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

/** Each pair of a profile and a kind is its own entry in SecretStorage. */
export type SecretKind = keyof Forms;

/** What a gateway request can be authenticated with (interface sections 5.2 to 5.4). */
export type GatewayCredentialKind = {
  [K in SecretKind]: Forms[K]["role"] extends "gateway" ? K : never;
}[SecretKind];

/** The texts of a kind of credential, by name. */
export type CredentialPart<K extends SecretKind = SecretKind> = Forms[K]["parts"][number];

/** The reason of an error that refuses a credential. */
export type RefusalReason = Forms[SecretKind]["refusedAs"];

/** A credential of this kind. */
export type CredentialOf<K extends SecretKind> = { readonly kind: K } & {
  readonly [P in CredentialPart<K>]: string;
};

export type Credential = { [K in SecretKind]: CredentialOf<K> }[SecretKind];
export type GatewayCredential = { [K in GatewayCredentialKind]: CredentialOf<K> }[GatewayCredentialKind];
export type AccessKeyCredential = CredentialOf<"accessKey">;

/** Gateway credentials that travel as they are. */
export type TokenCredential = Extract<GatewayCredential, { readonly token: string }>;

/** Interface section 5.3 leaves both open; the defaults are what one public documentation page shows. */
export interface SignatureOptions {
  readonly encoding: "hex" | "base64";
  /** Whether parameters with an empty value are part of the message. */
  readonly emptyValues: "omit" | "keep";
}
