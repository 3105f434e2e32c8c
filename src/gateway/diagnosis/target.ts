import type { BaseUrlRole } from "../../core/account/baseUrl.ts";
import { remedyLabel } from "../../core/account/remedies.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import type { SecretResult } from "../../core/account/credentialState.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { ErrorFacts, ServiceError } from "../../core/kernel/errors.ts";
import type { ServerList } from "../../core/servers/server.ts";
import type { Model } from "../../core/conversation/completion.ts";
import type { Credential, SecretKind } from "../../core/kernel/credential.ts";
import type { ClockOffsets, TimedResponse } from "../auth/clockOffset.ts";
import type { Certificates } from "../http/certificates.ts";
import type { Trust } from "../http/openSocket.ts";
import type { Route } from "../http/route.ts";
import type { HttpResponse, Transport, NetworkSettings } from "../http/transport.ts";
import type { RequestLabel } from "../http/transportErrors.ts";

/** Maximum idle time of a step, in milliseconds, because a person is waiting for the report. */
export const stepMs = 15_000;

/** The ports of a diagnosis. */
export interface DiagnosisPorts {
  /** The transport that the product itself uses. */
  readonly transport: Transport;
  readonly clockOffsets: ClockOffsets;
  /** Defaults to those of this machine. */
  readonly certificates?: Certificates;
  network(): NetworkSettings;
  readSecret(profile: Profile, kind: SecretKind): Promise<SecretResult>;
  readonly userAgent: string;
  /** The model that was last used, if any. */
  readonly lastModel: string | undefined;
}

/** One address that is being checked; the steps fill in what they find. */
export interface Target {
  readonly ports: DiagnosisPorts;
  readonly role: BaseUrlRole;
  /** The profile from the settings, except for what an earlier step found to work. */
  profile: Profile;
  /** The URL that is requested: the list of servers or of models. */
  readonly url: URL;
  readonly network: NetworkSettings;
  readonly certificates: Certificates;
  route: Route;
  answer?: TimedResponse;
  credential?: Credential;
  models?: readonly Model[];
  /** What the request with the accepted credential returned. */
  servers?: { readonly list: ServerList } | { readonly error: ServiceError };
}

/** The target as error messages name it. */
export function labelOf({ url }: Target): RequestLabel {
  return { method: "GET", url };
}

/** Offers to change the scheme of the address to the one that the server uses, if an error says that it is wrong. */
export function schemeRemedies(
  { role, profile }: Target,
  { reason, scheme }: Pick<ErrorFacts, "reason" | "scheme">,
): readonly ReportRemedy[] {
  if (reason !== "wrongScheme" || scheme === undefined) return [];
  const address = role === "inference" ? "inferenceBaseUrl" : "gatewayUrl";
  const remedy = "switchScheme";
  return [{ remedy, label: remedyLabel(remedy, { scheme }), profileName: profile.name, address, scheme }];
}

/** How certificates of the target are checked. */
export function trustOf({ certificates, network }: Target): Trust {
  return { isStrict: network.strictSsl, secureContext: () => certificates.secureContext(network) };
}

/** Sends a request to the address, or another one of the same origin, without any credential. */
export function requestBare(target: Target, url: URL, signal: AbortSignal): Promise<HttpResponse> {
  const { ports, profile } = target;
  return ports.transport.request({
    method: "GET",
    url,
    headers: { accept: "application/json", "user-agent": ports.userAgent },
    signal,
    timeoutMs: stepMs,
    isAuthenticated: false,
    allowInsecureHttp: profile.allowInsecureHttp,
  });
}
