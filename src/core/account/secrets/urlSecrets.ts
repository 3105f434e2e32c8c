import { anyOf, secretName } from "./secretNames.ts";
import type { Scrutiny, SecretSpan } from "./secretValue.ts";
import { isCode, isPassword, isPlaceholder, isRandom, isTemplate, withoutTail } from "./secretValue.ts";

/** UTF-16 units of a URL that are checked. */
const longestUrl = 4_000;
const longestUserInfo = 500;

/** Passwords used in examples. */
const exampleUserInfo =
  /^(?:pass(?:word|wd)?|pwd|secret|token|pw|p|x|foo|bar|test|user(?:name)?|name|admin|root|guest|apikey|postgres|mysql|xxx+)$/i;

/** Names of parameters that grant access, recognized only in URLs. */
const queryNames = new RegExp(
  `^${anyOf(
    "key sig auth code jwt sas t tk tok pass pw pwd ticket sid sess(?:ion)?(?:_?id)? access hash otp s k q " +
      "x-(?:amz|goog|oss|cos|obs|tos)-(?:signature|credential|security-token) q-signature (?:oss|aws|google)accesskeyid " +
      "st se invite magic state nonce path app_?id",
  )}$`,
  "i",
);

/** Addresses whose path is the secret: a webhook or the API of a bot. */
const secretPaths: readonly (readonly [string, RegExp])[] = [
  ["Slack webhook", /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([\w/-]{20,200})/g],
  ["Discord webhook", /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{10,24}\/([\w-]{20,200})/g],
  [
    "Teams webhook",
    /(?:webhook\.office\.com|office(?:365)?\.com(?=\/webhook)|office365\.com|\.logic\.azure\.com)(?::\d{2,5})?\/([\w@/%.-]{20,300})/g,
  ],
  ["Telegram token", /api\.telegram\.org\/(?:file\/)?bot([\w:-]{20,100})/g],
  [
    "webhook",
    /\b(?:open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook|hooks\.zapier\.com\/hooks\/catch|hook\.[\w.]{0,10}make\.com|(?:mattermost|rocket)\.[\w.-]{1,60}\/hooks)\/([\w/-]{8,200})/g,
  ],
];

/** Path segments that are followed by a token that grants access, in text that is shown or logged. */
const pathWords: ReadonlySet<string> = new Set(
  (
    "token tokens access auth key secret s t session sessions console vnc novnc spice login invite magic share shared hook " +
    "hooks webhook webhooks callback capability cap ticket join reset verify kvm serial proxy lab tree terminal ssh jwt " +
    "signed download d"
  ).split(" "),
);

/**
 * Finds passwords and tokens in URLs: before the host, in the query, after `#` and, for known paths or `strict`, in the
 * path.
 */
export function findUrlSecrets(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  const spans: SecretSpan[] = secretPaths.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map((match) => {
      const value = match[1] ?? "";
      const start = match.index + match[0].lastIndexOf(value);
      return { kind, start, end: start + value.length };
    }),
  );
  let searched = 0;
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", searched)) {
    const start = at + 3;
    const end = urlEnd(text, start);
    searched = Math.max(start, Math.min(end, start + longestUserInfo));
    spans.push(...userInfo(text, start, end, scrutiny));
    if (scrutiny === "strict") spans.push(...pathSecrets(text, start, end));
  }
  spans.push(...queries(text, scrutiny));
  return spans;
}

const urlStop = /[\s"'`<>\\^{|}]/g;

function urlEnd(text: string, start: number): number {
  urlStop.lastIndex = start;
  const end = urlStop.exec(
    text.length > start + longestUrl ? text.slice(0, start + longestUrl) : text,
  )?.index;
  return end ?? Math.min(text.length, start + longestUrl);
}

function userInfo(text: string, start: number, end: number, scrutiny: Scrutiny): readonly SecretSpan[] {
  const piece = text.slice(start, Math.min(end, start + longestUserInfo));
  const authority = /^[^/?#]*/.exec(piece)?.[0] ?? "";
  let at = authority.lastIndexOf("@");
  // A password that contains an unencoded slash.
  if (at === -1 && /^[\w.%+-]{1,60}:[^@\s]{1,120}@[\w.-]+(?:[:/]|$)/.test(piece)) at = piece.indexOf("@");
  if (at < 1) return [];
  const info = piece.slice(0, at);
  // A token in place of the user name, with nothing meaningful after it.
  const user = /^[^:]*(?=:)/.exec(info)?.[0] ?? "";
  if (isRandom(user, 20)) return [{ kind: "token in a URL", start, end: start + at }];
  const colon = info.includes(":") ? info.indexOf(":") : info.indexOf(";");
  const value = colon === -1 ? info : info.slice(colon + 1);
  const from = start + (colon === -1 ? 0 : colon + 1);
  if (value === "" || isTemplate(value) || /[{}$<>]/.test(value)) return [];
  const isSecret =
    scrutiny === "strict"
      ? colon !== -1 || value.length > 1
      : colon === -1
        ? isRandom(value, 16)
        : !exampleUserInfo.test(value) && value.length > 3 && !isPlaceholder(value);
  return isSecret ? [{ kind: "password in a URL", start: from, end: start + at }] : [];
}

const parameter =
  /(?:(?<!&)[?&#;]|%3[Ff]|%26|%23|&amp;|\\u0026)([\w.[\]~-]{1,60})(?:=(?!=)|%3[Dd])([^\s&#;"'`<>\\%]{1,2000}(?:%(?!26|23)[0-9A-Fa-f]{0,2}[^\s&#;"'`<>\\%]{0,2000}){0,40})/g;

function queries(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return [...text.matchAll(parameter)].flatMap((match) => {
    const [, name = "", value = ""] = match;
    const bare = withoutTail(value, ".,)]}");
    if (
      !isSecretParameter(name, bare, scrutiny) ||
      /badge\.svg$/.test(text.slice(Math.max(0, match.index - 9), match.index))
    )
      return [];
    const start = match.index + match[0].length - value.length;
    return [{ kind: name, start, end: start + bare.length }];
  });
}

function isSecretParameter(name: string, value: string, scrutiny: Scrutiny): boolean {
  if (value === "" || isTemplate(value)) return false;
  const isNamed = secretName(name) === "secret";
  if (scrutiny === "strict")
    return (
      isNamed ||
      /^(?:key|sig|auth|code|jwt|sas|t|pass|ticket|nonce)$/i.test(name) ||
      isRandom(value, 16) ||
      /^[0-9a-f]{32,}$/i.test(value)
    );
  if (isPlaceholder(value)) return false;
  if (isNamed)
    return (
      isRandom(value, 8) ||
      (name.length > 2 &&
        !/[({]/.test(value) &&
        ((value.length >= 12 && !isCode(value)) || isPassword(value)))
    );
  return queryNames.test(name) && isRandom(value, 20);
}

function pathSecrets(text: string, start: number, end: number): readonly SecretSpan[] {
  const url = text.slice(start, end);
  const path = url.search(/[/]/);
  if (path === -1) return [];
  const spans: SecretSpan[] = [];
  // An unguessable name grants access, too.
  const label = /^[a-z0-9-]{30,63}(?=\.)/i.exec(url)?.[0];
  if (label !== undefined && isRandom(label, 30))
    spans.push({ kind: "token in a URL", start, end: start + label.length });
  let from = path + 1;
  let before = "";
  for (const segment of url
    .slice(from)
    .split(/[?#].*$/s, 1)[0]
    ?.split("/") ?? []) {
    if (isSecretSegment(segment, before))
      spans.push({ kind: "token in a URL", start: start + from, end: start + from + segment.length });
    from += segment.length + 1;
    before = segment;
  }
  // An unnamed token in the query or after `#`, where pages keep what no server should see.
  for (const match of url.matchAll(/[?#][!/]{0,2}([\w.~+/-]{16,2000})(?=$|[#?])/g)) {
    const value = match[1] ?? "";
    const at = start + match.index + match[0].length - value.length;
    if (isRandom(value, 16)) spans.push({ kind: "token in a URL", start: at, end: at + value.length });
  }
  return spans;
}

function isSecretSegment(segment: string, before: string): boolean {
  if (segment.length < 16)
    return pathWords.has(before.toLowerCase()) && secretName(before) === "secret" && segment.length >= 6;
  const isIdentifier = /^[0-9a-f]{8}-[0-9a-f-]{27}$|^[0-9a-f]{16,64}$|^[a-z0-9]+$/i.test(segment);
  if (isIdentifier)
    return (
      pathWords.has(before.toLowerCase()) ||
      (/[a-z]/.test(segment) && /[A-Z]/.test(segment) && /\d/.test(segment) && segment.length >= 20)
    );
  return isRandom(segment, 20) && /[a-z]/.test(segment) && /[A-Z]/.test(segment);
}
