import type { Credential } from "../kernel/credential.ts";
import { isRecord, numberField, parseJson } from "../kernel/json.ts";
import { decodeBase64 } from "../kernel/base64.ts";
import { secretTexts } from "./credentialKinds.ts";

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
