/** What stands where a secret was. */
export const mask = "••••••";

/** The usual shapes of secrets, wherever they stand. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, mask],
  [/\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)*/g, mask],
  [/\bsk-[\w-]{8,}/g, mask],
  [
    /\b(?:pk|rk|ak|xai|gsk|hf|nvapi|rpa|r8|dop_v1|pat|glpat|gh[opusr]|github_pat|npm|pypi)[-_](?:[a-z0-9]{1,8}[-_]){0,3}[A-Za-z0-9]{16,}[\w-]*/g,
    mask,
  ],
  [/\bxox[a-z]-[\w-]{8,}/g, mask],
  [/\b(?:AKIA|ASIA|LTAI|AKID)[A-Za-z0-9]{12,}\b/g, mask],
  [/\bAIza[\w-]{30,}/g, mask],
  [/\b(sshpass\s{1,8}-p\s{0,8})["']?[^\s"']+/g, `$1${mask}`],
  [/\b(Bearer|Basic)\s{1,8}[\w.~+/=-]{8,}/gi, `$1 ${mask}`],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@]{1,500}@/gi, `$1${mask}@`],
];

const secretParameter =
  /([?&#;](?:[\w.-]{0,40}(?:token|secret|passw|pwd|signature|credential|api_?key|access_?key|session)[\w.-]{0,40}|key|sig|auth|code|jwt|sas|t|pass|password)=)[^&#;\s"']+/gi;
/** `HF_TOKEN=abc`, `--password abc`, `password: abc` inside a longer text. */
const assignment =
  /\b([\w.-]{0,60}(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key)[\w-]{0,20})(\s{0,8}[=:]\s{0,8}|\s{1,8}(?<=--[\w-]{1,100}\s{1,8}))["']?[^\s"',;&]+/gi;

const hint = /[=:@_-]|Bearer|Basic|eyJ|AKIA|ASIA|LTAI|AKID|AIza/i;

/** The text with everything that looks like a secret masked: keys, tokens, private keys, credentials in URLs. */
export function maskSecretText(text: string): string {
  if (text.length < 8 || !hint.test(text)) return text;
  const masked = shapes.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    text,
  );
  return masked.replace(secretParameter, `$1${mask}`).replace(assignment, `$1$2${mask}`);
}
