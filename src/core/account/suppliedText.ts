import { t } from "@vscode/l10n";
import type { Credential, SecretKind } from "../kernel/credential.ts";
import { isRecord, parseJson } from "../kernel/json.ts";
import { createCredential } from "./credentialKinds.ts";
import { readSecretInput } from "./secretInput.ts";
import { readCredentialExpiry } from "./tokenExpiry.ts";

/** What a command, a file or a variable supplied, or a clause that says why it can't be used, without repeating it. */
export type SuppliedReading =
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
