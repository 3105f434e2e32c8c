/** Words that mark a header, parameter or setting as carrying credentials. */
const sensitiveWords =
  /(?:auth(?!or(?!i))|token|secret|passw|passphrase|credential|cookie|signature|bearer|jwt|session|(?:api|access|private|subscription|master|secret|auth)[-_ ]?key|^key$|-key$)/i;

/** Names that contain such a word but don't carry credentials. */
const harmless =
  /^(?:idempotency-key|max[-_]?tokens|tokenizer|(?:page|next|next[-_]?page|continuation)[-_]?token)$/i;

/** Whether something with this name usually holds a credential. */
export function isSensitiveName(name: string): boolean {
  return sensitiveWords.test(name) && !harmless.test(name);
}

/** Whether a value has the shape of a credential, regardless of its name. */
export function looksLikeCredential(value: string): boolean {
  return /^\s*(?:bearer|basic|token)\s|\bsk-[\w-]{8}|(?<![\w.-])eyJ[\w-]{6,}\.[\w-]{4}|-----BEGIN /i.test(
    value,
  );
}
