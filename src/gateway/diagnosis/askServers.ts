import type { GatewayCredential } from "../../core/kernel/credential.ts";
import type { ServiceError } from "../../core/kernel/errors.ts";
import type { Profile } from "../../core/account/profile.ts";
import { secretsOfRequest } from "../errors/redactSecrets.ts";
import { readErrorResponse } from "../http/errorResponse.ts";
import { authenticateRequest } from "../auth/gatewayRequest.ts";
import { takeNonce } from "../auth/nonces.ts";
import type { Target } from "./target.ts";

/** One request for the list of servers, made by hand: once, whatever comes back. */
export interface Asked {
  /** With its signature: for reading only what was signed. */
  readonly url: URL;
  /** Undefined where the credential was accepted. */
  readonly error?: ServiceError;
}

/** @param offsetMs What is added to our clock for the nonce. */
export async function askServers(
  { ports, url }: Target,
  profile: Profile,
  credential: GatewayCredential,
  offsetMs: number,
  signal: AbortSignal,
): Promise<Asked> {
  const nowSeconds = (): number => Math.floor((ports.now() + offsetMs) / 1_000);
  const nonce =
    credential.kind === "accessKey"
      ? await takeNonce(ports.clockOffsets.nonces, credential.accessKey, nowSeconds, signal)
      : nowSeconds();
  const authenticated = authenticateRequest(url, credential, profile, nonce);
  const response = await ports.transport.request({
    method: "GET",
    url: authenticated.url,
    headers: { ...authenticated.headers, accept: "application/json", "user-agent": ports.userAgent },
    signal,
    timeoutMs: ports.stepMs,
    isAuthenticated: true,
    allowInsecureHttp: profile.allowInsecureHttp,
  });
  if (response.statusCode < 300) {
    response.body.destroy();
    return { url: authenticated.url };
  }
  const error = await readErrorResponse(response, {
    kind: "gateway",
    credential: credential.kind,
    method: "GET",
    url: authenticated.url,
    secrets: secretsOfRequest(credential, authenticated.url),
  });
  return { url: authenticated.url, error };
}

/** The answer in a few words. */
export function outcomeOf({ error }: Asked): string {
  if (error === undefined) return "✔";
  return ["✖", error.statusCode, error.code].filter((part) => part !== undefined).join(" ");
}
