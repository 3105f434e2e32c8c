import { t } from "@vscode/l10n";
import { isGatewayCredential } from "../../core/account/credentialKinds.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { Finding } from "../../core/diagnosis/diagnosis.ts";
import type { GatewayCredential } from "../../core/kernel/credential.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import type { ServiceError } from "../../core/kernel/errors.ts";
import { authenticateRequest } from "../auth/gatewayRequest.ts";
import { correctedOffset } from "../auth/clockOffset.ts";
import { takeNonce } from "../auth/gatewaySender.ts";
import { explainRefusal } from "../auth/refusalCause.ts";
import { secretsOfRequest } from "../errors/serverText.ts";
import { readErrorResponse } from "../http/errorResponse.ts";
import { createGatewayClient } from "../servers/gatewayClient.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import type { Target } from "./target.ts";

/** Checks whether the list of servers can be read, and what of it is recognized. */
export const serversStep: DiagnosisStep<Target> = {
  title: () => t("GPU servers"),
  async run(target, signal): Promise<Finding> {
    const { ports, profile, credential } = target;
    const client = createGatewayClient({
      transport: ports.transport,
      profile,
      readCredential: () =>
        Promise.resolve(
          credential === undefined || !isGatewayCredential(credential) ? undefined : credential,
        ),
      clockOffsets: ports.clockOffsets,
      now: () => ports.now(),
      timeoutMs: () => ports.stepMs,
      userAgent: ports.userAgent,
    });
    const list = await client.listServers({ signal, retry: false });
    const { length } = list.servers;
    const summary =
      length === 1 ? t("There is one server.") : t("There are {0} servers.", formatNumber(length));
    const nameless = list.servers.filter(({ id, name }) => id === undefined && name === undefined).length;
    if (nameless === 0) return { status: "passed", summary };
    const facts = [{ label: t("Servers without an ID or name"), value: formatNumber(nameless) }];
    return { status: "warning", summary, facts };
  },
};

/** One request for the list of servers, sent without the client: once, whatever the response is. */
export interface Asked {
  /** Includes its signature; use it only to read what was signed. */
  readonly url: URL;
  /** Undefined if the credential was accepted. */
  readonly error?: ServiceError;
  /** The offset to sign with again, if the clock may be why the signature was rejected. */
  readonly otherOffsetMs?: number;
}

/** @param offsetMs Added to our clock for the nonce. */
export async function askServers(
  { ports, url }: Target,
  profile: Profile,
  credential: GatewayCredential,
  offsetMs: number,
  signal: AbortSignal,
): Promise<Asked> {
  const clock = ports.clockOffsets.of(url.origin);
  const request = { url, credential, profile };
  const nonce = await takeNonce(clock, request, () => ports.now() + offsetMs, signal);
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
  const isTimed = error.reason === "signature" && credential.kind === "accessKey";
  const otherOffsetMs = isTimed ? correctedOffset(response, offsetMs) : undefined;
  return {
    url: authenticated.url,
    error: explainRefusal(error, credential.kind, response),
    ...(otherOffsetMs === undefined ? {} : { otherOffsetMs }),
  };
}

/** The response in a few words. */
export function outcomeOf({ error }: Asked): string {
  if (error === undefined) return "✔";
  return ["✖", error.statusCode, error.code].filter((part) => part !== undefined).join(" ");
}
