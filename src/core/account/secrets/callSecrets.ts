import { anyOf } from "./secretNames.ts";
import type { SecretSpan } from "./secretValue.ts";
import { isCode, isPassword, isPlaceholder, isRandom, isStrongRun, isUnmistakable } from "./secretValue.ts";

/** Parts of the names of calls that log in, or derive a key from a password. */
const loginNames =
  "auth log_?in logon sign_?in connect cred ftp smtp imap pop3 ssh ldap pdo mysqli open wifi\\.begin scrypt pbkdf2 derive_?key hashpw hash load userpwd";
/** Such a call with its arguments, which may be calls themselves. */
const login = new RegExp(
  String.raw`${anyOf(loginNames)}\w{0,20}(?:(?:\.|::)(?:new|from|create|begin))?[ =]{0,3}\(([^\n{}]{4,300})`,
  "gi",
);
/** A call with a string that may be a key, after up to two other arguments. */
const keyed =
  /([\w.)\]]{1,60})\(\s{0,20}(?:[\w.$]{1,60},\s{0,20}|["'][^"'\n]{1,60}["'],\s{0,20}){0,2}b?(["'`])((?:0x)?[\w+/-]{32,200}={0,2})\2\s{0,20}[,)]/g;
/** Calls that compare, decode or test what they are given, which is then a checksum, an alphabet or a sample. */
const harmlessCalls =
  /equal|expect|assert|alpha|char|set$|hash|sha|md5|digest|integrity|is$|match|test|code|import|public|verify|bytes|hex/i;
/** Calls whose argument is a key even if it consists of hexadecimal digits. */
const clients =
  /client|sdk|api|session|search|twilio|wallet|private_?key|signing_?key|keypair|stripe|require/i;
/** Strings of one line among the arguments. */
const quotedArgument =
  /(?<![\w\]])[bru@$]{0,2}(["'`])([^"'`\n\\]{1,120})\1(?=(?:\.\w{1,12}\(\))?\s{0,3}[,)\]]|$)/g;

/** Passwords and keys among the arguments of calls: `FTP("host", "user", "…")`, `scrypt("…", salt)`, `new Client("…")`. */
export function findSecretsInCalls(text: string): readonly SecretSpan[] {
  return [...findKeys(text), ...findPasswords(text)];
}

function findKeys(text: string): readonly SecretSpan[] {
  return [...text.matchAll(keyed)].flatMap((match) => {
    const [whole, name = "", , value = ""] = match;
    const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && isStrongRun(value);
    const isHex = /^(?:0x)?[0-9a-f]{32,64}$/.test(value) && isStrongRun(value.replace(/^0x/, ""));
    if (harmlessCalls.test(name) || isPlaceholder(value) || !(isMixed || (isHex && clients.test(name))))
      return [];
    const start = match.index + whole.lastIndexOf(value);
    return [{ kind: "key of a client", start, end: start + value.length }];
  });
}

function findPasswords(text: string): readonly SecretSpan[] {
  return [...text.matchAll(login)].flatMap((match) => {
    const list = match[1] ?? "";
    const from = match.index + match[0].length - list.length;
    const strings = [...list.slice(0, closing(list)).matchAll(quotedArgument)];
    return strings.flatMap(({ 0: whole, 2: value = "", index }, order) => {
      if (!isArgumentPassword(value, order)) return [];
      const start = from + index + whole.length - value.length - 1;
      return [{ kind: "password of a login", start, end: start + value.length }];
    });
  });
}

/** Where the call ends whose arguments begin with this text. */
function closing(list: string): number {
  let depth = 1;
  for (let at = 0; at < list.length; at++) {
    const character = list.charAt(at);
    if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return at + 1;
  }
  return list.length;
}

/** Whether it is a password; after a host or a user, less evidence is enough. */
function isArgumentPassword(value: string, order: number): boolean {
  if (/[/\\ ]|^[\w.-]+@[\w.-]+\.[a-z]+$|^[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(value) || isPlaceholder(value))
    return false;
  if (isUnmistakable(value) || (isRandom(value, 16) && isStrongRun(value))) return true;
  const isMixed = /\d/.test(value) && /[a-z]/.test(value) && (order > 0 || /[A-Z!@#$%^&*?~+]/.test(value));
  return isMixed && isPassword(value) && !isCode(value) && !/^[A-Za-z][a-z]+[- ]?\d$/.test(value);
}
