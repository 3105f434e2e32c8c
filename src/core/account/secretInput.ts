import { t } from "@vscode/l10n";
import type { Credential, SecretKind } from "../kernel/credential.ts";
import { isRecord, parseJson } from "../kernel/json.ts";
import { createCredential } from "./credentialKinds.ts";
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

/** Names of the field that contains the credential, without case and punctuation, the most specific first. */
const valueNames: Readonly<Record<SecretKind, readonly string[]>> = {
  apiKey: ["apikey", "key", "token", "accesstoken", "value", "secret"],
  accessKey: [],
  sessionToken: ["sessiontoken", "usertoken", "token", "accesstoken", "idtoken", "value", "secret"],
  stsToken: ["ststoken", "securitytoken", "sessiontoken", "token", "accesstoken", "value", "secret"],
};
/** A time of its own; numbers are Unix times in seconds or milliseconds. */
const expiryNames = [
  "expiresat",
  "expiration",
  "expirationtimestamp",
  "expiry",
  "expires",
  "expireson",
  "exp",
  "notafter",
];
/** Seconds from now. */
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
  if (typeof json === "string") return fromText(json, kind);
  if (json !== undefined) return fromJson(json, kind, now);
  if (/^[[{]/.test(trimmed)) return { problem: t("it isn't valid JSON") };
  if (/[\r\n]/.test(trimmed)) {
    return { problem: t("it has more than one line. It must be only the credential, or JSON") };
  }
  return fromText(trimmed, kind);
}

function fromText(text: string, kind: SecretKind, stated?: number): SuppliedReading {
  const reading = readSecretInput(text);
  if ("problem" in reading) return { problem: t("it isn't a credential") };
  const credential = createCredential(kind, () => reading.text);
  if (credential === undefined) return { problem: t("it isn't a credential") };
  const expiresAt = readCredentialExpiry(credential) ?? stated;
  return { credential, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

function fromJson(json: unknown, kind: SecretKind, now: number): SuppliedReading {
  for (const fields of layers(json)) {
    const value = pick(fields, valueNames[kind], (field) => typeof field === "string" && field !== "");
    if (typeof value === "string") return fromText(value, kind, readExpiry(json, now));
  }
  return { problem: t("it is JSON without a field for the credential, such as “token”") };
}

/** The expiry may be next to the credential or around it. */
function readExpiry(json: unknown, now: number): number | undefined {
  for (const fields of layers(json)) {
    const at = readTime(pick(fields, expiryNames, (field) => readTime(field) !== undefined));
    if (at !== undefined) return at;
    const seconds = Number(pick(fields, lifetimeNames, (field) => Number(field) > 0));
    if (seconds > 0) return now + seconds * 1_000;
  }
  return undefined;
}

function readTime(value: unknown): number | undefined {
  if (typeof value === "string" && !/^\d+$/.test(value)) {
    const time = Date.parse(value);
    return Number.isNaN(time) ? undefined : time;
  }
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  if (!(number > 0)) return undefined;
  return number < 1e11 ? number * 1_000 : number;
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

function pick(
  fields: ReadonlyMap<string, unknown>,
  names: readonly string[],
  isUsable: (field: unknown) => boolean,
): unknown {
  const name = names.find((candidate) => isUsable(fields.get(candidate)));
  return name === undefined ? undefined : fields.get(name);
}

/** The cleaned input, or a full sentence that explains why it can't be a secret without repeating it. */
type SecretInputReading = { readonly text: string } | { readonly problem: string };

/** A header copied from a request or from documentation. */
const headerLabel = new RegExp(
  String.raw`^(?:${namePattern(credentialNames.headers, credentialNames.cookies)}|x-api-key|api[ -]?key|access[ -]?key|api[ -]?secret)\s*:\s*`,
  "i",
);

/** A variable, cookie or query parameter; trailing equals signs belong to base64. */
const variableLabel = new RegExp(
  String.raw`^(?:export\s+|set\s+)?(?:[a-z0-9_]*_)?(?:api_?key|access_?key(?:_id)?|api_?secret|secret|${namePattern(credentialNames.cookies, credentialNames.parameters)})\s*=\s*(?!=*$)`,
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
  const text = unwrap(input.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, ""));
  if (text === "") return { problem: t("Enter a value.") };
  if (/^[*•.]+$/.test(text) || /^(?:your|my)[-_]/i.test(text)) {
    return { problem: t("This is a placeholder. Paste the key itself.") };
  }
  if (use === "signs") return { text };
  if (/\s/.test(text)) {
    return { problem: t("The key contains a space. Paste only the key.") };
  }
  if (/[^\x21-\x7e]/.test(text)) {
    return { problem: t("The key contains invalid characters. Paste only the key.") };
  }
  return { text };
}

/** Removes one layer after another until nothing changes. */
function unwrap(input: string): string {
  const text = input
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .join("");
  const inner = withoutQuotes(text.replace(/[;,]$/, ""))
    .replace(headerLabel, "")
    .replace(variableLabel, "")
    .replace(/^bearer(?:\s+|$)/i, "")
    .trim();
  return inner === text ? text : unwrap(inner);
}

function withoutQuotes(text: string): string {
  const pair = quotes.find(([open, close]) => text.startsWith(open) && text.endsWith(close));
  return pair === undefined || text.length < 2 ? text : text.slice(1, -1);
}
