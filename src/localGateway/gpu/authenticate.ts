import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { parseCookies } from "../http/cookies.ts";
import type { AuthenticationType, LastingCredentials } from "../kernel/options.ts";
import { credentialRefusal } from "./stsTokens.ts";
import type { Identity, StsTokens } from "./stsTokens.ts";

/** Seconds by which the nonce may differ from the server's clock, in either direction (interface section 8). */
const nonceWindowSeconds = 30;

/** Required on every request, and not part of the string to sign. */
const signatureNames: ReadonlySet<string> = new Set(["access_key", "nonce", "signature"]);

interface SignatureRules {
  readonly emptyValues: "omit" | "keep";
  readonly encoding: "hex" | "base64";
}

/**
 * Checks the signature of a request (interface section 5.3). The string to sign consists of the decoded query values.
 * Throws ERR_SIGNATURE if anything is invalid.
 */
export function checkSignature(
  query: URLSearchParams,
  credential: { readonly accessKey: string; readonly apiSecret: string },
  nowMs: number,
  rules: SignatureRules,
): void {
  for (const name of signatureNames) {
    if (query.getAll(name).length === 1) continue;
    throw credentialRefusal("ERR_SIGNATURE", `The query needs exactly one parameter ${name}.`);
  }
  const nonce = query.get("nonce") ?? "";
  const accessKey = query.get("access_key") ?? "";
  if (!/^\d{1,12}$/.test(nonce))
    throw credentialRefusal("ERR_SIGNATURE", "The nonce is not a Unix timestamp in seconds.");
  const offBy = Math.abs(Number(nonce) - Math.floor(nowMs / 1000));
  if (offBy > nonceWindowSeconds) throw credentialRefusal("ERR_SIGNATURE", `The nonce is off by ${offBy} s.`);
  // An unknown key is checked like a known one, so that the response time doesn't distinguish them.
  const expected = createHmac("sha256", credential.apiSecret)
    .update(`${sortedParameters(query, rules)}${nonce}${accessKey}`)
    .digest(rules.encoding);
  const isGood = equalInConstantTime(query.get("signature") ?? "", expected);
  const isKnown = equalInConstantTime(accessKey, credential.accessKey);
  if (!isGood || !isKnown) throw credentialRefusal("ERR_SIGNATURE", "The signature does not match.");
}

function sortedParameters(query: URLSearchParams, rules: SignatureRules): string {
  return [...query]
    .filter(([name, value]) => !signatureNames.has(name) && (value !== "" || rules.emptyValues === "keep"))
    .map(([name, value]) => ({
      name: Buffer.from(name),
      value: Buffer.from(value),
      pair: `${name}=${value}`,
    }))
    .sort((left, right) => Buffer.compare(left.name, right.name) || Buffer.compare(left.value, right.value))
    .map(({ pair }) => pair)
    .join("&");
}

/** Compares digests of equal length, so that the time reveals neither content nor length. */
function equalInConstantTime(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHmac("sha256", "compare").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** What credentials are checked against. The gateway has a single account. */
export interface AuthenticationContext {
  readonly credentials: LastingCredentials;
  readonly owner: Identity;
  readonly stsTokens: StsTokens;
  readonly signature: SignatureRules;
  /** Milliseconds since 1970 by the gateway's own clock. */
  now(): number;
}

/**
 * Identifies the caller (interface section 5), or throws one of the four refusals. The interface doesn't specify what
 * applies if a request contains several kinds of credential; here, an explicit type (`X-AUTH-TYPE: AK`) takes
 * precedence over what the gateway detects (an STS token), and that over a session token.
 */
export async function authenticate(
  sources: CredentialSources,
  permittedTypes: readonly AuthenticationType[],
  context: AuthenticationContext,
): Promise<Identity> {
  const saidType = sources.header("X-AUTH-TYPE") ?? "";
  if (saidType !== "" && saidType !== "AK") {
    throw credentialRefusal("ERR_AUTHTYPE", "The header X-AUTH-TYPE can only be AK.");
  }
  if (saidType === "AK") {
    requirePermitted("AK", permittedTypes);
    checkSignature(sources.query, context.credentials, context.now(), context.signature);
    return context.owner;
  }
  const stsToken = lookUpStsToken(sources);
  if (stsToken !== undefined) {
    requirePermitted("STS_TOKEN", permittedTypes);
    return context.stsTokens.validate(stsToken);
  }
  const sessionToken = lookUpSessionToken(sources);
  if (sessionToken === undefined)
    throw credentialRefusal("ERR_UNAUTHORIZED", "The request carries no credentials.");
  requirePermitted("SESSION", permittedTypes);
  if (!equalInConstantTime(sessionToken, context.credentials.sessionToken))
    throw credentialRefusal("ERR_UNAUTHORIZED", "The session token is invalid.");
  return context.owner;
}

function requirePermitted(type: AuthenticationType, permittedTypes: readonly AuthenticationType[]): void {
  if (permittedTypes.includes(type)) return;
  throw credentialRefusal("ERR_AUTHTYPE", `This endpoint does not permit ${type}.`);
}

/** The parts of a request that may contain credentials. */
interface CredentialSources {
  readonly cookies: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
}

/** The places of a request in which a credential may be. */
export function credentialSources(request: IncomingMessage, url: URL): CredentialSources {
  return {
    cookies: parseCookies(request.headers.cookie),
    query: url.searchParams,
    header(name) {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value[0] : value;
    },
  };
}

/** Interface section 5.2: the first value that is not empty takes precedence. */
function lookUpSessionToken({ cookies, query, header }: CredentialSources): string | undefined {
  return firstNonEmpty(
    cookies.get("User-Token-V1"),
    ...query.getAll("token"),
    header("Authorization"),
    cookies.get("OU-Token-V1"),
  );
}

/** Interface section 5.4: the first value that is not empty takes precedence. */
function lookUpStsToken({ cookies, query, header }: CredentialSources): string | undefined {
  return firstNonEmpty(cookies.get("STS-Token"), ...query.getAll("STS-Token"), header("STS-Token"));
}

function firstNonEmpty(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== "");
}
