import { encodeBase64, utf8Bytes } from "../kernel/base64.ts";
import { credentialNames, namePattern } from "./credentialPlaces.ts";
/** Words that mark a header, parameter or setting as carrying credentials. */
const sensitiveWords =
  /(?:auth(?!or(?!i))|token|secret|passw|passphrase|credential|cookie|signature|bearer|jwt|session|(?:api|access|private|subscription|master|secret|auth)[-_ ]?key|^key$|-key$)/i;

/** Names that contain such a word but don't contain credentials. */
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

/** Secrets shorter than this would mask half of a log. */
const shortestSecret = 4;
/** Encoded pieces shorter than this occur in ordinary text. */
const shortestEncoded = 8;

/**
 * Every form in which a secret can occur in a line of text: as is, URL-encoded, in a JSON string, in hexadecimal, and
 * inside base64 at each of the three possible offsets. The longest come first.
 */
export function secretForms(secret: string): readonly string[] {
  const plain = secret.trim();
  if (plain.length < shortestSecret) return [];
  const bytes = utf8Bytes(plain);
  const encoded = [
    encodeUrl(plain),
    encodeUrl(plain).replaceAll("%20", "+"),
    encodeUrl(plain).replace(/%../g, (code) => code.toLowerCase()),
    JSON.stringify(plain).slice(1, -1),
    hex(bytes),
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
  ].filter((form) => form.length >= shortestEncoded);
  const forms = new Set([plain, ...encoded]);
  return [...forms].sort((a, b) => b.length - a.length);
}

/** The base64 characters that depend only on these bytes when `offset` unknown bytes precede them. */
function base64Forms(bytes: string, offset: number): readonly string[] {
  const text = encodeBase64("\0".repeat(offset) + bytes);
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor(((offset + bytes.length) * 8) / 6);
  const sure = text.slice(from, to);
  return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
}

function hex(bytes: string): string {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

/** A lone surrogate can't be encoded; it is sent as U+FFFD on the wire, too. */
function encodeUrl(text: string): string {
  return encodeURIComponent(
    text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd"),
  );
}

/** The text that replaces a secret. */
export const redactionMark = "[redacted]";

const end = String.raw`(?=[\s"'<>,;&)\]}]|$)`;

/** Headers and cookies that contain credentials, in any letter case and notation. The rest of the line is redacted. */
const headers = String.raw`(?:proxy-)?authorization|(?:set-)?cookie|(?:x-)?api-key|x-auth-token|${namePattern(credentialNames.headers, credentialNames.cookies)}`;

/** Names in queries, forms and JSON whose values are credentials, including those of the signature. */
const names = String.raw`${namePattern(credentialNames.parameters)}|accesskey|api_?key|api_?secret|client_?secret|secret(?:_?key)?|private_?key|(?:access|refresh|id|session|sts|auth|user|bearer)?[-_]?token|password|passwd|passphrase`;

/**
 * Each pattern with its replacement; the parts that are kept show what was there. Bounded repetitions keep the patterns
 * linear.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}KEY-----|$)/g, redactionMark],
  [
    new RegExp(
      String.raw`(\\{0,8}["'])(${headers})\1(\s*[:,=]\s*)(\\{0,8}["'])(?:(?!\4)(?:\\.|[^\\\n]))*`,
      "gi",
    ),
    `$1$2$1$3$4${redactionMark}`,
  ],
  [new RegExp(String.raw`\b(${headers})(\s{0,8}:\s?)[^\n]+`, "gi"), `$1$2${redactionMark}`],
  [
    new RegExp(String.raw`(\\{0,8}["'])(${names})\1(\s*:\s*)(\\{0,8}["'])(?:(?!\4)(?:\\.|[^\\\n]))*`, "gi"),
    `$1$2$1$3$4${redactionMark}`,
  ],
  [new RegExp(String.raw`(\\{0,8}["'])(${names})\1(\s*:\s*)\d[\d.]*`, "gi"), `$1$2$1$3${redactionMark}`],
  [new RegExp(String.raw`(?<![\w-])(${names}|${headers})=[^\s&"'<>;,)\]}]+`, "gi"), `$1=${redactionMark}`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${redactionMark}`],
  [new RegExp(String.raw`(?<![\w.-])eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*){0,4}${end}`, "g"), redactionMark],
  [/\b(?:sk|pk|rk|hf|gsk|xai|ghp|gho|glpat|nvapi)[-_][\w-]{12,}/g, redactionMark],
  [/(:\/\/)[^\s/?#@"'<>]+@/g, `$1${redactionMark}@`],
];

/** The text without anything that looks like a credential, whether known or not. */
export function redactPatterns(text: string): string {
  return patterns.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text);
}

/** A shorter secret can't be distinguished from an ordinary word. */
const shortestRedacted = 8;

/**
 * Keeps the secrets of this session out of all output. Remembered secrets are masked in every form (see `secretForms`),
 * others by their shape and by what precedes them.
 */
export class Redaction {
  readonly #forms = new Set<string>();
  #longestFirst: readonly string[] = [];

  /** Masks the secret for the rest of this session, because a removed key may still appear in an error. */
  remember(secret: string): void {
    const before = this.#forms.size;
    for (const form of secretForms(secret)) this.#forms.add(form);
    if (this.#forms.size === before) return;
    this.#longestFirst = [...this.#forms].sort((a, b) => b.length - a.length);
  }

  /**
   * The remembered secrets, in any encoding, that the text contains. Those that are too short are ignored because they
   * could be anything.
   */
  find(text: string): readonly string[] {
    return this.#longestFirst.filter((form) => form.length >= shortestRedacted && text.includes(form));
  }

  /** The text with a mark in place of every known secret and of everything that has the form of one. */
  redact(text: string): string {
    let redacted = text;
    for (const form of this.#longestFirst) redacted = redacted.replaceAll(form, redactionMark);
    return redactPatterns(redacted);
  }
}
