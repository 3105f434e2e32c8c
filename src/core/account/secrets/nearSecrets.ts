import { anyOf, isPasswordName, keyTranslations, translations } from "./secretNames.ts";
import {
  entropy,
  isCode,
  isPassword,
  isPlaceholder,
  isRandom,
  isStrongRun,
  isUnmistakable,
  isVectorKey,
  withoutTail,
} from "./secretValue.ts";
import type { NamePlace, Scrutiny, SecretSpan } from "./secretValue.ts";

/** Names of secrets as people write them in a sentence. */
const spoken = new RegExp(
  `^${anyOf(
    "(?:[\\w-]{1,20}[-_.])?(?:pass(?:words?|phrase|code|wort|wd)|secrets?) (?:\\w{1,20}[-_.])?tokens? " +
      "(?:[\\w-]{0,20}[-_]?)?keys? pass pwd? pin kennwort credentials? creds? jwt bearer [as]k",
  )}$`,
  "i",
);

const owned =
  /\b(?:my|the|our|your|his|her|their|its|this|that|new|old|secret|following|a|mein|meine|der|unser)[ \t]+(?:[\w.-]{1,30}[ \t]+){0,2}$/i;

/** `for the server`, before the verb. */
const prepositions = String.raw`(?:[ \t]${anyOf("for of to on at in from von für zu zum de del pour")}[ \t][^\n.:;,?!"'\x60=]{1,50}?)?`;
/** Verbs and what may follow them, in the languages of the product and neighboring ones. */
const verbs =
  "is,was,are,to,equals,becomes,became,reads,will be,should be,must be,would be,has been,ist,war,lautet,est,es,é,è,jest";
const adverbs = "now,still,currently,just,set to,again,as follows,jetzt,nun,aktuell,wie folgt";
/** `is`, `for the server is now:`. */
const copula = new RegExp(
  String.raw`${prepositions}[ \t]{1,3}${anyOf(verbs, ",")}(?:[ \t]${anyOf(adverbs, ",")})?[ \t]?:?[ \t\n]{1,3}["'\x60“‘«„([]{0,2}`,
  "y",
);
/** The end of bold text. */
const bold = String.raw`(?:\*{1,2}|_{2}|<\/\w{1,6}>)?`;
const dash = new RegExp(
  String.raw`(?:[ \t]\([^()\n]{1,40}\))?${bold}${prepositions}[ \t]{0,2}(?:[-–—→=|]|->|=>|:|\.{3}|…)${bold}[ \t\n]{1,3}["'\x60“‘«„]?`,
  "y",
);
const possessive = /['’]s[ \t]{1,3}["'`“]?/y;
const nothing = /[ \t]{1,2}["'`“‘«„]?/y;
const value = /[^\s"'`“”‘’«»„<>]{4,300}/y;

/** `hunter2 is the new password`. */
const reversed =
  /(?:^|[\s"'`“‘«„(])([^\s"'`“”‘’«»„]{6,200})["'`”’»]?[ \t]{1,3}(?:is|as|was|ist|als)[ \t]{1,3}(?:(?:my|the|our|your|a|an|mein|das|der|unser|neues?)[ \t]{1,3})?(?:[\w-]{1,15}[ \t]{1,3}){0,3}$/;

/** Values in sentences: `the password for the box is …`, `my key: …`, `use … as the password`. */
export function readProse(place: NamePlace, scrutiny: Scrutiny): SecretSpan | undefined {
  const { text, name, end, start } = place;
  if (!spoken.test(name)) return undefined;
  // `key` alone is any word of a program. Only a possessive makes it a secret.
  if (/^keys?$/i.test(name) && !owned.test(text.slice(Math.max(0, start - 60), start))) return undefined;
  const after = readAfter(place, scrutiny);
  if (after !== undefined) return after;
  const before = text.slice(Math.max(0, start - 260), start);
  const match = reversed.exec(before);
  const word = match?.[1];
  if (word === undefined || !isSpokenSecret(name, word, 2)) return undefined;
  const at = Math.max(0, start - 260) + before.indexOf(word, match?.index);
  return at + word.length > end ? undefined : { kind: name.toLowerCase(), start: at, end: at + word.length };
}

function readAfter({ text, name, end, start }: NamePlace, scrutiny: Scrutiny): SecretSpan | undefined {
  for (const [joint, doubt] of [
    [copula, 1],
    [dash, 1],
    [possessive, 2],
    [nothing, 2],
  ] as const) {
    joint.lastIndex = end;
    if (!joint.test(text)) continue;
    const at = joint.lastIndex;
    value.lastIndex = at;
    const word = withoutTail(value.exec(text)?.[0] ?? "", ".,;:!?)]}");
    if (word === "") continue;
    const isMarked = /["'`“‘«„]/.test(text.charAt(at - 1));
    if (
      scrutiny === "strict" &&
      joint === nothing &&
      /(?:^|[\s])(?:--?|\/)$/.test(text.slice(start - 2, start))
    )
      continue;
    if (isSpokenSecret(name, word, doubt) || (doubt === 1 && isMarked && isMarkedPassword(name, word))) {
      return { kind: name.toLowerCase(), start: at, end: at + word.length };
    }
  }
  return undefined;
}

/** The greater the doubt, the more a value has to look like a secret. */
function isSpokenSecret(name: string, word: string, doubt: 1 | 2): boolean {
  if (
    isPlaceholder(word) ||
    (isCode(word) && !isPasswordName(name)) ||
    /^[\w.-]+\(|^https?:|^[A-Z]\w*\.\w+\(|^[a-z_]\w*=[A-Za-z_]+$/.test(word)
  )
    return false;
  const isMixed = /\d/.test(word) && /\p{L}/u.test(word);
  if (isPasswordName(name)) {
    if (doubt === 1) return isPassword(word) && (isMixed || /[!@#$%^&*]/.test(word));
    return (
      word.length >= 7 &&
      isMixed &&
      (/[!@#$%^&*?~+]/.test(word) ||
        (/[A-Z]/.test(word) && /[a-z]/.test(word) && /\d.*\d/.test(word) && isPassword(word)) ||
        /^(?=.{8})[A-Za-z]+\d+[A-Za-z]+[-_.]?\d|^[a-z]{5,}\d{3,8}$/.test(word) ||
        isRandom(word, 14))
    );
  }
  const isShort = word.length < 16;
  if (isShort && doubt === 2) return false;
  return (
    isRandom(word, /^keys?$/i.test(name) || doubt === 2 ? 16 : 10) &&
    entropy(word) >= (doubt === 2 ? 3.2 : 2.7) &&
    !/^[0-9a-f]{40}$/.test(doubt === 2 ? word : "")
  );
}

/** In quotes after `is`, even a plain word counts as a password. */
function isMarkedPassword(name: string, word: string): boolean {
  return (
    /^(?:pass(?:word|phrase|code|wort|wd)?|pwd?|kennwort)$/i.test(name) &&
    /^[a-z][a-z-]{5,40}$/.test(word) &&
    !isPlaceholder(word)
  );
}

/** A name of a secret in another language, up to the value after it. Beyond a mask, there is no value. */
const foreign = new RegExp(
  `(${anyOf([...translations, ...keyTranslations, "clave"].join(","), ",")})` +
    String.raw`[a-zäöåéí]{0,4}[^\n!-~•]{0,12}?(?:${anyOf("API,から,は,が,：,:,=,是,为,為,就是,에는,는,은,ist,is,to,är,er,on,je,este,est,es,é,è,jest,lautet,—,–,от [^\\s:]+", ",")}\s{0,3}){0,3}[「『“"'\x60:：]{0,3}([!-;=?-~]{4,200})`,
  "giu",
);

/** Finds secrets in sentences in languages other than English. */
export function findForeignProse(text: string): readonly SecretSpan[] {
  return [...text.matchAll(foreign)].flatMap((match) => {
    const [whole, name = "", found = ""] = match;
    const word = withoutTail(found, "\"'`.,;:!?)]}");
    const start = match.index + whole.length - found.length;
    const isApart = whole.length > name.length + found.length;
    const isSecret = isApart && (isPassword(word) || isRandom(word, 12));
    return isSecret && !isPlaceholder(word) ? [{ kind: "password", start, end: start + word.length }] : [];
  });
}

/** Near one of these words, a run of random characters counts as a secret. */
const keyWords =
  "passw passphrase passcode (?:recovery|backup)[ .]codes? one-time \\bpass\\b secret token(?!iz) credential \\bcreds?\\b (?<![a-z])keys?(?![a-z]) apikey [a-z]_?keys?(?![a-z]) \\bauth login cookie session bearer licen[sc]e recovery \\bpsk\\b \\bseed jwt 密钥 密鑰";
const word = new RegExp(anyOf(`${keyWords} ${keyTranslations.join(" ")}`), "gi");

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
const passwordWords =
  "passw,passphrase,passcode,recovery codes?,backup codes?,one-time,\\bpass\\b,\\bpwd?\\b,\\bcred(?:ential)?s?\\b,\\bwi-?fi\\b,\\bwlan\\b,\\bvpn\\b,\\blog(?:ged)? ?in\\b,\\bsign ?in\\b,kennwort,zugang,clave,парол";
const passwordWord = new RegExp(anyOf(`${passwordWords},${translations.join(",")}`, ","), "giu");
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
