import { decodeBase64 } from "../kernel/base64.ts";
import type { Credential, SecretKind } from "../kernel/credential.ts";
import { isRecord, numberField, parseJson } from "../kernel/json.ts";
import { secretTexts } from "./credentialKinds.ts";
import { parseSecretEntry, parseSecretKey } from "./secretEntries.ts";
import type { SecretEntry } from "./secretEntries.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** The latest time that a `Date` can represent; a larger number must mean something else. */
const latest = 8.64e15;
/** A longer text isn't one of our tokens and isn't worth parsing. */
const longestToken = 64 * 1024;

/**
 * When the token expires according to its JWT claim `exp`, in milliseconds since 1970; undefined if it has none. The
 * signature isn't checked: the server does that, and this is only displayed to the user.
 */
export function readTokenExpiry(token: string): number | undefined {
  const parts = token.split(".");
  const payload = parts[1];
  if (parts.length !== 3 || payload === undefined || token.length > longestToken) return undefined;
  const text = decodeBase64(payload);
  const claims = text === undefined ? undefined : parseJson(text);
  const seconds = isRecord(claims) ? numberField(claims, "exp") : undefined;
  if (seconds === undefined || seconds <= 0 || seconds * 1_000 > latest) return undefined;
  return Math.floor(seconds * 1_000);
}

/** The expiry of any credential; a key pair has none. */
export function readCredentialExpiry(credential: Credential): number | undefined {
  const [text, ...others] = secretTexts(credential);
  return others.length === 0 ? readTokenExpiry(text) : undefined;
}

/** What may be shown about a stored secret: everything but its value. Times are in milliseconds since 1970. */
export interface StoredSecret {
  readonly profileName: string;
  readonly kind: SecretKind;
  /** Absent if what is stored isn't one of our entries. */
  readonly facts?: SecretFacts;
  /** Absent if it hasn't been used since uses are recorded. */
  readonly lastUsedAt?: number;
}

/** What may be shown about a stored secret. Times are in milliseconds since 1970. */
export interface SecretFacts {
  readonly origin: string;
  readonly savedAt: number;
  /** Absent if the secret is too short to show part of it. */
  readonly lastFour?: string;
  readonly expiresAt?: number;
}

/** Undefined for a key that isn't ours. */
export function describeStoredSecret(key: string, text: string, lastUsedAt = 0): StoredSecret | undefined {
  const parsed = parseSecretKey(key);
  if (parsed === undefined) return undefined;
  const entry = parseSecretEntry(text, parsed.kind);
  return {
    ...parsed,
    ...(entry === undefined ? {} : { facts: readFacts(entry) }),
    ...(lastUsedAt === 0 ? {} : { lastUsedAt }),
  };
}

function readFacts(entry: SecretEntry): SecretFacts {
  const { origin, savedAt, credential } = entry;
  return filledFields({ origin, savedAt, lastFour: lastFour(credential), expiresAt: entryExpiry(entry) });
}

/** When it expires: the token's own claim takes precedence over what was entered. */
export function entryExpiry({ credential, expiresAt }: SecretEntry): number | undefined {
  return readCredentialExpiry(credential) ?? expiresAt;
}

/** Four characters would reveal too much of a shorter secret. */
const shortestWithTail = 12;

/** The characters that identify a key to its owner. For an access key, these are the ones that its console shows. */
export function lastFour(credential: Credential): string | undefined {
  const [text] = secretTexts(credential);
  return text.length < shortestWithTail ? undefined : text.slice(-4);
}
