import { secretName } from "../servers/secretNames.ts";
import type { SecretFinding } from "./secretFinding.ts";

/** `NAME=value`, as in a `.env` file, or `"name": "value"`, as in a file of settings: one to a line. */
const assignment =
  /^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?(["']?)([A-Za-z_][\w.-]{0,80})\1[ \t]*[=:][ \t]*(?:"([^"\n]{1,4000})"|'([^'\n]{1,4000})'|([^\s#"',;]{1,4000}))[ \t]*[,;]?[ \t]*(?:#[^\n]*)?$/gm;

/** Shorter values are no secrets that a name could give away. */
const shortest = 6;
/** A value of a name that says nothing must be this long, and as random as keys are. */
const shortestRandom = 24;
const randomBits = 4;

/**
 * Secrets in the contents of `.env` files: values whose name says that they are secret, and values of environment
 * variables that are as random as keys are. Code that only speaks of a secret, and placeholders, are left alone.
 */
export function findEnvironmentSecrets(text: string): readonly SecretFinding[] {
  const findings: SecretFinding[] = [];
  for (const match of text.matchAll(assignment)) {
    const [, , name = "", doubleQuoted, singleQuoted, bare] = match;
    const quoted = doubleQuoted ?? singleQuoted;
    const value = quoted ?? bare ?? "";
    if (isSecret(name, value, quoted !== undefined)) findings.push({ kind: name, value });
  }
  return findings;
}

function isSecret(name: string, value: string, isQuoted: boolean): boolean {
  if (value.length < shortest || isPlaceholder(value) || (!isQuoted && isCode(value))) return false;
  if (secretName(name) === "secret") return !/\s/.test(value) && !isPlainWord(value, isQuoted);
  return /^[A-Z][A-Z0-9_]*$/.test(name) && isRandom(value);
}

function isPlaceholder(value: string): boolean {
  return (
    /^(?:true|false|null|none|undefined|yes|no|on|off|string|number|\d{1,9}|\d{4}-\d\d-\d\d.*)$/i.test(
      value,
    ) ||
    /^(?:<.*>|\[.*\]|\{.*\}|\$.*|%.*%|\*+|•+|x+|\.+|-+)$/i.test(value) ||
    /your[-_ ]|change[-_ ]?me|example|placeholder|redacted|masked|xxxx|•{6}|\.\.\.|\$\{/i.test(value)
  );
}

/** A call, an index, a member: what stands there is not the secret. */
function isCode(value: string): boolean {
  return /[()[\]{}<>]/.test(value) || /^[A-Za-z_$]\w*(?:\.[A-Za-z_$]\w*)+$/.test(value);
}

/** `password = password`, `token: string`: a name or a type, not a value. In quotes it may well be one. */
function isPlainWord(value: string, isQuoted: boolean): boolean {
  return !isQuoted && /^[A-Za-z_$]+$/.test(value);
}

function isRandom(value: string): boolean {
  if (value.length < shortestRandom || !/^[\w+/=.~-]+$/.test(value)) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return entropy(value) >= randomBits;
}

/** Bits a character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
