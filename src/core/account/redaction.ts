import { secretForms } from "./secretForms.ts";
import { namePattern, credentialNames } from "./credentialPlaces.ts";

/** The text that replaces a secret. */
export const redactionMark = "[redacted]";

const end = String.raw`(?=[\s"'<>,;&)\]}]|$)`;

/** Headers and cookies that carry credentials, in any case and notation. The rest of the line is redacted. */
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

  redact(text: string): string {
    let redacted = text;
    for (const form of this.#longestFirst) redacted = redacted.replaceAll(form, redactionMark);
    return redactPatterns(redacted);
  }
}
