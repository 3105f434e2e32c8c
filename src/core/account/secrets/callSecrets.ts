import { findForms } from "./commandSecrets.ts";
import type { SecretForm } from "./commandSecrets.ts";
import type { Scrutiny, SecretSpan } from "./secretValue.ts";
import { isCode, isPassword, isPlaceholder, isRandom, isStrongRun, isUnmistakable } from "./secretValue.ts";

/** Calls that take a user and a password, or a key. */
const calls: readonly SecretForm[] = [
  {
    kind: "password of a login",
    pattern:
      /\b(?:basicAuth|basic_auth|HTTPBasicAuth|HTTPDigestAuth|BasicAuth(?:entication)?|SetBasicAuth|setBasicAuth|UsernamePasswordCredentials|NetworkCredential|PasswordAuthentication|authenticate|login|logIn|signIn|auth|Credentials?|Login)(?:\.new|\.from|::new)?[ \t]{0,2}[ =(:][ \t]{0,2}[([]{0,2}[ \t]{0,2}["'`][^"'`\n]{1,100}["'`](?:\.\w{1,12}\(\))?\s{0,3},\s{0,20}["'`]([^"'`\n]{4,200})/g,
  },
  {
    kind: "password of a key store",
    pattern:
      /\b(?:load|store|getKey|setKeyEntry|init|PBEKeySpec|PasswordProtection|PasswordAuthentication|set\w{0,20}Password)\([^\n;]{0,160}?"([^"\n]{6,100})(?="\.toCharArray\(\))/g,
  },
  {
    kind: "secret parameter",
    pattern: /\bSecureString\b[^{}]{0,300}?\b[vV]alue["']?\s{0,10}[=: ]\s{0,4}["']([^"'\n]{6,200})/g,
  },
  {
    kind: "password of a login",
    pattern:
      /\b(?:connect|getConnection|createConnection|Connect|open|createTransport|PDO|mysqli|mysqli_connect|mysql_connect|ftp_login|ssh2_auth_password|imap_open)\([^()\n]{0,160}?["'`][\w.@-]{1,60}["'`]\s{0,3},\s{0,20}["'`]([^"'`\n]{6,100})["'`]/g,
  },
  {
    kind: "key of a signature",
    pattern:
      /\b(?:jwt\.\w{1,20}|createHmac|createCipheriv|createDecipheriv|hmac\.new|HMAC|encrypt|decrypt|pgp_sym_encrypt|pgp_sym_decrypt|AES_ENCRYPT|AES_DECRYPT|crypt)\([^()\n]{0,80}?,[ \t]{0,4}[bB]?["'`]([^"'`\n]{8,200})/g,
  },
  {
    kind: "key of a client",
    pattern:
      /\b\w{0,40}(?:[cC]lient|SDK|Sdk|API|Api|[sS]ession|Auth|search|configure|Provider|Service)\([ \t]{0,4}(?:["'][^"'\n]{1,60}["'],[ \t]{0,4})?["']([\w.+/=-]{32,200})["']/g,
  },
  {
    kind: "key of a client",
    pattern:
      /\b(?:Fernet|Twilio|Plivo|Pusher|[sS]tripe|require\(["'][\w@/-]{1,60}["']\))\([ \t]{0,4}(?:["'][\w-]{1,60}["'],[ \t]{0,4})?b?["']([\w.+/=-]{32,200})["']/g,
  },
  {
    kind: "key of a wallet",
    pattern:
      /\b(?:Wallet|PrivateKey|SigningKey|Keypair|Account|from_?key|from_?private_?key|private_?key_?to_?account|from_?secret_?key)(?:\.\w{1,20})?\([ \t]{0,4}["'`](?:0x)?([0-9a-f]{64})["'`]/gi,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern:
      /\b(?:btoa|b64encode|base64_encode|encodeToString|Base64\.encode\w{0,10})\([bfu]?["'`][\w.@+-]{1,60}:([^"'`\n]{4,100})["'`]/g,
    isSure: true,
  },
];

/** A long random string as the argument of a call, such as a client created with its key. */
const argument =
  /[\w)\]]\(\s{0,20}(?:[\w.$]{1,60},\s{0,20}|["'][^"'\n]{1,60}["'],\s{0,20}){0,2}b?(["'`])([A-Za-z0-9_-]{32,200})\1\s{0,20}[,)]/g;

function findKeysInCalls(text: string): readonly SecretSpan[] {
  return [...text.matchAll(argument)].flatMap((match) => {
    const value = match[2] ?? "";
    const isHash =
      /equal|expect|assert|alpha|char|Set\(|hash|sha|md5|digest|integrity|is\(|match|test|decode|encode|import\(/i.test(
        text.slice(Math.max(0, match.index - 60), match.index + 1),
      );
    if (isHash || !isStrongRun(value) || !/[a-z]/.test(value) || !/[A-Z]/.test(value) || isPlaceholder(value))
      return [];
    const start = match.index + match[0].lastIndexOf(value);
    return [{ kind: "key of a client", start, end: start + value.length }];
  });
}

/** Calls that log in, or derive a key from a password; the arguments may be calls themselves. */
const login =
  /(?:auth|log_?in|logon|sign_?in|connect|credentials?|cred|ftp|smtp|imap|pop3|ssh|ldap|wifi\.begin|scrypt|pbkdf2|derive_?key|bcrypt\.hash|hashpw|argon2\.hash)\w{0,20}(?:\.(?:new|from|create|begin))?\(([^\n;{}]{4,300})/gi;
/** Strings of one line among the arguments. */
const quotedArgument =
  /(?<![\w\]])[bru@$]{0,2}(["'`])([^"'`\n\\]{1,120})\1(?=(?:\.\w{1,12}\(\))?\s{0,3}[,)\]]|$)/g;

/**
 * Passwords and keys among the arguments of calls: `FTP("host", "user", "…")`, `scrypt("…", salt)`, `new Wallet("…")`.
 */
export function findSecretsInCalls(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return [...findForms(calls, text, scrutiny), ...findKeysInCalls(text), ...findPasswordsInCalls(text)];
}

function findPasswordsInCalls(text: string): readonly SecretSpan[] {
  return [...text.matchAll(login)].flatMap((match) => {
    const list = match[1] ?? "";
    const from = match.index + match[0].length - list.length;
    return [...list.slice(0, closing(list)).matchAll(quotedArgument)].flatMap(
      ({ 0: whole, 2: value = "", index }) => {
        if (!isArgumentPassword(value)) return [];
        const start = from + index + whole.length - value.length - 1;
        return [{ kind: "password of a login", start, end: start + value.length }];
      },
    );
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

function isArgumentPassword(value: string): boolean {
  if (/[/\\ :]|^[\w.-]+@[\w.-]+\.[a-z]+$|^[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(value) || isPlaceholder(value))
    return false;
  if (isUnmistakable(value) || (isRandom(value, 16) && isStrongRun(value))) return true;
  const isMixed = /\d/.test(value) && /[a-z]/.test(value) && /[A-Z!@#$%^&*?~+]/.test(value);
  return isMixed && isPassword(value) && !isCode(value) && !/^[A-Z][a-z]+[- ]?\d$/.test(value);
}
