import { assertNever } from "../kernel/assertNever.ts";
import type { Credential, SecretKind } from "../kernel/credential.ts";
import { parseJson } from "../kernel/parseJson.ts";
import { originOf } from "../kernel/httpAddress.ts";
import { isRecord, numberField, stringField } from "../kernel/json.ts";
import type { Profile } from "./profile.ts";

/** Every kind of secret that a profile can hold. */
export const secretKinds: readonly SecretKind[] = ["apiKey", "accessKey", "sessionToken", "stsToken"];

/** Beside the secret in use there may be the one before it, kept until the user has revoked it. */
export const secretSlots = ["current", "previous"] as const;
export type SecretSlot = (typeof secretSlots)[number];

/** One entry of the secret storage: the credential with the origin for which it was entered. Times in ms since 1970. */
export interface SecretEntry {
  readonly origin: string;
  readonly savedAt: number;
  readonly credential: Credential;
  /** When it ends, as the user entered it. */
  readonly expiresAt?: number;
  /** When another one took its place. */
  readonly replacedAt?: number;
}

const keyPrefix = "inferenceGateway/";
const formatVersion = 1;

const previousMark = ".previous";

/** Under which key the secret is stored: `inferenceGateway/<profile name>/<kind>`, the one before it with `.previous`. */
export function secretKey(profileName: string, kind: SecretKind, slot: SecretSlot = "current"): string {
  return `${keyPrefix}${profileName}/${kind}${slot === "previous" ? previousMark : ""}`;
}

/** What a stored key stands for; undefined for keys that are not ours. Profile names may contain slashes. */
export function parseSecretKey(key: string):
  | {
      readonly profileName: string;
      readonly kind: SecretKind;
      readonly slot: SecretSlot;
    }
  | undefined {
  const slash = key.lastIndexOf("/");
  if (!key.startsWith(keyPrefix) || slash <= keyPrefix.length) return undefined;
  const name = key.slice(slash + 1);
  const slot = name.endsWith(previousMark) ? "previous" : "current";
  const kindName = slot === "previous" ? name.slice(0, -previousMark.length) : name;
  const kind = secretKinds.find((candidate) => candidate === kindName);
  return kind === undefined ? undefined : { profileName: key.slice(keyPrefix.length, slash), kind, slot };
}

/** The origin that a kind of secret of this profile is sent to; undefined while the profile has no such URL. */
export function secretOrigin(profile: Profile, kind: SecretKind): string | undefined {
  return originOf(kind === "apiKey" ? profile.inferenceBaseUrl : profile.gatewayUrl);
}

/** The texts of a credential that nobody may see. */
export function secretTexts(credential: Credential): readonly string[] {
  switch (credential.kind) {
    case "apiKey":
      return [credential.apiKey];
    case "accessKey":
      return [credential.apiSecret, credential.accessKey];
    case "sessionToken":
    case "stsToken":
      return [credential.token];
    default:
      return assertNever(credential);
  }
}

export function formatSecretEntry(entry: SecretEntry): string {
  return JSON.stringify({ version: formatVersion, ...entry });
}

/** Undefined for what is no entry of this kind, whoever wrote it. */
export function parseSecretEntry(text: string, kind: SecretKind): SecretEntry | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || value["version"] !== formatVersion) return undefined;
  const origin = stringField(value, "origin");
  const credential = parseCredential(value["credential"], kind);
  if (origin === undefined || credential === undefined) return undefined;
  const expiresAt = numberField(value, "expiresAt");
  const replacedAt = numberField(value, "replacedAt");
  return {
    origin,
    savedAt: numberField(value, "savedAt") ?? 0,
    credential,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(replacedAt === undefined ? {} : { replacedAt }),
  };
}

function parseCredential(value: unknown, kind: SecretKind): Credential | undefined {
  if (!isRecord(value) || value["kind"] !== kind) return undefined;
  const text = (name: string): string | undefined => stringField(value, name) || undefined;
  switch (kind) {
    case "apiKey": {
      const apiKey = text("apiKey");
      return apiKey === undefined ? undefined : { kind, apiKey };
    }
    case "accessKey": {
      const accessKey = text("accessKey");
      const apiSecret = text("apiSecret");
      return accessKey === undefined || apiSecret === undefined ? undefined : { kind, accessKey, apiSecret };
    }
    case "sessionToken":
    case "stsToken": {
      const token = text("token");
      return token === undefined ? undefined : { kind, token };
    }
    default:
      return assertNever(kind);
  }
}
