import { findSecrets, replaceSecrets, replaceSpans } from "../account/secrets/scanSecrets.ts";
import { withoutPublic } from "../account/secrets/publicText.ts";
import { consoleNames, secretName } from "../account/secrets/secretNames.ts";
import { isRandomRun } from "../account/secrets/secretValue.ts";
import { isRecord, parseJson } from "../kernel/json.ts";
import { fieldName } from "./fieldName.ts";

/** The text that replaces a secret. */
export const mask = "••••••";

/** Names, IDs, addresses and numbers, which are common in lists: nothing in them looks like a secret. */
const plain = /^(?:[0-9a-f.:-]{1,64}|[a-z0-9.: -]{1,48}|[A-Z]?[A-Za-z0-9. -]{0,15})$/i;
const suspicious =
  /pass|pwd|pw\b|secret|token|key|cred|auth|basic|bearer|login|[spr]k-|pat-|[A-Za-z0-9]{20}/i;

/** The texts of lists recur with every refresh. */
const cache = new Map<string, string>();
const maxCached = 20_000;
const longestCached = 300;

/** The text with everything that looks like a secret masked: keys, tokens, private keys, credentials in URLs. */
export function maskSecretText(text: string): string {
  if (text.length < 6 || (plain.test(text) && (!suspicious.test(text) || /^[0-9a-f.:-]+$/i.test(text))))
    return text;
  if (text.length > longestCached) return replaceSecrets(text, mask, "strict");
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size >= maxCached) cache.clear();
  const masked = replaceSecrets(text, mask, "strict");
  cache.set(text, masked);
  return masked;
}

/** Deeper than any meaningful record; anything nested more deeply is masked completely. */
const maxDepth = 40;
/** Maximum UTF-16 units of a text that is parsed as JSON, or of a list that is read as one command. */
const longestRead = 200_000;

/**
 * A displayable copy of a record: values of fields whose names denote secrets, texts that look like secrets,
 * credentials in URLs and the values of environment variables are masked. Names, booleans, nulls and empty texts are
 * kept.
 */
export function maskRecord(value: unknown): unknown {
  return copy(value, "", 0);
}

/** `name` is the name of the field that contains the value. */
function copy(value: unknown, name: string, depth: number): unknown {
  if (typeof value === "string") return copyText(value, name, depth);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return mask;
  if (Array.isArray(value)) return copyList(value, name, depth);
  return isRecord(value) ? copyRecord(value, depth) : value;
}

function copyRecord(record: Readonly<Record<string, unknown>>, depth: number): unknown {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const isSecret = isSecretField(record, name);
      return [maskSecretText(name), isSecret ? maskAll(value, depth + 1) : copy(value, name, depth + 1)];
    }),
  );
}

/** JSON in a text is parsed and masked; a text that is random and meaningless is masked completely. */
function copyText(text: string, name: string, depth: number): string {
  const inner = /^\s*[[{]/.test(text) && text.length < longestRead ? parseJson(text) : undefined;
  if (inner !== undefined) {
    if (isDeeper(inner, maxDepth - depth)) return mask;
    const masked = JSON.stringify(copy(inner, name, depth + 1));
    if (masked !== JSON.stringify(inner)) return masked;
  }
  const masked = maskSecretText(text);
  if (isPublicName(name)) return masked;
  const runs = [...masked.matchAll(run)]
    .filter(([found]) => isRandomRun(found))
    .map(({ 0: found, index }) => ({ kind: "key", start: index, end: index + found.length }));
  return replaceSpans(masked, withoutPublic(masked, runs), mask);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels <= 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

const run = /(?<![\w+/=.•-])[\w+/-]{24,}={0,2}(?![\w•])/g;
/** The last words of fields whose values are random but not secret: names of things, checksums of files, public keys. */
const publicNames = new Set(
  (
    "id ids uuid uuids guid arn etag hash hashes digest digests checksum sha fingerprint fingerprints publickey publickeys " +
    "sshkey sshkeys keyname keynames image images urn self name hostname cursor commit serial serialnumber size sku " +
    "flavor type shape plan"
  ).split(" "),
);

/** `imageId`, `ssh_key` and `sha256` end with one of the names. */
function isPublicName(name: string): boolean {
  const words = name.split(/[^A-Za-z\d]+|(?<=[a-z\d])(?=[A-Z])/).slice(-2);
  const [first = "", last = first] = words.map((word) => word.toLowerCase().replace(/^sha\d+$/, "sha"));
  return publicNames.has(last) || publicNames.has(first + last);
}

/** A list that may be a command with its arguments, a name with its value, or the lines of a text. */
function copyList(list: readonly unknown[], name: string, depth: number): unknown {
  const command = list.every((item) => typeof item === "string") ? maskCommand(list) : list;
  const copies: unknown[] = [];
  for (const [index, item] of command.entries()) {
    const before = list[index - 1];
    // What was masked is a value, and names nothing itself.
    const isName = typeof before === "string" && copies[index - 1] === before && namesNext(before);
    copies.push(isName && typeof item === "string" ? maskAll(item, depth + 1) : copy(item, name, depth + 1));
  }
  return copies;
}

/** Whether an item of a command names the secret that follows it. In a command, `jupyter` is a program. */
function namesNext(text: string): boolean {
  if (text.length >= 100 || !/^[\w$.\s/-]+$/.test(text) || consoleNames.test(text)) return false;
  return secretName(text.replace(/^-+/, "")) !== undefined;
}

/** The items, with everything masked that is secret when they are read as one sequence. */
function maskCommand(items: readonly string[]): readonly string[] {
  const separator = items.some((item) => item.includes("-----")) ? "\n" : " ";
  const text = items.join(separator);
  if (items.length < 2 || text.length > longestRead) return items;
  const spans = findSecrets(text, "strict");
  if (spans.length === 0) return items;
  let start = 0;
  return items.map((item) => {
    const from = start;
    start += item.length + separator.length;
    return spans
      .filter((span) => span.start < from + item.length && span.end > from)
      .toReversed()
      .reduce((rest, span) => {
        const [first, last] = [Math.max(0, span.start - from), Math.min(item.length, span.end - from)];
        return rest.slice(0, first) + mask + rest.slice(last);
      }, item);
  });
}

const nameFields =
  /^(?:key|name|field|label|k|variable|var|id|title|type|kind|env|header|option|param|parameter|property|attribute|setting)(?:_?name)?$/i;
const valueFields =
  /^(?:value|val|v|values|data|content|contents|text|string|default|raw|plain|current|(?:default|setting|string|current|actual|attribute|property|new|old)_?value)$/i;

/** Whether the value of this field is a secret, according to its name or to a name next to it. */
export function isSecretField(record: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = record[name];
  if (saysSecret(name, value)) return true;
  if (!valueFields.test(name)) return false;
  // `{"key": "db_password", "value": "…"}`: the name of the secret is in an adjacent field.
  return Object.entries(record).some(
    ([field, label]) =>
      typeof label === "string" && label.length < 200 && nameFields.test(field) && saysSecret(label, value),
  );
}

/** Names that contain variables, such as `environment` and `runtimeEnv`, or a word such as `prod`. */
const environments = /env(?:ironment)?(?:vars?|variables?)?s?$/;
/** Names of credentials in records, whose values may also be a mode or a state. */
const loginNames = /(?:auth|authstring|session|sessionid|ticket|ticketid)$/;
/** `password_auth` says how somebody logs in, and its value whether or not. */
const switches = /(?:auth|authentication|logins?)$/;
const states = new Set(
  (
    "none null true false yes no on off enable enabled disable disabled allow allowed deny denied active inactive open " +
    "closed expired pending required optional default basic digest bearer password token iam ldap oauth oauth2 sshkey " +
    "sshkeys publickey publickeys"
  ).split(" "),
);

function isStateWord(text: string): boolean {
  return text.length < 20 && (/^\d{1,4}$/.test(text) || states.has(text.toLowerCase().replace(/[-_]/, "")));
}

function saysSecret(name: string, value: unknown): boolean {
  const plain = fieldName(name);
  const isState = typeof value !== "string" ? typeof value !== "object" : isStateWord(value);
  if (environments.test(plain)) {
    // Some clouds group servers in environments, which have IDs.
    if (isRecord(value)) return value["id"] === undefined;
    return typeof value !== "string" || !/^[A-Za-z][A-Za-z-]{0,19}$/.test(value);
  }
  if (isState && switches.test(plain)) return false;
  return secretName(name) === "secret" || (!isState && loginNames.test(plain));
}

/** Masks everything below a secret name: the structure is kept, every value is masked. */
function maskAll(value: unknown, depth: number): unknown {
  if (value === null || value === "" || typeof value === "boolean") return value;
  if (typeof value !== "object" || depth >= maxDepth) return mask;
  if (Array.isArray(value)) return value.map((item: unknown) => maskAll(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskAll(inner, depth + 1)]));
}
