import type { Credential } from "../kernel/credential.ts";
import { isRecord, numberField, parseJson } from "../kernel/json.ts";
import { decodeBase64 } from "../kernel/base64.ts";
import { secretTexts } from "./credentialKinds.ts";

/** No token is valid for longer than a reader would write out; a larger number was meant as something else. */
const latest = 8.64e15;
/** A longer one isn't one of our tokens, and isn't worth the time. */
const longestToken = 64 * 1024;

/**
 * When the token says that it ends (the claim `exp` of a JWT), in milliseconds since 1970; undefined if it says
 * nothing. The signature is not checked: the server does that, this is for the user's eyes.
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

/** The same for any credential: a pair of keys has no end. */
export function readCredentialExpiry(credential: Credential): number | undefined {
  const [text, ...others] = secretTexts(credential);
  return others.length === 0 ? readTokenExpiry(text) : undefined;
}
