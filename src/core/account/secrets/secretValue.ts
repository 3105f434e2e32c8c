import { anyOf } from "./secretNames.ts";

/**
 * Placeholders for values that are still to be filled in or come from elsewhere: `${X}`, `<token>`, `%X%`, `{{ x }}`,
 * `***`.
 */
const template = new RegExp(
  `^${anyOf(
    "<[^<>]*>? \\[[^[\\]]*\\] \\{[^{}]*\\}? \\{\\{.* \\$\\{.* \\$\\([^]* \\$\\$?[A-Za-z_]\\w* \\$\\d \\$env:.* %[^%]+% %[sdv@] @\\{.* " +
      "#\\{.* [*•.xX_#?-]+ !\\w+ process\\.env\\b.* os\\.environ.* env\\.[A-Z_]+ secrets\\.\\w+ vars?\\.\\w+ " +
      "\\[redacted\\].* \\[masked.*",
  )}$`,
  "i",
);
const templateInside = /•{3}|\$\{|\{\{/;

/** UTF-16 units of a value that are checked. */
const maxCheckedLength = 256;

/** Words that are never a secret but may appear next to the name of one. */
const emptyWords: ReadonlySet<string> = new Set(
  (
    "true false null nil none undefined unset yes no on off string str number int integer bool boolean text bytes object array " +
    "required optional enabled disabled empty hidden missing invalid valid expired unknown default auto never always any void self this n/a"
  ).split(" "),
);

/** Words that mark a value as a placeholder. */
const placeholderWords =
  "your my[-_\\s]?(?:api|secret|token|key|pass) change[-_\\s]?(?:me|it|this) changeit example placeholder redacted masked insert " +
  "replace[-_\\s]?(?:me|with|this) todo fixme goes[-_\\s]here here$ (?:some|the)[-_\\s]?(?:secret|token|key|pass) foo bar foobar lorem";
const placeholders =
  "(?:password|passwd|pass|pwd|secret|token|key|api[-_]?key|user(?:name)?|test|admin|root|abc(?:def)?|qwerty)\\d? " +
  "(?:value|sample|dummy|fake|mock)\\d? 0?1?2345678?9?0?";
const placeholder = new RegExp(
  String.raw`(?:^|[^A-Za-z0-9])${anyOf(placeholderWords)}|x{4,}|\*{3,}|\.{3}|…|^${anyOf(placeholders)}$`,
  "i",
);

const algorithms =
  "pkcs[#-]?\\d\\w* 0[bo][01_]+ (?:u?int|float|big(?:u?int))\\d{1,2}(?:clamped)?array salt\\d{0,4} latin[-_]?\\d sha[-_]?\\d\\w* md5 " +
  "[hrep]s(?:256|384|512) hmac[-_\\w]* ed25519 curve25519 secp\\w+ x?base64\\w* base32 utf[-_]?\\d\\w* oauth\\d? bcrypt argon2i?d? " +
  "aes[-_]?\\d[-_\\w]* scram[-_\\w]+ pbkdf2[-_\\w]* x509 p(?:256|384|521) rsa[-_]?\\d* http[s12/.]* ipv[46] iso[-_]?\\d[-_\\d]* " +
  "v\\d[\\d.]*(?:-?(?:alpha|beta|rc|preview)[\\d.]*)? \\d{1,6}\\.\\d[-+\\w.]* \\d+[a-z]{1,3}";
const algorithm = new RegExp(`^${anyOf(algorithms)}$`, "i");

/** Where a secret is stored, rather than the secret itself: a path, an address, or the name of a vault entry. */
const references =
  "[a-z][a-z0-9+.-]{1,20}:\\/\\/ arn: urn: vault: secret\\/ \\.{0,2}\\/[\\w.-]+\\/ ~\\/ [A-Za-z]:\\\\ " +
  "[\\w.+-]{1,64}@[\\w-]{1,63}\\.[\\w.-]{2,60}$ #[0-9a-f]{3,8}$ -- " +
  "[\\w-]+\\.(?:json|ya?ml|txt|pem|key|env|ts|js|py|md|html?|css|svg|png)$";
const reference = new RegExp(`^${anyOf(references)}`, "i");

/** `Readonly<Uint8Array>`, as it follows the name of a parameter. */
const genericType = /^[A-Z]\w{0,30}<[\w<>[\]., |]{1,100}$/;

/** What appears next to a key in test vectors of ciphers and hashes, but not in settings. */
const vectorField =
  /(?<![A-Za-z])(?:ct|pt|cipher_?text|plain_?text|msg|digest|aad|adata|expected|vectors?)["']?\s{0,3}[:=]\s{0,3}["'[{]/i;
/** UTF-16 units around a key that are searched for them. */
const vectorReach = 300;

/** Whether the hexadecimal key at this position is part of a test vector. */
export function isVectorKey(text: string, start: number, end: number): boolean {
  return (
    /^(?:0x)?[0-9a-f]+$/i.test(text.slice(start, end)) &&
    vectorField.test(text.slice(Math.max(0, start - vectorReach), end + vectorReach))
  );
}

/** Bytes or characters that count up, or repeat the same few, such as `000102030405` and `0b0b0b0b0b0b`. */
function isSequence(value: string): boolean {
  if (value.length < 12) return false;
  const digits = /^(?:0x)?((?:[0-9a-f]{2}){8,})$/i.exec(value)?.[1];
  const codes =
    digits?.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ??
    Array.from(value, (character) => character.charCodeAt(0));
  if (digits !== undefined && new Set(codes).size * 4 <= codes.length) return true;
  const steps = codes.slice(1).filter((code, index) => code - (codes[index] ?? 0) === 1).length;
  return steps * 10 >= (codes.length - 1) * 8;
}

/** Whether this can't be a secret, whatever it is called. */
export function isTemplate(value: string): boolean {
  const head = value.slice(0, maxCheckedLength);
  return template.test(head) || templateInside.test(head) || emptyWords.has(head.toLowerCase());
}

/** Whether this is a placeholder, names a method, or says where the secret is stored. */
export function isPlaceholder(value: string): boolean {
  const head = value.slice(0, maxCheckedLength);
  return (
    isTemplate(head) ||
    placeholder.test(head) ||
    genericType.test(head) ||
    isSequence(head) ||
    (head.length <= 24 && algorithm.test(head)) ||
    reference.test(head)
  );
}

/** A name, a call, an index or a member expression, which means that the secret is elsewhere. */
export function isCode(whole: string): boolean {
  const value = whole.slice(0, maxCheckedLength);
  if (/^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|->|::)[A-Za-z_$][\w$]*!?)+$/.test(value)) {
    return !/\d/.test(value) || !isDense(value);
  }
  const opened = Math.max(...["(", "[", "{"].map((bracket) => value.lastIndexOf(bracket)));
  if (opened > value.lastIndexOf(")")) return true;
  return /^[A-Za-z_$]+$/.test(value) || /\(\)|=>|\[\w*\]|^!|^\(|\)\)/.test(value) || isIdentifier(value);
}

/** `passwordInput2`, `OAuth2Token`, `ArrowToken$1`: identifiers in programs. */
function isIdentifier(value: string): boolean {
  if (/^[a-z]{2,}\d?$|^[A-Z][a-z]+\d?$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)) return true;
  const name = withoutTerms(value.replace(/\$\d{1,3}$/, ""));
  const humps = name.match(/[A-Z][a-z]{2,}|[a-z]{3,}|(?:In|Up|On|To|Of|By|Is|Or|Id)(?=[A-Z\d_]|$)/g) ?? [];
  if (!/^[A-Za-z_$][\w$]*$/.test(name) || (name.match(/\d/g)?.length ?? 0) > 4) return false;
  const share = humps.join("").length / Math.max(1, name.replace(/\d/g, "").length);
  return humps.length > 1 && share > (name.length < 20 ? 0.75 : 0.85);
}

const terms = new RegExp(
  anyOf(
    "x(?:509|448|25519) x?(?:cha)?(?:cha|salsa)20 poly1305 ed(?:448|25519) secp\\d{3}[kr]1 pbkdf2 argon2[id]{0,2} blake[23][bs]? oauth[12] " +
      "openai utf_?8 base(?:64|32) sha\\d{1,3} pkcs\\d{0,2} https?\\d? ikev\\d ipv[46] (?:i2d|d2i)(?=_)",
  ),
  "gi",
);

/** Makes terms that contain digits read as words. */
function withoutTerms(value: string): string {
  return value
    .replace(terms, "Name")
    .replace(/(?:RSA|DES|CBC|AES\d{0,3}|VPN|API|URL|JSON|XML|SSL|TLS)(?=[A-Z][a-z]|_[a-z]|$)/g, "Name");
}

/** Words in one piece or separated by punctuation, each with at most two digits at its end. */
function isWordy(value: string): boolean {
  return withoutTerms(value)
    .split(/[-_.:/ +]|%[0-9A-Fa-f]{2}/)
    .every(
      (word) =>
        /^(?:[a-z]{0,24}|Name[a-z]{0,12}|[A-Z]{1,16}|\d{1,4}|[a-z]{2,}\d{1,4}|[A-Z]{2,}\d{1,3}|[vV]\d+)$/.test(
          word,
        ) || isIdentifier(word),
    );
}

/** Whether a value is as random as machine-generated keys. `minLength` is in UTF-16 units. */
export function isRandom(whole: string, minLength: number): boolean {
  const value = whole.slice(0, maxCheckedLength);
  if (value.length < minLength || !/^[\w+/=.~:@!#$%^&*?|-]+$/.test(value)) return false;
  if (!/[A-Za-z]/.test(value)) return false;
  if (!/\d/.test(value)) return isDense(value);
  if (isWordy(value)) return false;
  return entropy(value) >= (value.length < 16 ? 2.7 : value.length < 24 ? 3 : 3.2);
}

/** Whether a standalone run of characters is as random as a key: not words, a number or a hexadecimal ID. */
export function isRandomRun(value: string): boolean {
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
  return isMixed && isRandom(value, 24) && entropy(value.slice(0, maxCheckedLength)) >= 3.8;
}

/**
 * Whether a run of characters is a key if nearby text suggests one: long, and more random than names, numbers,
 * consecutive words and encoded text.
 */
export function isStrongRun(value: string): boolean {
  if (/^[0-9a-f]+$/i.test(value)) return value.length >= 32 && /\d/.test(value) && /[a-f]/i.test(value);
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  if (!/\d/.test(value) || !isRandom(value, 20)) return false;
  return (
    entropy(value) >= (value.length < 24 ? 3.6 : 3.8) &&
    (isMixed ? !isCode(value) : value.length >= 24 && !/[-_/]/.test(value))
  );
}

/** Whether a word in a sentence can only be a password, because nothing else is written like this. */
export function isUnmistakable(whole: string): boolean {
  const value = whole.slice(0, maxCheckedLength);
  if (value.length < 7 || value.length > 100 || !isPassword(value) || isPlaceholder(value)) return false;
  if (
    !/[A-Za-z]/.test(value) ||
    !/\d/.test(value) ||
    /[()[\]{}<>;\\,]|:\/\/|^[a-z\d][\w.-]*@[\w.-]+$|^\w+=|^[A-Z]+#\d+$|@v?\d[\w.]*$|^\d{4}-\d\d-\d\d/.test(
      value,
    )
  )
    return false;
  if (isIdentifier(value.replace(/-[a-z]{4,}$/, "")) || /^\w+_\d\.\w|^v?\d[\d.,:-]*\w?$/.test(value))
    return false;
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  if (/[!@#$%^&*?~+]/.test(value))
    return /[A-Za-z0-9][!@#$%^&*?~+]/.test(value) && !/^\$?[a-z_]{1,20}\d?[?!*+]$/.test(value);
  const changes = value.match(/[A-Za-z][-_.]?(?=\d)|\d[-_.]?(?=[A-Za-z])/g)?.length ?? 0;
  return isMixed
    ? changes >= 2 || /^[A-Za-z][a-z]{2,}-[A-Za-z][a-z]{2,}-?\d{2,}$/.test(value)
    : changes >= 3 && value.length >= 9 && !isHexLike(value);
}

function isHexLike(value: string): boolean {
  return /^[0-9a-f.:-]+$/i.test(value);
}

/** Letters whose case changes in a way that no name's does. */
function isDense(value: string): boolean {
  if (value.length < 16) return false;
  const changes = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  return changes * 50 > value.length * 21;
}

/** Whether a person or a machine may have chosen this as a password. */
export function isPassword(whole: string): boolean {
  const value = whole.slice(0, maxCheckedLength);
  if (value.length < 6 || /[\s\u3000-\u9fff\uac00-\ud7af]/.test(value)) return false;
  if (/^[\w.-]*(?:password|passwd|secret|token|key)[\w.-]{0,20}$/i.test(value) && isWordy(value))
    return false;
  if (/^\d+$/.test(value)) return value.length >= 8 && !/^(?:\d0+|1[5-9]\d{8,11})$/.test(value);
  const hasLetter = /\p{L}/u.test(value);
  if (hasLetter && /\d/.test(value))
    return (
      !/^[a-z]{1,4}[-_.][a-z0-9-_.]*$|^[A-Z]{1,4}[-_.][A-Z0-9-_.]*$|^[a-z]+[-_.]\d$/.test(value) ||
      isRandom(value, 12)
    );
  if (hasLetter && /[!@#$%^&*?~+=|]/.test(value))
    return !/^[!@#$%^&*?~+=|][\w-]+$|^[\w-]+[*?!:]+$/.test(value);
  return isDense(value) || /^[a-z]{3,}(?:-[a-z]{3,}){3,}$/.test(value);
}

/** Bits per character. */
export function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** A secret that was found in a text. */
export interface SecretFinding {
  /** The kind of secret, named by the rule that found it. */
  readonly kind: string;
  readonly value: string;
}

/** The position of a secret in a text, in UTF-16 units, and its kind. */
export interface SecretSpan {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/**
 * How closely a text is checked. `careful`: source code and prose, where a false alarm costs the user's attention.
 * `strict`: anything shown or logged, where whatever follows the name of a secret is redacted.
 */
export type Scrutiny = "careful" | "strict";

/** Sorts the spans and merges overlapping ones, which get the kind of the longest. */
export function mergeSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of spans.toSorted((left, right) => left.start - right.start || right.end - left.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else {
      const kind = span.end - span.start > last.end - last.start ? span.kind : last.kind;
      merged[merged.length - 1] = { kind, start: last.start, end: Math.max(last.end, span.end) };
    }
  }
  return merged;
}

/** The text without any `characters` at its end. */
export function withoutTail(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A name of a secret in a text, from `start` to `end`. */
export interface NamePlace {
  readonly text: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}
