import { isPasswordName } from "./secretNames.ts";
import { withoutTail } from "./secretSpan.ts";
import type { NamePlace, Scrutiny, SecretSpan } from "./secretSpan.ts";
import { entropy, isCode, isPassword, isPlaceholder, isRandom } from "./secretValue.ts";

/** Names of secrets as people write them in a sentence. */
const spoken =
  /^(?:(?:[\w-]{1,20}[-_.])?(?:pass(?:words?|phrase|code|wort|wd)|secrets?)|pass|pwd?|pin|kennwort|(?:\w{1,20}[-_.])?tokens?|(?:[\w-]{0,20}[-_]?)?keys?|credentials?|creds?|cookie|signature|jwt|bearer|[as]k)$/i;

const owned =
  /\b(?:my|the|our|your|his|her|their|its|this|that|new|old|secret|following|a|mein|meine|der|unser)[ \t]+(?:[\w.-]{1,30}[ \t]+){0,2}$/i;

/** `is`, `for the server is now:`, in the languages of the product and neighboring ones. */
const copula =
  /(?:[ \t](?:for|of|to|on|at|in|from|von|für|zu|zum|de|del|pour)[ \t][^\n.:;,?!"'`]{1,50}?)?[ \t]{1,3}(?:is|was|are|to|equals|becomes|became|reads|will be|should be|must be|would be|has been|ist|war|lautet|est|es|é|è|jest)(?:[ \t](?:now|still|currently|just|set to|again|as follows|jetzt|nun|aktuell|wie folgt))?[ \t]?:?[ \t\n]{1,3}["'`“‘«„([]{0,2}/y;
const dash =
  /(?:[ \t]\([^()\n]{1,40}\))?(?:\*{1,2}|_{2}|<\/\w{1,6}>)?(?:[ \t](?:for|of|to|on|at|in|from|von|für|zu)[ \t][^\n.:;,?!"'`=]{1,50}?)?[ \t]{0,2}(?:[-–—→=|]|->|=>|:|\.{3}|…)(?:\*{1,2}|_{2}|<\/\w{1,6}>)?[ \t\n]{1,3}["'`“‘«„]?/y;
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

/** Names of secrets in scripts without spaces between words, and in languages whose names share no letters with the English ones. */
const foreign =
  /(パスワード|暗証番号|合言葉|トークン|シークレット(?:キー)?|(?:API|秘密|アクセス)(?:キー|鍵)|密码|密碼|口令|密钥|金鑰|秘钥|令牌|비밀번호|패스워드|암호|토큰|비밀키|пароль|ключ|mot de passe|contraseña|clave|senha|hasło|wachtwoord|lösenord|패스워드|schlüssel|zugangsdaten|geheimnis|şifre|parola|heslo|adgangskode|passord|salasana|jelszó|mật khẩu|kata sandi|parool|slaptažodis|lozinka|κωδικός|סיסמה|كلمة المرور|รหัสผ่าน|पासवर्ड|ключ доступа|токен|ключ|llave|chiave|chave|clé|sleutel|nyckel|klucz|nøgle)[a-zäöåéí]{0,4}[^\n!-~]{0,12}?(?:(?:API|から|は|が|：|:|=|是|为|為|就是|에는|는|은|ist|is|to|är|er|on|je|este|est|es|é|è|jest|lautet|—|–|от [^\s:]{1,20})\s{0,3}){0,3}[「『“"'`:：]{0,3}([!-;=?-~]{4,200})/giu;

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
