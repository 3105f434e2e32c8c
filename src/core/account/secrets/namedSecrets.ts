import { anyOf, isPasswordName, secretName } from "./secretNames.ts";
import { readProse } from "./nearSecrets.ts";
import type { NamePlace, Scrutiny, SecretSpan } from "./secretValue.ts";
import {
  isCode,
  isPassword,
  isPlaceholder,
  isRandom,
  isRandomRun,
  isStrongRun,
  isTemplate,
  isVectorKey,
  withoutTail,
} from "./secretValue.ts";

/** Parts of names of secrets. For each match, the whole name around it is checked. */
const anchor = new RegExp(
  anyOf(
    "pass pwd pswd psw(?![a-z]) \\bpw\\b _pw\\b kennwort secret token credential creds?\\b key auth cookie signature \\bsig\\b " +
      "jwt bearer \\b[as]k\\b psk \\bpin\\b dsn\\b mnemonic nonce otp\\b webhook userdata user_data sas\\b kubeconfig " +
      "_pat\\b [a-z]pw\\b seed\\b recovery community",
  ),
  "gi",
);
/** `API key`, in two words. */
const keyOwner =
  /\b(api|access|secret|private|account|auth|encryption|master|shared|signing|storage|service|licen[sc]e|subscription|client|app)[ \t]$/i;
const nameCharacter = /[\w$.-]/;
/** UTF-16 units of a name on each side of its anchor. */
const reach = 60;

const call = /\(\s{0,20}(?=["'`])/y;

/** What comes between a name and its value, tried in order from the end of the name. */
const joints: readonly RegExp[] = [
  // `<entry key="X">…</entry>`, `token: >-` with the value on the next line.
  /["'](?:\s{1,4}[\w:.-]{1,40}=["'][^"'<>\n]{0,100}["']){0,4}\s{0,4}>\s{0,20}(?=[^\s<])/y,
  /["']?[ \t]{0,4}:[ \t]{0,4}[|>][-+]?\d?[ \t]{0,4}\r?\n[ \t]{1,40}/y,
  // `apiKey: string = "…"`, `var token string = "…"`, `char token[] = "…"`.
  /[?!]?[ \t]{0,3}:[ \t]{0,3}[A-Za-z_&][\w.<>[\]|&'*? ]{0,40}=(?=[\s"'`])\s{0,40}/y,
  /[ \t]{1,4}(?:As String|\*?string|String|text|n?varchar2?\(\d{1,5}\)|N?VARCHAR2?\(\d{1,5}\))[ \t]{0,4}:?=[ \t]{0,4}/y,
  /\[\d{0,5}\]\s{0,3}=\s{0,3}/y,
  // `--header`, `"name": "X", "value": "…"`, `<add key="X" value="…"/>`, `variable "x" { default = "…" }`.
  /(?:\\{0,7}["'])?\s{0,6}[,;]?\s{0,80}(?:\\{0,7}["'])?\b(?:value|Value|VALUE|val|default|defaultValue|content|[A-Z]\w{0,20}Value)(?:\\{0,7}["'])?\s{0,4}(?:=>|[:=])\s{0,6}/y,
  /["']?\s{0,3}\{[^{}]{0,200}?\bdefault\s{0,6}=\s{0,6}/y,
  // `["X"] = "…"`, `'X' => '…'`, `X=…`, `"X": "…"`, encoded `X%3D…`.
  /(?:\\{0,7}["'`])?\s{0,2}[\])]{0,2}[ \t]{0,20}(?:=>|:=|\?\?=|\|\|=|\?=|\+=|={1,3}(?![=>])|:(?![:/])|<-|%3[Dd]|%253[Dd]|&#61;|\\u003[dD])(?:\s{0,40}(?=\\{0,7}["'`])|[ \t]{0,20})/y,
  // `.header("X", "…")`, `["--api-key", "…"]`.
  /(?:\\{0,7}["'`])?\s{0,3},\s{0,40}(?=\\{0,7}["'`])/y,
  // `<X>…</X>`, `<X type="y">…</X>`, `<key>X</key><string>…`, `name="X"><value>…`.
  /(?:<\/[\w:-]{1,20}>\s{0,40}<(?:[\w:-]{1,12}[:-])?(?:string|[vV]alue|default)|["']\s{0,4}>\s{0,40}<(?:\w{1,12}:)?[vV]alue|(?<=<[\w.:-]{1,80})\s{1,4}[^<>\n]{1,200})?>\s{0,20}/y,
  // `find("#password").type("…")`, `type("input[name=password]", "…")`.
  /["']?\]?["'`]\s{0,3}\)\s{0,20}\.(?:type|send_keys|sendKeys|fill|setValue|set_value|clearAndType|val|write)\(\s{0,4}(?=["'`])/y,
  /["']?\]["'`]\s{0,3},\s{0,40}(?=["'`])/y,
  call,
];
/** `--api-key …`, `export TOKEN …`, `config set token …`. */
const blank = /["']?[ \t]{1,8}(?:--(?:plain(?:text)?|value|raw|stdin)[ \t]{1,4})?(?![-|&;<>])/y;
/** Words that set the next one to a value: the beginning of a line, up to the name. */
const setters =
  "#?define ENV ARG export setx setenv SetEnv SET set set[ ]-\\w{1,3} set(?:[ ][\\w./-]{1,30}){1,6} env SECRET proxy_set_header add_header " +
  "(?:[\\w.-]{1,30}[ ]){1,3}(?:set|add|config:set|put)(?:[ \\t]{1,4}\\/\\/\\S{1,100}:|[ \\t]--?[\\w-]{1,30}){0,3}";
const beforeBlank = new RegExp(
  String.raw`(?:^|[\s;&|$#>"'[,(])(?:-{1,2}|\/)$|(?:^|[\n;&|$#>])[ \t$#>]{0,8}${anyOf(setters)}[ \t]{0,8}$`,
);

/** `Bearer`, before the token of an Authorization header. */
const scheme = new RegExp(
  anyOf(
    "Bearer Basic Token ApiKey Api-Key Bot Key Negotiate OAuth GenieKey SSWS Splunk PVEAPIToken=? token=",
  ) + String.raw`[ \t:]{1,4}|\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|noop|bcrypt|cipher|ENC)\}`,
  "iy",
);
/** A call that makes a secret of a text, or returns it unchanged or decoded. */
const wrappers =
  "SecretStr Secret SecretString SecureString String str bytes from Some Ok sensitive nonsensitive strdup NewSecret b64decode " +
  "decode64 atob quote r?trim to_owned encode \\[\\]byte fromhex unhexlify new";
const wrapper = new RegExp(
  String.raw`(?:new\s{1,2})?(?:[A-Za-z_]{1,20}(?:\.|::)){0,2}${anyOf(wrappers)}?\(\s{0,20}(?=[bBrRuUfF@$]{0,2}["'\x60])`,
  "y",
);
/** A call of any function with the value, and the default value of a placeholder: `Fernet("…")`, `${api.key:…}`. */
const anyCall = /(?:new\s{1,2})?[A-Za-z_$][\w.:<>[\]$]{0,40}\(\s{0,20}(?=[bBrRuUfF@$]{0,2}["'`])/y;
const prefix =
  /(?:ConvertTo-SecureString[ \t]{1,3}(?:-String[ \t]{1,3})?)?(?:[bBrRuUfF@$L]{0,2}(?=["'`])|![\w./-]{1,30}[ \t]{1,3})?/y;

/** Finds values that follow the name of a secret in code, settings, commands, headers and sentences. */
export function findNamedSecrets(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  anchor.lastIndex = 0;
  for (let match = anchor.exec(text); match !== null; match = anchor.exec(text)) {
    const place = nameAround(text, match.index, match.index + match[0].length);
    anchor.lastIndex = place.end;
    const span = readNamed(place, scrutiny) ?? readProse(place, scrutiny);
    if (span === undefined) continue;
    spans.push(span);
    anchor.lastIndex = Math.max(place.end, span.end);
  }
  return spans;
}

function nameAround(text: string, from: number, to: number): NamePlace {
  let start = from;
  while (start > 0 && from - start < reach && nameCharacter.test(text.charAt(start - 1))) start--;
  let end = to;
  while (end < text.length && end - to < reach && nameCharacter.test(text.charAt(end))) end++;
  while (end > to && /[.$-]/.test(text.charAt(end - 1))) end--;
  const name = text.slice(start, end);
  const owner = /^keys?$/i.test(name)
    ? keyOwner.exec(text.slice(Math.max(0, start - 14), start))?.[1]
    : undefined;
  return { text, name: owner === undefined ? name : `${owner}_${name}`, start, end };
}

function readNamed(place: NamePlace, scrutiny: Scrutiny): SecretSpan | undefined {
  const name = secretNamePart(place.name) ?? (/^(?:key|k)$/i.test(place.name) ? "key" : undefined);
  if (name === undefined || (name.length > 40 && isStrongRun(name))) return undefined;
  for (const at of valueStarts(place)) {
    const value = readValue(place.text, at, place);
    if (value === undefined) continue;
    const span = { kind: kindOf(place.name), ...value.span };
    return isSecretValue(name, value, scrutiny, place) ? span : undefined;
  }
  return undefined;
}

/** The part of a dotted or dashed name that denotes a secret; undefined if no part does. */
function secretNamePart(whole: string): string | undefined {
  const name = whole.replace(/^[-$.]+/, "");
  const last = name.slice(name.lastIndexOf(".") + 1);
  if (secretName(last) === "secret") return last;
  if (/^_?auth$|_auth$|^x-[\w-]*auth$|^identitytoken$/i.test(last)) return "auth";
  if (/^masterauth$/i.test(last)) return "password";
  // In SNMP, “community” names a password; elsewhere it is a harmless word.
  if (/^(?:(?:ro|rw|snmp)[-_]?)?community$/i.test(last)) return "community";
  return /\.(?:default|value|plain|text|string|keys?)$/i.test(name) && secretName(name) === "secret"
    ? name
    : undefined;
}

/** Names of functions that return a secret or act on one, rather than take it. */
const readers = new RegExp(
  String.raw`^(?:\w+\.)?${anyOf("get fetch read find load has is create make validate verify check parse on reset forgot generate request acquire revoke delete remove list")}`,
  "i",
);

function* valueStarts(place: NamePlace): Generator<number> {
  const { text, start, end } = place;
  for (const joint of joints) {
    // The argument of `getToken("scope")` isn't the token.
    if (joint === call && readers.test(place.name)) continue;
    joint.lastIndex = end;
    if (joint.test(text)) return yield joint.lastIndex;
  }
  blank.lastIndex = end;
  const dashes = /^-{0,2}/.exec(place.name)?.[0].length ?? 0;
  const before = text.slice(Math.max(0, start - 90), start + dashes);
  if (!blank.test(text)) return;
  if (
    /["'`]/.test(text.charAt(blank.lastIndex)) ||
    beforeBlank.test(before) ||
    (/^pass/i.test(place.name) && /(?:^|\s)login\s{1,8}\S{1,80}\s{1,8}$/.test(before)) ||
    isDirective(place, blank.lastIndex)
  )
    yield blank.lastIndex;
}

/** `requirepass …` on a line of its own, as in the settings of many servers. */
function isDirective(place: NamePlace, from: number): boolean {
  const line = /^[^\s"'`,;()[\]{}<>=]{6,300}(?=[ \t]{0,8}(?:#[^\n]{0,200})?(?:\r?\n|$))/.exec(
    place.text.slice(from, from + 520),
  )?.[0];
  return line !== undefined && /\d/.test(line) && isLineStart(place) && isPassword(line);
}

interface Value {
  readonly text: string;
  readonly isQuoted: boolean;
  /** Whether it is the argument of an arbitrary call. */
  readonly isWrapped?: boolean;
  readonly span: { readonly start: number; readonly end: number };
}

const quoted = [
  /"""\n?[ \t]{0,20}((?:[^"\\\n]|\\[^\n]){1,4000})/y,
  /'''\n?[ \t]{0,20}((?:[^'\\\n]|\\[^\n]){1,4000})/y,
  /"((?:[^"\\\n]|\\[^\n]){0,4000})/y,
  /'((?:[^'\\\n]|\\[^\n]){0,4000})/y,
  /`((?:[^`\\\n]|\\[^\n]){0,4000})/y,
  /\\{1,7}["']((?:[^"'\\\n]|\\(?!["'\\])){0,4000})/y,
];
const bare = /(?:[^\s"'`,;<>\\%]|%(?!3[Dd]|26)){1,4000}/y;
/** Where another parameter begins. */
const nextParameter = /[&;][\w.[\]-]{1,60}=(?!=|$)/;

function readValue(text: string, from: number, place: NamePlace): Value | undefined {
  let at = skip(wrapper, text, from);
  const isWrapped = at === from && (at = skip(anyCall, text, from)) !== from;
  at = skip(prefix, text, at);
  for (const pattern of quoted) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    const inner = match[1] ?? "";
    const open = at + match[0].length - inner.length;
    return { ...valueAt(text, skip(scheme, text, open), open + inner.length, true), isWrapped };
  }
  at = skip(scheme, text, at);
  bare.lastIndex = at;
  const found = bare.exec(text)?.[0];
  if (found === undefined || isWrapped) return undefined;
  const whole = wholeLine(text, at, place, found);
  if (whole !== undefined) return whole;
  const cut = found.search(parameterEnd(text, at, place));
  const value = withoutTail(cut === -1 ? found : found.slice(0, cut), ".!?:)]}");
  return value === "" ? undefined : valueAt(text, at, at + value.length, false);
}

/** What ends a value: the next parameter of a form or a query. After a colon or a space, nothing does. */
function parameterEnd(text: string, at: number, place: NamePlace): RegExp {
  const before = text.slice(Math.max(0, place.start - 5), place.start);
  if (/[?&#]$|&amp;$|%26$|%3[Ff]$/.test(before)) return /[&#]|%26/;
  return text.slice(place.end, at).includes("=") ? nextParameter : /$^/;
}

/** In a settings file, a value extends to the end of its line, whatever characters it contains. */
function wholeLine(text: string, at: number, place: NamePlace, found: string): Value | undefined {
  if (!/[=:][ \t]{0,8}$/.test(text.slice(place.end, at)) || !isLineStart(place)) return undefined;
  const rest = /^[^\s"'`([{$<][^\s]{3,400}(?=[ \t]{0,8}(?:\r?\n|$|#))/.exec(text.slice(at, at + 420))?.[0];
  if (rest === undefined || rest.length < found.length || !/^[^()[\]{}]+$/.test(rest)) return undefined;
  const value = withoutTail(rest, ",;\"'");
  return value.length < found.length ? undefined : valueAt(text, at, at + value.length, false);
}

function isLineStart({ text, start }: NamePlace): boolean {
  return /(?:^|\n)[ \t]{0,8}(?:export |set |ENV |- )?(?:[\w.-]{1,60}\.)?$/.test(
    text.slice(Math.max(0, start - 80), start),
  );
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function valueAt(text: string, start: number, end: number, isQuoted: boolean): Value {
  return { text: text.slice(start, end), isQuoted, span: { start, end } };
}

function isSecretValue(name: string, value: Value, scrutiny: Scrutiny, place: NamePlace): boolean {
  const { text, isQuoted } = value;
  const plain = text.trim();
  if (plain === "" || isTemplate(plain)) return false;
  if (scrutiny === "strict" && name !== "key" && name !== "community") return isPlausible(name, plain);
  if (isPlaceholder(plain) || plain.toLowerCase() === name.toLowerCase()) return false;
  // In a multi-line list, the next item is rarely the value of this one.
  const between = place.text.slice(place.end, value.span.start);
  if (/,\s*\n/.test(between) && !isStrongRun(plain)) return false;
  if (/^["'`]\s*,/.test(between) && /^[a-z]+\d$|^[A-Z]+_/.test(plain)) return false;
  // Each cookie in a header is judged by itself.
  if (/cookie2?$/i.test(name) && /^[^\s;=]{1,200}=/.test(plain)) return false;
  if (value.isWrapped === true) return isStrongRun(plain);
  if (!isQuoted && (isCode(plain) || /[([]/.test(place.text.charAt(value.span.end)))) return false;
  if (name === "auth") return isRandom(plain, 12);
  if (/key$/i.test(name) && isVectorKey(place.text, value.span.start, value.span.end)) return false;
  if (name === "key") return isRandomRun(plain) || (isStrongRun(plain) && !/[0-9a-f]{40}/.test(plain));
  if (isPasswordName(name) || /(?:bind|security)[-_.]?credentials?$/i.test(place.name))
    return isPassword(plain) || isRandom(plain, 12) || isBarePassword(plain, isQuoted, place);
  // Commas and semicolons separate words just as dashes do.
  if (isRandom(plain.replace(/[,;]/g, "-"), /key|token/i.test(name) ? 10 : 16)) return true;
  // In a settings file, or in one of many variables, less evidence is enough.
  const isVariable =
    /^(?:[A-Z][A-Z0-9]*_)+[A-Z]+$/.test(place.name) && isPassword(plain) && plain.length >= 8;
  return isVariable || (/\d{4}/.test(plain) && isAloneInLine(value, place));
}

function isAloneInLine({ span }: Value, { text, start }: NamePlace): boolean {
  return (
    /(?:^|\n)[ \t]{0,20}$/.test(text.slice(Math.max(0, start - 22), start)) &&
    /^["']?[ \t]{0,8}(?:\n|\r|$)/.test(text.slice(span.end, span.end + 12))
  );
}

/** `DB_PASSWORD=letmein`: in settings, even a plain word is one. */
function isBarePassword(value: string, isQuoted: boolean, { name, text, start }: NamePlace): boolean {
  if (isQuoted || !/^[A-Z][A-Z0-9_]*$/.test(name) || value.length < 6) return false;
  return /(?:^|\n)[ \t]{0,8}(?:export |set |ENV |- )?$/.test(text.slice(Math.max(0, start - 20), start));
}

/** Where everything after a name is redacted: whether the value is neither a count nor the beginning of a structure. */
function isPlausible(name: string, value: string): boolean {
  if (/^[[{(]/.test(value) && value.length < 3) return false;
  return !(/tokens$/i.test(name) && /^\d{1,9}$/.test(value));
}

function kindOf(name: string): string {
  return name.replace(/^[-$._]+/, "").slice(0, 60);
}
