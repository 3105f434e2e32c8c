import { createHmac } from "node:crypto";

/**
 * The signature according to interface section 5.3, deliberately implemented a second time without using our own code.
 */
export function signedQuery(
  parameters: readonly (readonly [name: string, value: string])[],
  { accessKey, apiSecret }: { readonly accessKey: string; readonly apiSecret: string },
  nonce: string,
  encoding: "hex" | "base64" = "hex",
): string {
  const message = [...parameters]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((pair) => pair.join("="))
    .join("&");
  const signature = createHmac("sha256", apiSecret).update(`${message}${nonce}${accessKey}`).digest(encoding);
  const all = [...parameters, ["access_key", accessKey], ["nonce", nonce], ["signature", signature]];
  return all.map((pair) => pair.map((text) => encodeURIComponent(text ?? "")).join("=")).join("&");
}
