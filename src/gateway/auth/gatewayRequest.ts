import { t } from "@vscode/l10n";
import { credentialKinds } from "../../core/account/credentialKinds.ts";
import { credentialNames, tokenPlace } from "../../core/account/credentialPlaces.ts";
import type { CarrierOptions } from "../../core/account/credentialPlaces.ts";
import type { Profile } from "../../core/account/profile.ts";
import type {
  AccessKeyCredential,
  GatewayCredential,
  TokenCredential,
} from "../../core/kernel/credential.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { percentEncode } from "../../core/kernel/httpAddress.ts";
import { sign } from "./signature.ts";
import type { Parameter } from "./signature.ts";

/** The URL and headers of a request: exactly what was signed is sent. */
interface AuthenticatedRequest {
  readonly url: URL;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that are credentials, or that belong to the connection. */
const refusedHeaders: ReadonlySet<string> = new Set([
  ...credentialNames.headers,
  "authorization",
  "proxy-authorization",
  "cookie",
  "x-auth-type",
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
]);

/**
 * Adds the profile's own parameters and headers and its credential to the URL (interface sections 5.2 to 5.4). `nonce`
 * is in Unix seconds and was taken for this attempt.
 */
export function authenticateRequest(
  url: URL,
  credential: GatewayCredential,
  profile: Profile,
  nonce: number,
): AuthenticatedRequest {
  const parameters = readParameters(url, profile.serverListQuery);
  const attached = attachCredential(credential, profile, parameters, nonce);
  const authenticated = new URL(url);
  authenticated.search = createQuery([...parameters, ...attached.parameters]);
  return { url: authenticated, headers: { ...readHeaders(profile.headers), ...attached.headers } };
}

/** What is signed besides the nonce: two requests with the same content must not share one. */
export function signedContent(url: URL, { accessKey }: AccessKeyCredential, profile: Profile): string {
  return JSON.stringify([accessKey, ...readParameters(url, profile.serverListQuery)]);
}

/** All parameters that the signature covers: those of the URL itself and those of the setting. */
function readParameters(url: URL, query: Profile["serverListQuery"]): readonly Parameter[] {
  const all = [...url.searchParams, ...Object.entries(query)];
  const credential = all.find(([name]) => credentialNames.parameters.has(name.toLowerCase()));
  if (credential !== undefined) {
    throw new ServiceError({
      reason: "configuration",
      message: t(
        "Nothing was sent: the query parameter {0} is part of a credential and can't be set in the profile. Remove it from serverListQuery or gatewayUrl.",
        credential[0],
      ),
    });
  }
  return all.map(([name, value]) => [wellFormed(name), wellFormed(value)]);
}

function readHeaders(headers: Profile["headers"]): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(entries.filter(([name]) => !refusedHeaders.has(name)));
}

/** What a request needs for authentication besides its own parameters and headers. */
interface AttachedCredential {
  readonly parameters: readonly Parameter[];
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

type CarrierRules = CarrierOptions & Pick<Profile, "signature">;

/**
 * Attaches a credential in the location that the profile specifies (interface sections 5.2 to 5.4). `nonce` is in Unix
 * seconds and belongs to this attempt. Throws `configuration` if the location can't hold the credential unchanged.
 */
export function attachCredential(
  credential: GatewayCredential,
  rules: CarrierRules,
  parameters: readonly Parameter[],
  nonce: number,
): AttachedCredential {
  if (credential.kind !== "accessKey") return carryToken(credential, rules);
  return {
    headers: { "x-auth-type": "AK" },
    parameters: [
      ["access_key", credential.accessKey],
      ["nonce", String(nonce)],
      ["signature", sign({ parameters, nonce, credential, options: rules.signature })],
    ],
  };
}

function carryToken(credential: TokenCredential, rules: CarrierRules): AttachedCredential {
  const token = credential.token.trim();
  const place = tokenPlace(credential.kind, rules);
  const noun = credentialKinds[credential.kind].noun();
  if ("parameter" in place) return { parameters: [[place.parameter, token]], headers: {} };
  if ("cookie" in place) return inCookie(place.cookie, token, noun);
  return inHeader(place.header, place.scheme === undefined ? token : `${place.scheme} ${token}`, noun);
}

function inHeader(name: string, token: string, what: string): AttachedCredential {
  if (/^[\x20-\x7e\xa0-\xff]+$/.test(token)) return { parameters: [], headers: { [name]: token } };
  throw unfit(what, t("a header"));
}

/**
 * A cookie value can't be quoted, so anything that would end it early or change it in transit is rejected (RFC 6265,
 * section 4.1.1).
 */
function inCookie(name: string, token: string, what: string): AttachedCredential {
  if (/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(token)) {
    return { parameters: [], headers: { cookie: `${name}=${token}` } };
  }
  throw unfit(what, t("a cookie"));
}

function unfit(what: string, carrier: string): ServiceError {
  return new ServiceError({
    reason: "configuration",
    message: t(
      "Nothing was sent: the {0} contains characters that aren't allowed in {1}. Set it again without line breaks or spaces, or change where the profile sends it.",
      what,
      carrier,
    ),
  });
}

/**
 * The URL of the server list for the profile's gateway URL (interface section 4.2). Trailing slashes, surrounding
 * whitespace and a pasted path of the interface are removed; a query is kept. Throws `configuration` if it isn't a URL.
 */
export function createServersUrl(gatewayUrl: string | undefined): URL {
  const text = gatewayUrl?.trim() ?? "";
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new ServiceError({
      reason: "configuration",
      message:
        text === ""
          ? t("The profile has no gateway URL, so there are no servers to list. Add it to the profile.")
          : t("The profile's gateway URL isn't an HTTP or HTTPS URL. Correct it in the profile."),
    });
  }
  const url = new URL(text);
  const base = url.pathname.replace(/(?<!\/)\/+$/, "").replace(/\/gpu\/api\/v1(?:\/servers)?$/, "");
  url.pathname = `${base}/gpu/api/v1/servers`;
  url.hash = "";
  url.username = "";
  url.password = "";
  return url;
}

/** Writes parameters as a query from which every server decodes the same raw values, however it treats `+` and `'`. */
export function createQuery(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join("&");
}

/** A lone surrogate can't be encoded as UTF-8, so it is replaced before signing, not after. */
export function wellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
