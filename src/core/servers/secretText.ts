import { replaceSecrets } from "../account/secrets/scanSecrets.ts";

/** The text that replaces a secret. */
export const mask = "••••••";

/** Names, IDs, addresses and numbers, which are common in lists: nothing in them looks like a secret. */
const plain = /^(?:[0-9a-f.:-]{1,64}|[a-z0-9.: -]{1,48}|[A-Z]?[A-Za-z0-9. -]{0,15})$/i;
const suspicious =
  /pass|pwd|pw\b|secret|token|key|cred|auth|basic|bearer|login|[spr]k-|pat-|[A-Za-z0-9]{20}/i;

/** The texts of lists recur with every refresh. */
const cache = new Map<string, string>();
const maxCached = 20_000;
const longestCached = 300;

/** The text with everything that looks like a secret masked: keys, tokens, private keys, credentials in URLs. */
export function maskSecretText(text: string): string {
  if (text.length < 6 || (plain.test(text) && (!suspicious.test(text) || /^[0-9a-f.:-]+$/i.test(text))))
    return text;
  if (text.length > longestCached) return replaceSecrets(text, mask, "strict");
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size >= maxCached) cache.clear();
  const masked = replaceSecrets(text, mask, "strict");
  cache.set(text, masked);
  return masked;
}
