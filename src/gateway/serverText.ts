/** Longest piece of a server's own words that is shown. */
const maxLength = 500;
/** Longest piece that is looked at: masking may shorten it, but not that much. */
const maxReadLength = 4_000;

/**
 * A server's words as they may be shown: no control characters, nothing that reorders the text around it
 * (bidirectional overrides, zero-width marks), no secrets, white space collapsed, at most 500 characters.
 */
export function cleanServerText(text: string): string {
  const visible = text
    .slice(0, maxReadLength)
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .replace(/[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "");
  return cutText(maskSecrets(visible).replace(/ {2,}/g, " ").trim(), maxLength);
}

function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Long tokens where something says what they are, and the usual shapes of keys wherever they stand. */
const secretPatterns: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, "$1 …"],
  [/\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?/g, "…"],
  [/\b(sk|pk|rk|hf|gsk|xai|ghp|gho|glpat)[-_][\w*.-]{6,}/gi, "$1-…"],
  [
    /\b((?:api|access|secret|private|auth|user|session|sts)?[-_ ]?(?:keys?|tokens?|secret|password|signature|credential))\b(["']?\s*(?:[:=]|\bis\b|\bprovided:)?\s*["'`]?)(?=[\w+/=.~-]*\d)[\w+/=.~-]{16,}/gi,
    "$1$2…",
  ],
];

/** The text with everything that looks like a credential replaced by an ellipsis. */
export function maskSecrets(text: string): string {
  return secretPatterns.reduce(
    (masked, [pattern, replacement]) => masked.replace(pattern, replacement),
    text,
  );
}
