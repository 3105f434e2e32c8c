/** Recognizes a secret in a text without containing it. */
export interface SecretFingerprint {
  /** In UTF-16 code units. */
  readonly length: number;
  /** A sum over the characters that is cheap to move along a text. Others may have the same. */
  readonly rolling: number;
  /** A cryptographic hash, which decides. */
  readonly hash: string;
}

/** A place in a text where a secret is. */
export interface SecretPlace {
  readonly fingerprint: SecretFingerprint;
  readonly start: number;
  readonly end: number;
}

/** A shorter secret can't be distinguished from an ordinary word. */
const shortest = 8;
const base = 0x01000193;
/** Maximum number of positions with a matching sum, by chance or on purpose, that are checked for each length. */
const mostChecked = 1_000;
/** Number of characters after which other work can run. */
const pieceLength = 64 * 1024;

/** Undefined if the secret is too short to be recognized. */
export function fingerprintOf(secret: string, hash: (text: string) => string): SecretFingerprint | undefined {
  if (secret.length < shortest) return undefined;
  return { length: secret.length, rolling: rollingSum(secret), hash: hash(secret) };
}

/**
 * Finds the secrets in one pass for each of their lengths, whatever the text contains. Yields now and then, so that the
 * caller can pause.
 */
export function* findFingerprints(
  text: string,
  fingerprints: readonly SecretFingerprint[],
  hash: (text: string) => string,
): Generator<undefined, readonly SecretPlace[]> {
  const places: SecretPlace[] = [];
  const lengths = new Set(fingerprints.map(({ length }) => length));
  for (const length of lengths) {
    const wanted = fingerprints.filter((fingerprint) => fingerprint.length === length);
    const sums = new Set(wanted.map(({ rolling }) => rolling));
    let sum = rollingSum(text.slice(0, length));
    let checked = 0;
    const highest = power(length - 1);
    for (let start = 0; start + length <= text.length; start++) {
      if (start % pieceLength === pieceLength - 1) yield;
      if (sums.has(sum) && checked++ < mostChecked) {
        const hashed = hash(text.slice(start, start + length));
        const fingerprint = wanted.find((candidate) => candidate.hash === hashed);
        if (fingerprint !== undefined) places.push({ fingerprint, start, end: start + length });
      }
      sum = moveSum(sum, text.charCodeAt(start), text.charCodeAt(start + length), highest);
    }
  }
  return places.toSorted((a, b) => a.start - b.start);
}

function rollingSum(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (Math.imul(sum, base) + text.charCodeAt(index)) | 0;
  return sum;
}

/** The sum one character further. */
function moveSum(sum: number, leaving: number, entering: number, highest: number): number {
  return (Math.imul((sum - Math.imul(leaving, highest)) | 0, base) + entering) | 0;
}

function power(exponent: number): number {
  let result = 1;
  for (let index = 0; index < exponent; index++) result = Math.imul(result, base);
  return result;
}
