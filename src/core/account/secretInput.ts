import { t } from "@vscode/l10n";
import type { Credential, CredentialPart, SecretKind } from "../kernel/credential.ts";
import { isRecord, parseJson } from "../kernel/json.ts";
import { createCredential, credentialParts, partFacts, secretTexts } from "./credentialKinds.ts";
import { credentialNames, namePattern } from "./credentialPlaces.ts";
import { readCredentialExpiry } from "./storedSecret.ts";

/** What was entered as a token's expiry: a time in milliseconds since 1970, or why it isn't valid. */
type ExpiryReading = { readonly expiresAt: number } | { readonly problem: string };

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const dayMs = 86_400_000;
/** No token of this kind is valid for longer, so a later time is a mistake. */
const longestMs = 10 * 366 * dayMs;

/** Reads `55m`, `1h 30m`, `14:30`, `2026-11-21 14:30` (local time), `2026-11-21T14:30:00Z` or a Unix time. */
export function parseExpiry(text: string, now: number): ExpiryReading {
  const input = text.trim();
  const expiresAt =
    readDuration(input, now) ?? readTimeOfDay(input, now) ?? readUnixTime(input) ?? readDate(input);
  if (expiresAt === undefined || Number.isNaN(expiresAt)) {
    return {
      problem: t("Enter a duration such as 55m or 1h 30m, or a time such as 14:30 or 2026-11-21 14:30."),
    };
  }
  if (expiresAt <= now) return { problem: t("This time is in the past.") };
  if (expiresAt - now > longestMs)
    return { problem: t("This date is too far in the future for a token. Check the date.") };
  return { expiresAt };
}

function readDuration(text: string, now: number): number | undefined {
  if (
    !/^(?:\d{1,6}\s*(?:d(?:ays?)?|h(?:ours?)?|m(?:in(?:utes?)?)?|s(?:ec(?:onds?)?)?)[\s,]*)+$/i.test(text)
  ) {
    return undefined;
  }
  const parts = [...text.matchAll(/(?<!\d)(\d+)\s*([dhms])/gi)];
  const seconds = parts.reduce((sum, [, amount, unit]) => {
    return sum + Number(amount) * (unitSeconds[(unit ?? "").toLowerCase()] ?? 0);
  }, 0);
  return now + seconds * 1_000;
}

/** The next point in time with this time of day. */
function readTimeOfDay(text: string, now: number): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const date = new Date(now);
  date.setHours(Number(hours), Number(minutes), 0, 0);
  if (date.getTime() <= now) date.setDate(date.getDate() + 1);
  return date.getTime();
}

function readUnixTime(text: string): number | undefined {
  if (!/^\d{10}(?:\d{3})?$/.test(text)) return undefined;
  return text.length === 10 ? Number(text) * 1_000 : Number(text);
}

function readDate(text: string): number | undefined {
  const isDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i.test(text);
  if (!isDate) return undefined;
  // A date alone would be read as UTC.
  return Date.parse(text.length === 10 ? `${text}T23:59:59` : text.replace(" ", "T"));
}

/** What a command, a file or a variable supplied, or a clause that says why it can't be used, without repeating it. */
type SuppliedReading =
  { readonly credential: Credential; readonly expiresAt?: number } | { readonly problem: string };

/** Names of the fields that contain a credential, without case and punctuation, the most specific first. */
const valueNames: { readonly [K in SecretKind]: { readonly [P in CredentialPart<K>]: readonly string[] } } = {
  apiKey: { apiKey: ["apikey", "key", "token", "accesstoken", "value", "secret"] },
  accessKey: {
    accessKey: ["accesskeyid", "accesskey", "ak", "keyid"],
    apiSecret: ["secretaccesskey", "accesskeysecret", "apisecret", "secretkey", "sk", "secret"],
  },
  sessionToken: {
    token: ["sessiontoken", "usertoken", "token", "accesstoken", "idtoken", "value", "secret"],
  },
  stsToken: {
    token: ["ststoken", "securitytoken", "sessiontoken", "token", "accesstoken", "value", "secret"],
  },
};
/** A time of its own. */
const expiryNames = [
  "expiresat",
  "expiration",
  "expirationtimestamp",
  "expirationtime",
  "expiry",
  "expirytime",
  "tokenexpiry",
  "expires",
  "expireson",
  "exp",
  "notafter",
  "validuntil",
];
/** A time from now. */
const lifetimeNames = ["expiresin", "expiresinseconds", "ttl", "leaseduration", "lifetime"];
/** Objects that tools wrap around the credential. */
const wrappers = ["data", "status", "credentials", "credential", "result", "auth", "response"];
const deepestWrapper = 3;

/**
 * Reads the output of a command, the content of a file or the value of a variable: the credential alone, or JSON with
 * the credential and optionally its expiry.
 * @param now When it was requested, in milliseconds since 1970.
 */
export function readSupplied(text: string, kind: SecretKind, now: number): SuppliedReading {
  const trimmed = text.replace(/^\ufeff/, "").trim();
  if (trimmed === "") return { problem: t("it is empty") };
  const json = /^[[{"]/.test(trimmed) ? parseJson(trimmed) : undefined;
  if (typeof json === "string") return fromTexts(kind, () => json);
  if (json !== undefined) return fromJson(json, kind, now);
  if (/^[[{]/.test(trimmed)) return { problem: t("it isn't valid JSON") };
  if (/[\r\n]/.test(trimmed)) {
    return { problem: t("it has more than one line. It must be only the credential, or JSON") };
  }
  return fromTexts(kind, () => trimmed);
}

/** @param read A pair never consists of the same text twice, so it can only come from JSON. */
function fromTexts(
  kind: SecretKind,
  read: (part: CredentialPart) => string | undefined,
  stated?: number,
): SuppliedReading {
  const credential = createCredential(kind, (part) => {
    const reading = readSecretInput(read(part) ?? "", partFacts(kind, part)?.use);
    return "text" in reading && !/^(?:null|none|undefined)$/i.test(reading.text) ? reading.text : undefined;
  });
  const [first, second] = credential === undefined ? [] : secretTexts(credential);
  if (credential === undefined || first === second) return { problem: t("it isn't a credential") };
  const expiresAt = readCredentialExpiry(credential) ?? stated;
  return { credential, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

function fromJson(json: unknown, kind: SecretKind, now: number): SuppliedReading {
  const names: Readonly<Record<string, readonly string[]>> = valueNames[kind];
  for (const fields of layers(json)) {
    const values = new Map(
      credentialParts(kind).map((part) => [part, pick(fields, names[part] ?? [], readText)] as const),
    );
    if ([...values.values()].every((value) => value !== undefined))
      return fromTexts(kind, (part) => values.get(part), readExpiry(json, now));
  }
  const [[field] = []] = Object.values(names).toReversed();
  return { problem: t("it is JSON without a field for the credential, such as “{0}”", field ?? "") };
}

/** The expiry may be next to the credential or around it. */
function readExpiry(json: unknown, now: number): number | undefined {
  for (const fields of layers(json)) {
    const at =
      pick(fields, expiryNames, (field) => expiryIn(field, now)) ??
      pick(fields, lifetimeNames, (field) => readLifetime(field, now));
    if (at !== undefined) return at;
  }
  return undefined;
}

/** Text or a number, as text. */
function readText(value: unknown): string | undefined {
  return (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined;
}

/** Seconds, or a duration such as `3600s` or `PT1H`. */
function readLifetime(value: unknown, now: number): number | undefined {
  const text = readText(value)?.replace(/^pt?(?=\d)/i, "");
  if (text === undefined) return undefined;
  return Number(text) > 0 ? now + Number(text) * 1_000 : readDuration(text, now);
}

/** Numbers below this are lifetimes: as Unix seconds, they would be before 2001. */
const firstUnixTime = 1e9;
/** The units of Unix times: seconds, milliseconds, microseconds and nanoseconds, each with the end of its range. */
const unixUnits = [
  [1e11, 1e3],
  [1e14, 1],
  [1e17, 1e-3],
  [1e20, 1e-6],
] as const;

/** Go writes the year 1 for no time. */
function expiryIn(value: unknown, now: number): number | undefined {
  const at = readTime(value, now);
  return at !== undefined && at > 0 ? at : undefined;
}

function readTime(value: unknown, now: number): number | undefined {
  const text = readText(value);
  const number = Number(text);
  if (text === undefined || number < firstUnixTime) return readLifetime(value, now);
  const unit = unixUnits.find(([end]) => number < end);
  if (!Number.isNaN(number)) return unit === undefined ? undefined : number * unit[1];
  return readTimestamp(text, now) ?? readLifetime(text, now);
}

/** A time without a zone is local for some tools and UTC for others: the earlier one that isn't over yet counts. */
function readTimestamp(written: string, now: number): number | undefined {
  const text = written
    .replace(/\[[^[\]]*\]$/, "")
    .replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, "$1-$2-$3T$4:$5:$6")
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, "$1T")
    .replace(/ ?([+-]\d\d):?(\d\d)(?: [A-Z]{3,4})?$/, "$1:$2")
    .replace(/ (?:UTC|GMT)$/, "Z");
  const zoned = /(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? [text] : [text, `${text}Z`];
  const times = zoned.map((candidate) => Date.parse(candidate)).filter((time) => !Number.isNaN(time));
  return times.toSorted((a, b) => a - b).find((time) => time > now) ?? times[0];
}

/** The object itself and those wrapped in it, from the outside in, each with its fields by plain name. */
function* layers(json: unknown, depth = 0): Generator<ReadonlyMap<string, unknown>> {
  if (!isRecord(json) || depth > deepestWrapper) return;
  const fields = new Map(
    Object.entries(json)
      .slice(0, 200)
      .map(([name, value]) => [name.toLowerCase().replaceAll(/[^a-z]/g, ""), value]),
  );
  yield fields;
  for (const name of wrappers) yield* layers(fields.get(name), depth + 1);
}

/** The first field that can be read. */
function pick<T>(
  fields: ReadonlyMap<string, unknown>,
  names: readonly string[],
  read: (field: unknown) => T | undefined,
): T | undefined {
  for (const name of names) {
    const value = read(fields.get(name));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** What a shell, an editor or a pipeline would replace: `$KEY`, `${env:KEY}`, `$env:KEY`, `%KEY%`, `{{ key }}`. */
const reference = /^(?:\$[A-Z_][A-Z\d_]*|\$\{[^{}]*\}|\$env:\w+|%[A-Z_][A-Z\d_]*%|\$?\{\{[^{}]*\}\})$/;

/** The cleaned input, or a full sentence that explains why it can't be a secret without repeating it. */
type SecretInputReading = { readonly text: string } | { readonly problem: string };

/** A header copied from a request or from documentation. */
const headerLabel = new RegExp(
  String.raw`^(?:${namePattern(credentialNames.headers, credentialNames.cookies)}|x-api-key|api[ -]?key|access[ -]?key|api[ -]?secret)\s*:\s*`,
  "i",
);

/** A variable, cookie, query parameter or line of YAML; trailing equals signs belong to base64. */
const variableLabel = new RegExp(
  String.raw`^(?:export\s+|set\s+)?(?:[a-z0-9_]*_)?(?:api_?key|access_?key(?:_id)?|api_?secret|secret|${namePattern(credentialNames.cookies, credentialNames.parameters)})\s*(?:=|:(?=\s))\s*(?!=*$)`,
  "i",
);

/** Pairs that surround text copied from code or documentation. */
const quotes: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”"],
  ["‘", "’"],
  ["<", ">"],
];

/**
 * Cleans a secret that was typed or pasted: removes whitespace and invisible characters, line breaks of a wrapped
 * terminal, quotes, `Bearer`, and a leading header or variable name. The rest must be valid in a header, unless it is
 * only used for signing (the API secret).
 */
export function readSecretInput(input: string, use: "sent" | "signs" = "sent"): SecretInputReading {
  const text = unwrap(input.replace(/\p{Default_Ignorable_Code_Point}/gu, ""), use);
  if (text === "") return { problem: t("Enter a value.") };
  if (/^[*•.]+$/.test(text) || /^your[a-z_-]+$/i.test(text)) {
    return { problem: t("This is a placeholder. Paste the key itself.") };
  }
  if (reference.test(text))
    return { problem: t("This is the name of a variable, not its value. Paste the key itself.") };
  if (use === "signs") return { text };
  if (/<[!/a-z]/i.test(text)) return { problem: t("This is a web page. Paste only the key.") };
  if (/\s/.test(text)) {
    return { problem: t("The key contains a space. Paste only the key.") };
  }
  if (/[^\x21-\x7e]/.test(text)) {
    return { problem: t("The key contains invalid characters. Paste only the key.") };
  }
  return { text };
}

/** What is copied has a few layers at most. */
const mostLayers = 12;

/** Removes one layer after another until nothing changes. */
function unwrap(input: string, use: "sent" | "signs"): string {
  let text = input;
  for (let layer = 0; layer < mostLayers; layer++) {
    const before = text
      .split(/[\r\n]/)
      .map((line) => line.trim())
      .join("");
    text = withoutQuotes(before, use)
      .replace(headerLabel, "")
      .replace(variableLabel, "")
      .replace(/^bearer(?:\s+|$)/i, "")
      .trim();
    if (text === before) break;
  }
  return text;
}

/** A final comma or semicolon belongs to the code around a quoted text, but a secret that is never sent may end so. */
function withoutQuotes(text: string, use: "sent" | "signs"): string {
  const code = text.replace(/[;,]$/, "");
  const pair = quotes.find(([open, close]) => code.startsWith(open) && code.endsWith(close));
  if (pair === undefined || code.length < 2) return use === "sent" ? code : text;
  // A web page isn't a quoted text.
  return pair[0] === "<" && code.indexOf("<", 1) > 0 ? text : code.slice(1, -1);
}
