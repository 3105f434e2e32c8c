import { withoutTail } from "./secretSpan.ts";
import type { SecretSpan } from "./secretSpan.ts";
import { entropy, isPlaceholder, isRandom, isStrongRun, isUnmistakable, isVectorKey } from "./secretValue.ts";

/** Near one of these words, a run of random characters counts as a secret. */
const word =
  /passw|passphrase|passcode|recovery codes?|backup codes?|one-time|\bpass\b|secret|token(?!iz)|credential|\bcreds?\b|(?<![a-z])keys?(?![a-z])|(?<=[a-z])Keys?(?![a-z])|apikey|\bauth|login|cookie|session|bearer|licen[sc]e|recovery|backup.codes?|\bpsk\b|\bseed|jwt|schlüssel|clé|clave|llave|chiave|chave|ключ|密钥|密鑰|キー|키/gi;

/** A run that stands alone: not part of a path, an address or a longer run. */
const run = /(?<![\w+/.:@#%-])[A-Za-z0-9][\w+/-]{18,198}[A-Za-z0-9_-]={0,2}(?![\w+/=@(%-]|\.[\w])/g;

/** Words before a run that identify it as a checksum, a name or something public. */
const harmless =
  /sha-?\d|md5|hash|integrity|digest|checksum|commit|revision|public|fingerprint|thumbprint|base64,|alphabet|charset|chars|etag|uuid|guid|\bssh-|boundary|version|resolved|\bAAAA/i;

const surely =
  /secret|token|api.?key|passw|credential|(?:sign|encrypt)\w{2,4}.key|auth.?key|\bkeys?(?: \d{1,2})?["')]{0,2}[ \t]{0,2}[:=]|[a-z]_key=/i;

/** UTF-16 units between a word and the run after it, and between a run and the word after it. */
const reachAfter = 60;
const reachBefore = 30;

/** Runs as random as keys near a word that identifies them as secrets, regardless of sentence structure. */
export function findSecretsNearWords(text: string): readonly SecretSpan[] {
  const places = [...text.matchAll(word)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
  if (places.length === 0) return [];
  const spans: SecretSpan[] = [];
  let next = 0;
  for (const { 0: value, index } of text.matchAll(run)) {
    const end = index + value.length;
    while ((places[next]?.end ?? Number.POSITIVE_INFINITY) + reachAfter < index) next++;
    if (!isStrongRun(value) || isPlaceholder(value) || isVectorKey(text, index, end)) continue;
    // Checksums and IDs use the same digits.
    if (/^[0-9a-f]+$/i.test(value) && !surely.test(text.slice(Math.max(0, index - 30), index))) continue;
    const isNear = places
      .slice(next, next + 40)
      .some(
        (place) =>
          isBetween(text, place.end, index, reachAfter) || isBetween(text, end, place.start, reachBefore),
      );
    if (isNear && !harmless.test(text.slice(Math.max(0, index - 40), index)))
      spans.push({ kind: "key", start: index, end });
  }
  return spans;
}

/** Near one of these words, a word that can only be a password counts as one. */
const passwordWord =
  /passw|passphrase|passcode|recovery codes?|backup codes?|one-time|\bpass\b|\bpwd?\b|\bcred(?:ential)?s?\b|\bwi-?fi\b|\bwlan\b|\bvpn\b|\blog(?:ged)? ?in\b|\bsign ?in\b|passwort|kennwort|zugang|mot de passe|contraseña|clave|senha|hasło|wachtwoord|lösenord|пароль|парол|密码|密碼|口令|パスワード|비밀번호|암호|패스워드|şifre|heslo/giu;
const wordRun = /(?<![^\s"'`“‘«„(>|*])[^\s"'`“”‘’«»„<>|]{7,100}/g;
/** What a sentence may contain between such a word and the password. */
const sentence = /^[\p{L}\p{M}\d\s,.:?'’"“”‘`«»„()/|*–—→-]*$/u;

/** Finds passwords in sentences with a mention of a password nearby: `It asks for a password. Enter …`. */
export function findPasswordsNearWords(text: string): readonly SecretSpan[] {
  const places = [...text.matchAll(passwordWord)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
  if (places.length === 0) return [];
  const spans: SecretSpan[] = [];
  let next = 0;
  for (const { 0: found, index } of text.matchAll(wordRun)) {
    while ((places[next]?.end ?? Number.POSITIVE_INFINITY) + reachAfter < index) next++;
    const place = places[next];
    if (place === undefined) break;
    if (place.start > index + found.length + reachAfter) continue;
    const value = withoutTail(found, ".,;:!?)]}*");
    const whole = /[A-Za-z]\d+!$/.test(found) ? found : value;
    const end = index + whole.length;
    if (!isUnmistakable(whole)) continue;
    const isNear = places
      .slice(next, next + 20)
      .some(
        (near) =>
          isSentence(text, near.end, index, reachAfter) || isSentence(text, end, near.start, reachAfter),
      );
    if (isNear) spans.push({ kind: "password", start: index, end });
  }
  return spans;
}

function isSentence(text: string, from: number, to: number, reach: number): boolean {
  if (to < from || to - from > reach) return false;
  const between = text.slice(from, to);
  // A call, or a member expression in parentheses, which is code rather than a sentence.
  const member = between.search(/\.\w/);
  return (
    sentence.test(between) &&
    !/[^:?.]\s{0,4}\n|\n\s{0,9}\n.*\n/.test(between) &&
    !/\w\(/.test(between) &&
    (member === -1 || !between.includes(")", member))
  );
}

/** Whether the text between two positions is short and belongs to one line or sentence. */
function isBetween(text: string, from: number, to: number, reach: number): boolean {
  if (to < from || to - from > reach) return false;
  const between = text.slice(from, to);
  return !/[;{}]|\n\s{0,20}\n|[^:,(=[|\s]\s{0,4}\n/.test(between) && !/\)\s{0,9}[.,;]/.test(between);
}

const variable =
  /^[ \t]{0,20}(?:export[ \t]{1,4}|set[ \t]{1,4}|-[ \t]{1,4})?["']?([A-Z][A-Z0-9_]{1,80})["']?[ \t]{0,8}[=:][ \t]{0,8}["']?(?:base64:)?([\w+/=.~-]{24,4000})/gm;
/** Bits per character of a value whose name reveals nothing. */
const randomBits = 4;

/** Values of environment variables that are as random as keys, regardless of their names. */
export function findRandomVariables(text: string): readonly SecretSpan[] {
  return [...text.matchAll(variable)].flatMap((match) => {
    const [whole, name = "", value = ""] = match;
    if (!isRandom(value, 24) || !/\d/.test(value) || entropy(value.slice(0, 256)) < randomBits) return [];
    if (isPlaceholder(value) || /SHA|HASH|DIGEST|INTEGRITY|COMMIT|CHECKSUM|PUBLIC/.test(name)) return [];
    const end = match.index + whole.length;
    return [{ kind: name, start: end - value.length, end }];
  });
}

/** A wallet's words, of three to eight letters each. */
const phrase =
  /(?:mnemonic|seed|phrase|wallet|recovery)[^\n]{0,60}?(?<![a-z])((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])/gi;

/** The words of a wallet, behind what says that they are. None of its lists has these words of a sentence. */
export function findSeedPhrases(text: string): readonly SecretSpan[] {
  return [...text.matchAll(phrase)].flatMap(({ 0: whole, 1: words = "", index }) => {
    if (
      new Set(words.split(/[ ,]+/)).size < 8 ||
      /\b(?:the|and|for|from|into|are|was|not|its|his|her|our|has|have|which|these|their)\b|[A-Z]/.test(words)
    )
      return [];
    const end = index + whole.length;
    return [{ kind: "seed phrase", start: end - words.length, end }];
  });
}
