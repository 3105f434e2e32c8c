import { t } from "@vscode/l10n";
import { credentialForms } from "../kernel/credential.ts";
import type {
  Credential,
  CredentialPart,
  GatewayCredential,
  GatewayCredentialKind,
  RefusalReason,
  SecretKind,
} from "../kernel/credential.ts";
import type { ErrorReason } from "../kernel/errors.ts";

/** Where a credential is placed in a request; `scheme` is the word before it. */
export type CredentialPlace =
  | { readonly header: string; readonly scheme?: string }
  | { readonly cookie: string }
  | { readonly parameter: string };

/** One part of a credential. */
interface PartFacts {
  /** The prompt of the input box; `origin` is where the value will be sent. */
  readonly prompt: (origin: string) => string;
  /** `sent` must be valid in a header; `signs` is never sent and may be any text. */
  readonly use: "sent" | "signs";
  /** Matches the end of the upper-case name of an environment variable that holds it. */
  readonly variable: RegExp;
}

interface KindFacts<K extends SecretKind> {
  /** Used in the IDs of commands and context keys. */
  readonly commandName: Capitalize<K>;
  /** Used at the beginning of a line: “API Key”. */
  readonly label: () => string;
  /** Used in the middle of a sentence: “API key”. */
  readonly noun: () => string;
  /** Used on a button. */
  readonly setLabel: () => string;
  /**
   * Keys are rotated when they are old, tokens expire. For `shortToken`, the user is asked for the expiry if the token
   * doesn't contain it.
   */
  readonly lifetime: "key" | "token" | "shortToken";
  readonly parts: { readonly [P in CredentialPart<K>]: PartFacts };
  /** Where it can be. For tokens, keyed by the names that the profile's option offers. */
  readonly places: Readonly<Record<string, CredentialPlace>>;
  /** Describes this choice when a profile is added. */
  readonly hint: K extends GatewayCredentialKind ? () => string : null;
  /** The code in the body of a gateway that refuses it (interface section 7). */
  readonly refusalCode: K extends GatewayCredentialKind ? string : null;
  /** The error message when a service rejects it; `status` is the status and code of the response. */
  readonly refused: (service: string, status: string) => string;
  /** Advice that follows the error message. */
  readonly advice: () => string;
}

/**
 * Everything that differs between the kinds of credential. Commands, labels, error sentences, profile options, imports
 * and the names that are masked in logs all follow from it. The commands `set…` and `remove…` are in package.json too.
 */
export const credentialKinds = {
  apiKey: {
    commandName: "ApiKey",
    label: () => t("API Key"),
    noun: () => t("API key"),
    setLabel: () => t("Set API Key"),
    lifetime: "key",
    parts: {
      apiKey: {
        prompt: (origin) => t("API key for {0}", origin),
        use: "sent",
        variable: /^API_KEY$/,
      },
    },
    places: { header: { header: "authorization", scheme: "Bearer" } },
    hint: null,
    refusalCode: null,
    refused: (service, status) => t("{0} rejected the API key ({1}).", service, status),
    advice: () => t("Set another API key."),
  },
  accessKey: {
    commandName: "AccessKey",
    label: () => t("Access Key"),
    noun: () => t("access key"),
    setLabel: () => t("Set Access Key"),
    lifetime: "key",
    parts: {
      accessKey: {
        prompt: (origin) => t("Access key for {0}", origin),
        use: "sent",
        variable: /^ACCESS_KEY(?:_ID)?$/,
      },
      apiSecret: {
        prompt: (origin) => t("API secret for this access key ({0})", origin),
        use: "signs",
        variable: /^(?:API_SECRET|SECRET_KEY|SECRET_ACCESS_KEY|ACCESS_KEY_SECRET)$/,
      },
    },
    places: {
      accessKey: { parameter: "access_key" },
      nonce: { parameter: "nonce" },
      signature: { parameter: "signature" },
    },
    hint: () => t("The access key and API secret from the console. Every request is signed."),
    refusalCode: "ERR_SIGNATURE",
    refused: (service, status) => t("{0} rejected the request's signature ({1}).", service, status),
    advice: () =>
      t("Check the access key and API secret, or let “Diagnose Connection” try the other signature formats."),
  },
  sessionToken: {
    commandName: "SessionToken",
    label: () => t("Session Token"),
    noun: () => t("session token"),
    setLabel: () => t("Set Session Token"),
    lifetime: "token",
    parts: {
      token: {
        prompt: (origin) => t("Session token for {0}", origin),
        use: "sent",
        variable: /^(?:SESSION_TOKEN|USER_TOKEN)$/,
      },
    },
    places: {
      header: { header: "authorization" },
      cookie: { cookie: "User-Token-V1" },
      query: { parameter: "token" },
      ouCookie: { cookie: "OU-Token-V1" },
    },
    hint: () => t("The session token of a signed-in user."),
    refusalCode: "ERR_UNAUTHORIZED",
    refused: (service, status) => t("{0} rejected the session token ({1}).", service, status),
    advice: () => t("Set a new session token, or choose another type of credential in the profile."),
  },
  stsToken: {
    commandName: "StsToken",
    label: () => t("STS Token"),
    noun: () => t("STS token"),
    setLabel: () => t("Set STS Token"),
    lifetime: "shortToken",
    parts: {
      token: {
        prompt: (origin) => t("STS token for {0}", origin),
        use: "sent",
        variable: /^STS_TOKEN$/,
      },
    },
    places: {
      header: { header: "sts-token" },
      cookie: { cookie: "STS-Token" },
      query: { parameter: "STS-Token" },
    },
    hint: () => t("A temporary security token (STS)."),
    refusalCode: "ERR_STS_UNAUTHORIZED",
    refused: (service, status) =>
      t("{0} rejected the STS token, which is invalid or has expired ({1}).", service, status),
    advice: () => t("Set a new STS token."),
  },
} as const satisfies { readonly [K in SecretKind]: KindFacts<K> };

/** Every kind of secret that a profile can hold, in display order. */
export const secretKinds: readonly SecretKind[] = Object.keys(credentialForms).filter(isSecretKind);

/** The kinds of credential that the gateway accepts. */
export const gatewayKinds: readonly GatewayCredentialKind[] = secretKinds.filter(isGatewayKind);

/** Whether the text names a kind of credential. */
export function isSecretKind(text: string): text is SecretKind {
  return Object.hasOwn(credentialForms, text);
}

/** Whether credentials of this kind authenticate requests to the GPU gateway. */
export function isGatewayKind(kind: SecretKind): kind is GatewayCredentialKind {
  return credentialForms[kind].role === "gateway";
}

/** Whether the credential authenticates requests to the GPU gateway. */
export function isGatewayCredential(credential: Credential): credential is GatewayCredential {
  return isGatewayKind(credential.kind);
}

/** The names of the parts that make up a credential of this kind. */
export function credentialParts(kind: SecretKind): readonly CredentialPart[] {
  return credentialForms[kind].parts;
}

/** How a part of this kind of credential is prompted for and recognized. */
export function partFacts(kind: SecretKind, part: CredentialPart): PartFacts | undefined {
  const parts: Readonly<Record<string, PartFacts>> = credentialKinds[kind].parts;
  return parts[part];
}

/** Assembles a credential; undefined if a part is missing or empty. */
export function createCredential(
  kind: SecretKind,
  read: (part: CredentialPart) => string | undefined,
): Credential | undefined {
  const texts = credentialParts(kind).map((part) => [part, read(part) ?? ""] as const);
  const credential: ReadTexts = { ...Object.fromEntries(texts), kind };
  return isCredential(credential) ? credential : undefined;
}

type ReadTexts = Readonly<Record<string, string>> & { readonly kind: SecretKind };

function isCredential(texts: ReadTexts): texts is Credential & ReadTexts {
  return credentialParts(texts.kind).every((part) => (texts[part] ?? "") !== "");
}

/** The secret texts of a credential; the first one identifies it. */
export function secretTexts(credential: Credential): readonly [string, ...string[]] {
  const texts: Readonly<Record<string, string>> = credential;
  const [first, ...others] = credentialForms[credential.kind].parts;
  return [texts[first] ?? "", ...others.map((part) => texts[part] ?? "")];
}

/** Whether both are the same key. A key pair is identified by its access key, since that is what is revoked. */
export function isSameKey(first: Credential, second: Credential): boolean {
  return first.kind === second.kind && secretTexts(first)[0].trim() === secretTexts(second)[0].trim();
}

/** Whether an error with this reason means that a credential was refused. */
export function isRefusalReason(reason: ErrorReason): reason is RefusalReason {
  return refusedKind(reason) !== undefined;
}

/** The kind of credential that an error with this reason concerns; undefined for other errors. */
export function refusedKind(reason: RefusalReason): SecretKind;
export function refusedKind(reason: ErrorReason): SecretKind | undefined;
export function refusedKind(reason: ErrorReason): SecretKind | undefined {
  return secretKinds.find((kind) => credentialForms[kind].refusedAs === reason);
}

/** The kind of credential that a gateway refuses with this code; undefined for other codes. */
export function kindRefusedBy(code: string): SecretKind | undefined {
  return secretKinds.find((kind) => credentialKinds[kind].refusalCode === code);
}
