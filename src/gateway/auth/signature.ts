import { createHmac } from "node:crypto";
import type { AccessKeyCredential, SignatureOptions } from "../../core/kernel/credential.ts";

/** A request parameter with its raw value, as the server sees it after decoding the query. */
export type Parameter = readonly [name: string, value: string];

interface SignedRequest {
  /** All parameters of the request, except for the three of the signature itself. */
  readonly parameters: readonly Parameter[];
  /** Unix seconds (interface section 5.3). */
  readonly nonce: number | string;
  readonly credential: AccessKeyCredential;
  readonly options: SignatureOptions;
}

/** HMAC-SHA256 of the message with the API secret as key (interface section 5.3, step 4). */
export function sign(request: SignedRequest): string {
  const { credential, options } = request;
  return createHmac("sha256", credential.apiSecret)
    .update(messageToSign(request), "utf8")
    .digest(options.encoding);
}

/**
 * Sorted parameters, nonce and access key, concatenated without separators (interface section 5.3, steps 1 to 3). The
 * interface doesn't specify whether values are signed raw or URL-encoded: they are signed raw.
 */
export function messageToSign({ parameters, nonce, credential, options }: SignedRequest): string {
  const pairs = parameters
    .filter(([name]) => !signatureParameters.has(name))
    .filter(([, value]) => options.emptyValues === "keep" || value !== "")
    .sort(compareParameters)
    .map(([name, value]) => `${name}=${value}`);
  return `${pairs.join("&")}${nonce}${credential.accessKey}`;
}

const signatureParameters: ReadonlySet<string> = new Set(["access_key", "nonce", "signature"]);

/**
 * "Alphabetically" by the bytes of UTF-8, name first: UTF-16 order is different, and a locale's order depends on the
 * machine.
 */
function compareParameters([nameA, valueA]: Parameter, [nameB, valueB]: Parameter): number {
  return compareBytes(nameA, nameB) || compareBytes(valueA, valueB);
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}
