import { decodeBase64 } from "../../kernel/base64.ts";
import { withoutTail } from "./secretValue.ts";
import type { SecretSpan } from "./secretValue.ts";

/** Longer runs are files, images or programs. */
const longestRun = 64_000;
const run = /(?<![\w+/=.-])[\w+/-]{20,}={0,2}/g;

/** Runs of base64 in a text, with the decoded text of each. */
export function* encodedTexts(
  text: string,
): Generator<{ readonly decoded: string; readonly span: SecretSpan }> {
  for (const { 0: encoded, index } of text.matchAll(run)) {
    const decoded = encoded.length > longestRun ? undefined : decodeBase64Text(encoded);
    const span = { kind: "encoded secret", start: index, end: index + encoded.length };
    if (decoded !== undefined) yield { decoded, span };
  }
}

/** A user name and password in a basic authentication header or in Docker's list of registries. */
export function findBasicCredentials(text: string): readonly SecretSpan[] {
  const basic = /\bBasic[ \t]{1,4}([\w+/-]{6,2000}={0,2})|"auth"\s{0,4}:\s{0,4}"([\w+/-]{6,2000}={0,2})"/gi;
  return [...text.matchAll(basic)].flatMap((match) => {
    const encoded = match[1] ?? match[2] ?? "";
    if (!(decodeBase64Text(encoded) ?? "").includes(":")) return [];
    const start = match.index + match[0].lastIndexOf(encoded);
    return [{ kind: "basic authentication", start, end: start + encoded.length }];
  });
}

const bearer = /\b(?:Bearer|Basic)[ \t]{1,8}((?=[\w.~+/=-]{0,200}\d|[\w.~+/=-]{20})[\w.~+/=-]{8,4000})/gi;

/** The value after `Bearer`, even if it looks like words. */
export function findBearers(text: string): readonly SecretSpan[] {
  return [...text.matchAll(bearer)].map((match) => {
    const end = match.index + match[0].length;
    return { kind: "bearer token", start: end - (match[1] ?? "").length, end };
  });
}

/** Values of a Kubernetes secret. Its names reveal nothing, and base64 hides nothing. */
export function findKubernetesSecrets(text: string): readonly SecretSpan[] {
  if (!/\bkind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret\b/.test(text)) return [];
  const spans: SecretSpan[] = [];
  for (const section of text.matchAll(
    /(?:^|\n)([ \t]{0,20})["']?(?:data|stringData)["']?[ \t]{0,4}:[ \t]{0,4}\{?[ \t]{0,4}\r?\n/g,
  )) {
    spans.push(...sectionValues(text, section.index + section[0].length, (section[1] ?? "").length));
  }
  return spans;
}

/** The values on the lines that are indented further than `indent`. */
function sectionValues(text: string, from: number, indent: number): readonly SecretSpan[] {
  const line =
    /([ \t]*)(["']?[\w.-]{1,253}["']?[ \t]{0,4}:[ \t]{0,4}["']?)?([^\s"'#|>][^\n"']*)?[^\n]*(?:\n|$)/y;
  const spans: SecretSpan[] = [];
  line.lastIndex = from;
  for (let match = line.exec(text); match !== null && match[0] !== ""; match = line.exec(text)) {
    const [whole, space = "", name = "", value = ""] = match;
    if (whole.trim() === "") continue;
    if (space.length <= indent || /^[}\]]/.test(value)) break;
    const bare = value.trimEnd().replace(/,$/, "");
    const start = match.index + space.length + name.length;
    if (bare.length >= 4 && !/^[$<{%[]/.test(bare))
      spans.push({ kind: "Kubernetes secret", start, end: start + bare.length });
  }
  return spans;
}

/** The decoded text; undefined if the bytes aren't text. */
function decodeBase64Text(encoded: string): string | undefined {
  const text = withoutTail(encoded, "=");
  // Most runs are something else, as their first bytes show.
  if (decodeText(text.slice(0, 24)) === undefined) return undefined;
  return decodeText(text);
}

function decodeText(encoded: string): string | undefined {
  const text = decodeBase64(encoded);
  return text === undefined || text.includes("\0") || isMostlyOdd(text) ? undefined : text;
}

/** Whether more than a tenth of the characters are neither printable ASCII text nor white space. */
function isMostlyOdd(text: string): boolean {
  return (text.match(/[^\t\n\r -~]/g)?.length ?? 0) * 10 > text.length;
}

/** Characters with a meaning in code and commands, escaped as in URLs, HTML and JSON. */
const escapes =
  /%25(?=[0-9A-Fa-f]{2})|%(?:2[0-9A-Fa-f]|3[A-Fa-f]|40|5[BbDd]|7[BbDd])|&(?:quot|apos|amp|lt|gt|equals|#\d{2,3}|#x[0-9A-Fa-f]{2});|\\u00[2-7][0-9A-Fa-f]/g;
const named: ReadonlyMap<string, string> = new Map([
  ["quot", '"'],
  ["apos", "'"],
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["equals", "="],
]);
/** Fewer escapes can't hide anything that isn't found anyway. */
const fewestEscapes = 2;

/** An unescaped text, and the position of each of its characters in the original. */
interface Unescaped {
  readonly text: string;
  /** The position in the original of the character at `index`, which may equal the length of the text. */
  originalOf(index: number): number;
}

/** The text with the escapes of URLs, HTML and JSON resolved; undefined if it contains hardly any. */
export function unescapeText(text: string): Unescaped | undefined {
  const parts: string[] = [];
  /** For each escape: where the text that follows it begins, after and before unescaping. */
  const shifts: (readonly [after: number, before: number])[] = [[0, 0]];
  let from = 0;
  let length = 0;
  for (const { 0: escape, index } of text.matchAll(escapes)) {
    const sign = signOf(escape);
    parts.push(text.slice(from, index), sign);
    length += index - from + sign.length;
    from = index + escape.length;
    shifts.push([length, from]);
  }
  if (shifts.length <= fewestEscapes) return undefined;
  parts.push(text.slice(from));
  let at = 0;
  return {
    text: parts.join(""),
    originalOf(index) {
      if ((shifts[at]?.[0] ?? 0) > index) at = 0;
      while ((shifts[at + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= index) at++;
      const [after, before] = shifts[at] ?? [0, 0];
      return before + index - after;
    },
  };
}

function signOf(escape: string): string {
  if (escape.startsWith("%")) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  if (escape.startsWith("\\")) return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  const name = escape.slice(1, -1);
  if (!name.startsWith("#")) return named.get(name) ?? "";
  return String.fromCharCode(
    name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)),
  );
}
